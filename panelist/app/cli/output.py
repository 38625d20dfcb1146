"""How commands speak: results to stdout, everything about progress to stderr, and that only on a terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import orjson
import typer
from msgspec.structs import asdict

from panelist.app.cli.options import JsonOption
from panelist.errors import InputError
from panelist.progress import Progress
from panelist.words import printable

if TYPE_CHECKING:
    from rich.console import Console

    from eval.reports.table import Table
    from indexing.index import Index

command_words: ContextVar[tuple[str, ...]] = ContextVar("command_words", default=())
"""The command as the user typed it, for reports that say how they were made."""


def origin(data: Iterable[Path], index: Index | None = None) -> dict[str, str]:
    """Describe how a report was made: by this command, from this data."""
    from eval.reports.page import provenance

    return provenance(shlex.join(["panelist", *command_words.get()]), data, index)


def print_json(value: Any) -> None:
    """Print records, arrays and plain values as JSON on stdout."""
    typer.echo(orjson.dumps(value, default=_fields, option=orjson.OPT_INDENT_2 | orjson.OPT_SERIALIZE_NUMPY).decode())


def _fields(record: Any) -> dict[str, Any]:
    """Return the fields of a record; e-mail addresses of people and lineages of institutions serve conflicts only."""
    return {name: value for name, value in asdict(record).items() if name not in ("email", "lineage")}


def say(line: str) -> None:
    """Print a line of a result on stdout."""
    typer.echo(printable(line))


@dataclass(frozen=True)
class AnswerFormat:
    """How the answer of a command is printed; commands that return an `Answer` have these options."""

    json: JsonOption = False

    def print(self, answer: Answer) -> None:
        """Print the value as JSON, or what people see; exit with the code of the answer."""
        if self.json:
            print_json(answer.value)
        else:
            self.print_for_people(answer)
        if answer.code:
            raise typer.Exit(answer.code)

    def print_for_people(self, answer: Answer) -> None:
        """Print one part after the other: lines, tables, and what else Rich renders."""
        from eval.reports.table import Table

        for table in answer.parts:
            if isinstance(table, str):
                typer.echo(printable(table), err=isinstance(table, Aside))
            elif isinstance(table, Table):
                print_table(table)
            else:
                console().print(table)


class Aside(str):
    """A line about an answer, which is said on stderr."""

    __slots__ = ()


@dataclass(frozen=True)
class Answer:
    """What a command found: a value for programs, parts that are printed for people, and the exit code."""

    value: Any
    parts: Iterable[Any] = ()
    code: int = 0
    format: ClassVar[type[AnswerFormat]] = AnswerFormat


def shorten(entries: Sequence[str], limit: int = 10) -> str:
    """Join the first entries, and say how many more there are."""
    remainder = f", and {len(entries) - limit:,} more (--json lists all)" if len(entries) > limit else ""
    return f"{', '.join(entries[:limit])}{remainder}"


def note(line: str) -> None:
    """Say on stderr what happens."""
    typer.echo(line, err=True)


def warn(line: str) -> None:
    """Say on stderr what the user should know."""
    note(printable(f"WARNING {line}"))


def agree(estimate: str, yes: bool) -> None:
    """Ask before anything is sent that costs money or is confidential; where nobody can be, `yes` must be given."""
    if not (yes or sys.stdin.isatty()):
        raise InputError(f"{estimate}: give --yes to go on")
    if not yes:
        typer.confirm(f"{estimate}. Go on?", abort=True, err=True)


def console() -> Console:
    """Open the console for tables. Names and titles are shown as they are, but for the control characters in them."""
    from rich.console import Console
    from rich.segment import Segment

    class PlainConsole(Console):
        def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(printable(segment.text), segment.style)

    return PlainConsole(highlight=False, markup=False, emoji=False)


def first_rows(table: Table, limit: int) -> Table:
    """Take the first rows of a table, and say in the title how many of them these are."""
    rows = table.rows[:limit]
    return replace(table, title=f"{len(rows):,} of {len(table.rows):,} {table.title}", rows=rows)


def print_table(table: Table) -> None:
    """Print a table: words to the left, figures to the right. Where the screen is narrow, figures never fold."""
    from rich import box
    from rich.table import Table as Screen

    rows = table.cells()
    screen_table = Screen(
        title=table.title, caption=table.note or None, box=box.SIMPLE_HEAD, title_justify="left", padding=(0, 1, 0, 0)
    )
    for number, (column, words) in enumerate(zip(table.columns, table.has_words, strict=True)):
        left = words or not number
        widest = 1 if left else max((len(row[number]) for row in rows), default=1)
        screen_table.add_column(column.name, justify="left" if left else "right", overflow="fold", min_width=widest)
    for row in rows:
        screen_table.add_row(*row)
    screen = console()
    if not screen.is_terminal:  # a file or a pipe has no width to fit
        screen.width = 200
    screen.print(screen_table)


@contextmanager
def show_progress(unit: str = "papers") -> Iterator[Progress]:
    """Show progress on stderr, by stage, with count, rate and time left; silent where stderr is not a terminal.

    A total of 0 is one that nobody knows.
    """
    from rich import progress as rich
    from rich.console import Console
    from rich.text import Text

    class Rate(rich.ProgressColumn):
        def render(self, task: rich.Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.0f} {unit}/s")

    screen = Console(stderr=True)
    bar = (rich.BarColumn(), rich.MofNCompleteColumn(), Rate(), rich.TimeRemainingColumn())
    columns = (rich.TextColumn("{task.description}"), *bar)
    with rich.Progress(*columns, console=screen, disable=not screen.is_terminal, transient=True) as display:
        stages: dict[str, rich.TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = display.add_task(stage, total=total or None, completed=0)
            display.update(stages[stage], completed=done, total=total or None)

        yield show
