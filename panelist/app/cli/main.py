"""The `panelist` command: registers the commands and turns errors into one line and exit code 2."""

from __future__ import annotations

import atexit
import gc
import logging
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

import typer

from panelist.app.cli.typed import remember
from panelist.errors import PanelistError
from panelist.extras import missing_line
from panelist.words import printable

COMMANDS = {
    "demo": "demo:demo",
    "find": "find:find",
    "run": "run:run",
    "affinity": "affinity:affinity",
    "assign": "assign:app",
    "export": "systems.export:export",
    "openreview": "systems.openreview:app",
    "calibrate": "calibrate:calibrate",
    "serve": "serve:serve",
    "users": "users:app",
    "desk": "desk:app",
    "corpus": "corpus.stats:app",
    "import": "corpus.import_:app",
    "fetch": "corpus.fetch:app",
    "eval": "eval:app",
    "index": "index:app",
    "model": "model:app",
    "train": "train:app",
    "reviews": "reviews:app",
}
"""The module of each command, and its function or group there."""

_LONGEST = 1_000  # characters of an error's line


def _show_version(wanted: bool) -> None:
    if wanted:
        from panelist import __version__

        typer.echo(f"panelist {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the whole traceback of an error (any command)."),
) -> None:
    pass


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """The application with the command that the arguments name, or with all, which take a tenth of a second to load."""
    app = typer.Typer(
        name="panelist",
        help="Find the people who can review a paper.",
        callback=_options,
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
            app.command(name)(command)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a check failed, 2 the input cannot be used, 130 interrupted."""
    if arguments is None:  # the process is this command's alone
        # Imports make many objects and no garbage: look for it rarely, and not a last time when the command has ended.
        gc.set_threshold(100_000)
        atexit.register(gc.freeze)
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    args = [argument for argument in args if argument != "--debug"]
    remember(args)
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format="%(levelname)s %(message)s")
    try:
        sys.exit(command_line(args)(args=args, prog_name="panelist", standalone_mode=False))
    except (PanelistError, typer.TyperException) as error:
        if debug:
            raise
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        if not message:  # a bare group: it has already printed its help
            sys.exit(2)
        line = printable(" ".join(message.split()))
        # What was received may be a line of many megabytes.
        sys.stderr.write(f"error: {line if len(line) <= _LONGEST else line[:_LONGEST] + '…'}\n")
        sys.exit(2)
    except typer.Abort:
        sys.stderr.write("interrupted\n")
        sys.exit(130)
    except ModuleNotFoundError as error:
        if debug or error.name is None or find_spec(error.name.partition(".")[0]) is not None:
            raise  # ours to correct
        sys.stderr.write(f"error: {missing_line('this command', error.name.partition('.')[0])}\n")
        sys.exit(2)
    except MemoryError as error:
        if debug:
            raise
        sys.stderr.write(f"error: the memory is not enough: {error or 'ask for less at a time'}\n")
        sys.exit(2)
    except OSError as error:  # a directory that cannot be written, a full disk: a traceback would not help
        if debug:
            raise
        name = "" if error.filename is None else f" '{error.filename}'"
        sys.stderr.write(f"error: cannot use{name}: {error.strerror or error}\n")
        sys.exit(2)
