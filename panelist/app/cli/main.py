"""The `panelist` command: registers the commands and turns errors into one line and exit code 2."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

import typer

from panelist.app.cli import affinity, calibrate, demo, find, index, model, run, serve
from panelist.app.cli.assign import app as assign_app
from panelist.app.cli.corpus import fetch, import_, stats
from panelist.app.cli.desk import app as desk_app
from panelist.app.cli.eval import app as eval_app
from panelist.app.cli.reviews import app as reviews_app
from panelist.app.cli.train import app as train_app
from panelist.app.cli.typed import remember
from panelist.errors import PanelistError
from panelist.words import printable

_LONGEST = 1_000  # characters of an error's line

app = typer.Typer(
    name="panelist",
    help="Find the people who can review a paper.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(demo.demo)
app.command()(find.find)
app.command()(run.run)
app.command()(affinity.affinity)
app.add_typer(assign_app, name="assign")
app.command()(calibrate.calibrate)
app.command()(serve.serve)
app.add_typer(desk_app, name="desk")
app.add_typer(stats.app, name="corpus")
app.add_typer(import_.app, name="import")
app.add_typer(fetch.app, name="fetch")
app.add_typer(eval_app, name="eval")
app.add_typer(index.app, name="index")
app.add_typer(model.app, name="model")
app.add_typer(train_app, name="train")
app.add_typer(reviews_app, name="reviews")


def _show_version(wanted: bool) -> None:
    if wanted:
        from panelist import __version__

        typer.echo(f"panelist {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
    debug: bool = typer.Option(False, "--debug", help="Show the whole traceback of an error (any command)."),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 a check failed, 2 the input cannot be used, 130 interrupted."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    args = [argument for argument in args if argument != "--debug"]
    remember(args)
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format="%(levelname)s %(message)s")
    try:
        sys.exit(app(args=args, prog_name="panelist", standalone_mode=False))
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
    except OSError as error:  # a directory that cannot be written, a full disk: a traceback would not help
        if debug:
            raise
        name = "" if error.filename is None else f" '{error.filename}'"
        sys.stderr.write(f"error: cannot use{name}: {error.strerror or error}\n")
        sys.exit(2)
