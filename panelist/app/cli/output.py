"""How commands speak: results to stdout, everything about progress to stderr, and that only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import orjson
import typer

from panelist.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from panelist.progress import Progress as ProgressCallback


def print_json(value: Any) -> None:
    """Print records, arrays and plain values as JSON on stdout."""
    from msgspec.structs import asdict

    options = orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY
    typer.echo(orjson.dumps(value, default=asdict, option=options).decode())


def warn(line: str) -> None:
    """Say on stderr what the user should know."""
    typer.echo(f"WARNING {line}", err=True)


def agree(estimate: str, yes: bool) -> None:
    """Ask before anything is sent that costs money or is confidential; where nobody can be asked, `yes` must be given.

    Raises:
        InputError: nobody can be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError(f"{estimate}: give --yes to go on")
    typer.confirm(f"{estimate}. Go on?", abort=True, err=True)


def console() -> Console:
    """The console for results. Names and titles are shown without the control characters that they may contain."""
    from rich.console import Console
    from rich.segment import Segment

    from panelist.words import printable

    class PlainConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    return PlainConsole(highlight=False)


@contextmanager
def progress(unit: str = "papers") -> Iterator[Progress]:
    """A progress display on stderr with count, rate and time left; silent where stderr is not a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f} {unit}/s")

    screen = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True) as display:
        yield display


@contextmanager
def show_progress(unit: str = "papers") -> Iterator[ProgressCallback]:
    """Progress that shows one line per stage of a job; a total of 0 is one that nobody knows."""
    with progress(unit) as display:
        stages: dict[str, TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = display.add_task(stage, total=total or None, completed=0)
            display.update(stages[stage], completed=done, total=total or None)

        yield show
