"""Options that several commands share, with one spelling and one help text each."""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import wraps
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from panelist.config import default_workspace
from panelist.errors import InputError

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
DeviceOption = Annotated[
    str, typer.Option("--device", help="Where texts are encoded: cpu, cuda, mps or auto; all but cpu need torch.")
]
PrecisionOption = Annotated[
    str,
    typer.Option(
        "--precision",
        help="How exactly: float32, bfloat16, float16 (cuda, mps), or auto, which is the fastest that is as good.",
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
            name: record(**{one.name: given.pop(one.name) for one in fields(record)})
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


def option(words: str, *names: str, default: Any = None, kind: Any = typer.Option, **more: Any) -> Any:
    """Describe a field of a record of options: its help, and its names where they are not that of the field.

    Args:
        words: the help.
        names: such as `--out` and `-o`.
        default: of the field; `MISSING` where it has to be given.
        kind: `typer.Argument` for an argument.
        more: what Typer knows of options.
    """
    return field(default=default, metadata={"kind": kind, "names": names, "help": words, "more": more})


def _options(record: Any) -> list[inspect.Parameter]:
    types = get_type_hints(record, include_extras=True)
    return [
        inspect.Parameter(
            one.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if one.default is MISSING else one.default,
            annotation=Annotated[types[one.name], _told(one)] if one.metadata else types[one.name],
        )
        for one in fields(record)
    ]


def _told(one: Field[Any]) -> Any:
    """What Typer is told of a field that `option` describes."""
    told = one.metadata
    own = () if told["kind"] is typer.Argument else (f"--{one.name.replace('_', '-')}",)
    return told["kind"](*(told["names"] or own), help=told["help"], **told["more"])


def encoder_name(given: str | None) -> str:
    """The encoder that is meant: a folder by a path that works from everywhere, else a name, the default where none."""
    from indexing.encoders import DEFAULT_ENCODER

    return str(Path(given).absolute()) if given and Path(given).is_dir() else given or DEFAULT_ENCODER


def options_of_workspace(command: Any, arguments: Sequence[str]) -> dict[str, Any]:
    """What `panelist.toml` in the workspace says about the options of the command that is called, as Typer takes it.

    Raises:
        InputError: the file cannot be read, or names an option that the command does not have.
    """
    path = _workspace_of(arguments) / "panelist.toml"
    if not path.is_file():
        return {}
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{path}' cannot be read: {error}") from error
    everything: dict[str, Any] = {}
    given, name = everything, "panelist"
    for word in arguments:
        if word not in getattr(command, "commands", {}):
            break
        command, table, name = command.commands[word], table.get(word, {}), f"{name} {word}"
        given = given.setdefault(word, {})
    names = {option.lstrip("-"): one.name for one in command.params for option in one.opts if option.startswith("--")}
    for option, value in table.items():
        if option not in names and not isinstance(value, dict):
            raise InputError(f"'{path}': '{name}' has no option '{option}': '{name} --help' lists them")
        if option in names:
            given[names[option]] = value
            sys.stderr.write(f"panelist.toml: --{option} {value}\n")
    return everything


def _workspace_of(arguments: Sequence[str]) -> Path:
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word in ("-w", "--workspace"):
            return Path(following)
        if word.startswith("--workspace="):
            return Path(word.partition("=")[2])
    return default_workspace()
