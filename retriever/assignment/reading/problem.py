"""From files to records and to a problem: errors of records are told with the file and the line they are from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from panelist.corpus.systems.columns import BID_WORDS
from panelist.errors import InputError
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, BIDS, RecordError, Records, ScoreTable
from retriever.assignment.options import AssignOptions, OptionError
from retriever.assignment.problem import Problem
from retriever.assignment.reading.scores import conflicts_among_bids, read_scores
from retriever.assignment.reading.tables import (
    FORBIDDEN,
    LOCKED,
    read_assignment,
    read_caps,
    read_constraints,
    read_demands,
    read_people,
    read_quotas,
    read_rows,
)
from retriever.conference.conflicts.table import ConflictTable, conflicts_beside, read_table

_READERS: dict[str, Callable[[Path], Any]] = {
    "people": read_people,
    "quotas": read_quotas,
    "demands": read_demands,
    "existing": read_assignment,
    "caps": read_caps,
}
_KINDS = {"bids": "bid", "constraints": "constraint", "existing": "score", "quotas": "max"}
"""The last column of each file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The files that a problem is read from.

    Attributes:
        scores: OpenReview's `paper,reviewer,score` without header; several are added up, each under its name without
            ending (a single file is `affinity`). Or scores that were computed.
        bids: `paper,reviewer,bid`.
        constraints: `paper,reviewer,-1|0|1`.
        quotas: `reviewer,max[,min]`.
        demands: `paper,demand[,role]`.
        people: with a header: `reviewer,seniority,institution,country,role,authored`.
        existing: `paper,reviewer[,score]`.
        caps: `paper,reviewer,cap`.
        conflicts: the conflict table, or its file; None: those beside the scores, where there are any.
    """

    scores: Sequence[Path] | ScoreTable
    bids: Path | None = None
    constraints: Path | None = None
    quotas: Path | None = None
    demands: Path | None = None
    people: Path | None = None
    existing: Path | None = None
    caps: Path | None = None
    conflicts: ConflictTable | Path | None = None

    @property
    def tables_beside(self) -> tuple[Path, ...]:
        """The conflict tables that lie beside the scores, where none is given."""
        paths = () if self.conflicts is not None or isinstance(self.scores, ScoreTable) else self.scores
        return tuple(path for path in map(conflicts_beside, paths) if path.exists())


def read_records(sources: Sources) -> Records:
    """The records of files."""
    if isinstance(sources.scores, ScoreTable):
        scores = {AFFINITY: sources.scores}
    else:
        is_single = len(sources.scores) == 1
        scores = {AFFINITY if is_single else path.name.split(".")[0]: read_scores(path) for path in sources.scores}
        if len(scores) < len(sources.scores):
            raise InputError(f"files of scores need names of their own, received {', '.join(map(str, sources.scores))}")
    if sources.bids is not None:
        scores[BIDS] = read_scores(sources.bids, BID_WORDS)
    constraints = {} if sources.constraints is None else read_constraints(sources.constraints)
    bid_conflicts = [] if sources.bids is None else conflicts_among_bids(sources.bids)
    paths = ((name, getattr(sources, name)) for name in _READERS)
    return Records(
        scores=scores,
        conflicts=read_conflicts(sources),
        forbidden=[*(pair for pair, value in constraints.items() if value == FORBIDDEN), *bid_conflicts],
        locked=[pair for pair, value in constraints.items() if value == LOCKED],
        **{name: _READERS[name](path) for name, path in paths if path is not None},
    )


def read_problem(sources: Sources, options: AssignOptions | None = None) -> Problem:
    """An assignment problem from files.

    Raises:
        InputError: something is unknown, twice, out of range or contradictory; with file and line.
        OptionError: an option does not fit the files.
    """
    records = read_records(sources)
    try:
        problem = make_problem(records, options)
    except RecordError as error:
        raise _with_line(error, sources) from error
    notes = [f"conflicts of interest are those of {path.name}, beside the scores" for path in sources.tables_beside]
    return replace(problem, notes=(*notes, *problem.notes))


def read_conflicts(sources: Sources) -> ConflictTable | None:
    """The conflicts: of the table that was given, else of the one beside the scores; None where there is none."""
    if isinstance(sources.conflicts, ConflictTable):
        return sources.conflicts
    paths = (sources.conflicts,) if sources.conflicts is not None else sources.tables_beside
    tables = [read_table(path) for path in paths]
    if any(table != tables[0] for table in tables):
        raise OptionError(f"there are several conflict tables, {', '.join(map(str, paths))}: give one as `conflicts`")
    return tables[0] if tables else None


def _with_line(error: RecordError, sources: Sources) -> InputError:
    """The error with the file and the line that the record is from."""
    name = "constraints" if error.name in ("locked", "forbidden") else error.name
    path = getattr(sources, name)
    if path is None:
        return InputError(error.why)
    # The key as it stands at the beginning of a line; a demand's role comes after its number.
    key = (error.key[0], "", error.key[1]) if name == "demands" else error.key
    for line, row in read_rows(path, _KINDS.get(name, "")) if any(key) else ():
        if all(value in ("", field.strip()) for value, field in zip(key, row, strict=False)):
            return InputError(f"{path}, line {line:,}: {error.why}")
    return InputError(f"'{path}': {error.why}")
