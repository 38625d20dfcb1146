"""The `panelist` command: registers the commands and turns errors into one line and exit code 2."""

import atexit
import gc
import logging
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

import typer
from typer.main import get_command

from panelist.app.cli.options import as_command, option, options_of_workspace
from panelist.app.cli.output import command_words, note
from panelist.corpus.readers.report import watch_files
from panelist.errors import PanelistError
from panelist.extras import missing_line
from panelist.words import printable

COMMANDS = {
    "demo": "demo:demo",
    "find": "find:find",
    "run": "find:run",
    "committee": "committee:app",
    "affinity": "affinity:affinity",
    "assign": "assign:app",
    "export": "systems:export",
    "openreview": "systems:app",
    "calibrate": "calibrate:calibrate",
    "serve": "serve:serve",
    "users": "serve:app",
    "mcp": "mcp:mcp",
    "desk": "desk:app",
    "corpus": "corpus:app",
    "import": "corpus.import_:app",
    "fetch": "corpus.fetch:app",
    "openalex": "corpus.fetch:catalogue",
    "eval": "eval:app",
    "index": "index:app",
    "model": "model:app",
    "train": "train:app",
    "history": "corpus.history:app",
    "reviews": "reviews:app",
}
"""The module of each command, and its function or group there."""

_SERVERS = (["serve"], ["demo"], ["mcp"])
"""What they read is told to whoever sends it."""
_LONGEST = 1_000  # characters of an error's line


def _show_version(requested: bool) -> None:
    if requested:
        from panelist import __version__

        typer.echo(f"panelist {__version__}")
        raise typer.Exit


def _options(
    version: bool = option("Show the version and exit.", callback=_show_version, is_eager=True),
    debug: bool = option("Show the whole traceback of an error (any command)."),
) -> None:
    pass


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """Make the application with the command that the arguments name, or with all, which take a tenth of a second."""
    app = typer.Typer(
        name="panelist",
        help="Find the people who can review a paper.",
        callback=as_command(_options),
        no_args_is_help=True,
        rich_markup_mode="markdown",
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in COMMANDS.keys() & arguments[:1] or COMMANDS:
        module, _, attribute = COMMANDS[name].partition(":")
        command = getattr(import_module(f"panelist.app.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(as_command(command))
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; exit codes: 0 done, 1 a check failed, 2 unusable input, 3 nobody fits, 130 interrupted."""
    if arguments is None:  # the process is this command's alone
        # Imports make many objects and no garbage: look for it rarely, and not a last time when the command has ended.
        gc.set_threshold(100_000)
        atexit.register(gc.freeze)
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    args = [argument for argument in args if argument != "--debug"]
    command_words.set(tuple(args))
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    if debug:  # of our own: libraries would bury it
        for name in ("panelist", "indexing", "retriever", "eval"):
            logging.getLogger(name).setLevel(logging.DEBUG)
    try:
        command = get_command(command_line(args))
        defaults = options_of_workspace(command, args)
        with watch_files() as files:
            try:
                code = command.main(args=args, prog_name="panelist", standalone_mode=False, default_map=defaults)
            finally:
                for path, use in files.items() if args[:1] not in _SERVERS else ():
                    for words in use.words():
                        note(printable(f"{path}: {words}"))
        sys.exit(code)
    except typer.Abort:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except Exception as error:
        message = _in_one_line(error)
        if message is None:  # ours to correct
            raise
        if debug:
            sys.stderr.write(_traceback(error))
        if message:  # a bare group has already printed its help
            line = printable(" ".join(message.split()))
            # What was received may be a line of many megabytes.
            sys.stderr.write(f"error: {line if len(line) <= _LONGEST else line[:_LONGEST] + '…'}\n")
        sys.exit(2)


def _in_one_line(error: Exception) -> str | None:
    """Say what is wrong and what to do; None where the program is wrong, and only a traceback helps."""
    match error:
        case typer.TyperException():
            return error.format_message()
        case PanelistError():
            return str(error)
        case ModuleNotFoundError(name=str(name)) if find_spec(name.partition(".")[0]) is None:
            return missing_line("this command", name.partition(".")[0])
        case MemoryError():
            return f"not enough memory: {error or 'ask for less at a time'}"
        case OSError():  # a directory that cannot be written, a full disk
            name = "" if error.filename is None else f" '{error.filename}'"
            return f"cannot use{name}: {error.strerror or error}"
    return None


def _traceback(error: Exception) -> str:
    """Format the traceback without the frames of the library that parses commands."""
    details = traceback.TracebackException.from_exception(error)
    error_or_cause: traceback.TracebackException | None = details
    while error_or_cause is not None:
        frames = [frame for frame in error_or_cause.stack if f"{os.sep}typer{os.sep}" not in frame.filename]
        error_or_cause.stack = traceback.StackSummary.from_list(frames)
        error_or_cause = error_or_cause.__cause__ or error_or_cause.__context__
    return "".join(details.format())
