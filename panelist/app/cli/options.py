"""How commands describe their options, and those that several share, with one spelling and one help text each."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass
from functools import partial, wraps
from itertools import zip_longest
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from panelist.config import default_workspace
from panelist.errors import InputError

if TYPE_CHECKING:
    from indexing.encoders.cache import EncoderLoader

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of a table.")]
_WORKSPACE = "Directory of the corpus and its index [default: $PANELIST_WORKSPACE or ./panelist.workspace]."
WorkspaceOption = Annotated[Path | None, typer.Option("--workspace", "-w", help=_WORKSPACE)]
_BENCHMARK = "Where the benchmark's collection is indexed [default: in the user's cache]."
BenchmarkWorkspaceOption = Annotated[Path | None, typer.Option("--workspace", "-w", help=_BENCHMARK)]
_EXECUTOR = (
    "Who does the work: processes, processes:N or dask://HOST:PORT, whose workers see the workspace under the same "
    "path [default: this process, with all its cores]."
)
ExecutorOption = Annotated[str | None, typer.Option("--executor", help=_EXECUTOR)]
_PRECISION = "How exactly: float32, bfloat16, float16 (cuda, mps), or auto, which is the fastest that is as good."

_BY_TYPE: Any = object()
_FORMAT = "format_of_answer"  # the name of the record of options that choose it


def option(words: str, *names: str, default: Any = _BY_TYPE, kind: Any = typer.Option, **more: Any) -> Any:
    """Describe an option, in the place of the default of a command's parameter or of a field of a record of options.

    Args:
        words: the help.
        names: such as `-o`; the long name is that of the parameter, unless another one is given.
        default: without it, an option whose type allows None is None, a flag is False, and others have to be given.
        kind: an option or an argument of Typer.
        more: what Typer knows of them.
    """
    metadata = {"names": names, "default": default, "kind": kind, "typer_options": {"help": words, **more}}
    return field(default=None if default is _BY_TYPE else default, metadata=metadata)


argument = partial(option, kind=typer.Argument)


@dataclass(frozen=True)
class Encoding:
    """Where and how exactly texts are encoded."""

    device: str = option("Where texts are encoded: cpu, cuda, mps or auto; all but cpu need torch.", default="cpu")
    precision: str = option(_PRECISION, default="auto")

    def loader(self, cached: bool = False) -> EncoderLoader:
        """Return what loads encoders in this way."""
        from indexing.encoders.cache import EncoderLoader

        return EncoderLoader(self.device, self.precision, cached=cached)


@dataclass(frozen=True)
class QueryEncoding(Encoding):
    """The same for queries: they are few, so that the exact way is as fast."""

    precision: str = option(_PRECISION, default="float32")


def group(about: str, *commands: Callable[..., Any], **more: Any) -> typer.Typer:
    """Make a group of commands, which are called as their functions are (`list_` is `list`)."""
    app = typer.Typer(help=about, **{"no_args_is_help": True} | more)
    for command in commands:
        app.command(command.__name__.rstrip("_").replace("_", "-"))(as_command(command))
    return app


def as_command(function: Callable[..., Any]) -> Callable[..., None]:
    """Make a function a command as Typer takes it.

    Parameters are options and arguments, as `option` and `argument` describe them. Each field of a parameter that is a
    dataclass is an option of its own. What is returned is printed in the format that further options choose, which the
    type of the answer names. Examples of the docstring are shown as lines of their own.
    """
    signature = inspect.signature(function, eval_str=True)
    annotations = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    if is_dataclass(signature.return_annotation):
        annotations[_FORMAT] = signature.return_annotation.format  # type: ignore[union-attr]
    records: dict[str, Any] = {name: type_ for name, type_ in annotations.items() if is_dataclass(type_)}

    @wraps(function)
    def command(**values: Any) -> None:
        options: dict[str, Any] = {
            name: record(**{entry.name: values.pop(entry.name) for entry in fields(record)})
            for name, record in records.items()
        }
        form = options.pop(_FORMAT, None)
        answer = function(**values, **options)
        if form is not None:
            form.print(answer)

    parameters: list[inspect.Parameter] = []
    for name, annotation in annotations.items():
        if name in records:
            types = get_type_hints(annotation, include_extras=True)
            parameters += (_parameter(entry.name, types[entry.name], entry) for entry in fields(annotation))
        else:
            parameters.append(_parameter(name, annotation, signature.parameters[name].default))
    command.__signature__ = signature.replace(parameters=parameters, return_annotation=None)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    about, section, examples = inspect.cleandoc(function.__doc__ or "").partition("\nExamples:\n")
    command.__doc__ = about + (section and "\n**Examples**\n\n") + examples.replace("\n", "\n\n")
    return command


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Make the parameter of a command; `default` may be a field of a record, or what `option` made."""
    if isinstance(default, Field) and (described := default.metadata):
        default = described["default"]
        if default is _BY_TYPE:
            required = NoneType not in get_args(annotation)
            default = None if not required else False if annotation is bool else inspect.Parameter.empty
        names = described["names"]
        if described["kind"] is typer.Option and not any(flag.startswith("--") for flag in names):
            names = (f"--{name.replace('_', '-')}", *names)
        annotation = Annotated[annotation, described["kind"](*names, **described["typer_options"])]
    elif isinstance(default, Field):
        default = default.default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def encoder_name(name: str | None) -> str:
    """Return the encoder's name, the default one where there is none, or the whole path where it is a folder."""
    from indexing.encoders import DEFAULT_ENCODER

    return str(Path(name).absolute()) if name and Path(name).is_dir() else name or DEFAULT_ENCODER


def options_of_workspace(command: Any, arguments: Sequence[str]) -> dict[str, Any]:
    """Read what `panelist.toml` in the workspace says about the options of the command, as Typer's map of defaults."""
    path = _workspace_of(arguments) / "panelist.toml"
    if not path.is_file():
        return {}
    import tomllib

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"'{path}' cannot be read: {error}") from error
    all_defaults: dict[str, Any] = {}
    defaults, name = all_defaults, "panelist"
    for word in arguments:
        if word not in getattr(command, "commands", {}):
            break
        command, table, name = command.commands[word], table.get(word, {}), f"{name} {word}"
        defaults = defaults.setdefault(word, {})
    names = {flag.lstrip("-"): entry.name for entry in command.params for flag in entry.opts if flag.startswith("--")}
    for flag, value in table.items():
        if flag in names:
            defaults[names[flag]] = value
            sys.stderr.write(f"panelist.toml: --{flag} {value}\n")
        elif not isinstance(value, dict):
            raise InputError(f"'{path}': '{name}' has no option '{flag}': '{name} --help' lists them")
    return all_defaults


def _workspace_of(arguments: Sequence[str]) -> Path:
    for word, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        if word in ("-w", "--workspace"):
            return Path(following)
        if word.startswith("--workspace="):
            return Path(word.partition("=")[2])
    return default_workspace()
