"""Options that several commands share, with one spelling and one help text each."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

WorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Directory of the corpus and its index [default: $PANELIST_WORKSPACE or ./panelist.workspace].",
        show_default=False,
    ),
]
BenchmarkWorkspaceOption = Annotated[
    Path | None,
    typer.Option(
        "--workspace",
        "-w",
        help="Where the benchmark's collection is indexed [default: in the user's cache].",
        show_default=False,
    ),
]
ExecutorOption = Annotated[
    str | None,
    typer.Option(
        "--executor",
        help="Who does the work: processes, processes:N or dask://HOST:PORT, whose workers see the workspace under the "
        "same path [default: this process, with all its cores].",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take records of options: each field of each dataclass among its parameters becomes an option."""
    signature = inspect.signature(command, eval_str=True)
    records: dict[str, Any] = {
        one.name: one.annotation for one in signature.parameters.values() if is_dataclass(one.annotation)
    }

    @wraps(command)
    def spread_command(**given: Any) -> None:
        made = {
            name: record(**{field.name: given.pop(field.name) for field in fields(record)})
            for name, record in records.items()
        }
        command(**given, **made)

    options: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        options += _options(records[parameter.name]) if parameter.name in records else [parameter]
    keyword_only = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in options]
    spread_command.__signature__ = signature.replace(parameters=keyword_only)  # type: ignore[attr-defined]
    spread_command.__annotations__ = {one.name: one.annotation for one in options}
    return spread_command


def _options(record: Any) -> list[inspect.Parameter]:
    types = get_type_hints(record, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=types[field.name],
        )
        for field in fields(record)
    ]


def encoder_name(given: str | None) -> str:
    """The encoder that is meant: a folder by a path that works from everywhere, else a name, the default where none."""
    from indexing.encoders import DEFAULT_ENCODER

    return str(Path(given).absolute()) if given and Path(given).is_dir() else given or DEFAULT_ENCODER
