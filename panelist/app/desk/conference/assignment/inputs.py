"""What the solver gets: the conference's files with the changes by hand in them, kept beside each solution."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from panelist.app.desk.conference.assignment.hand import FORBIDDEN, FREE, LOCKED, Hand
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.files import FOUND, read_found
from panelist.errors import InputError
from retriever.assignment.problem import Problem
from retriever.assignment.reading.lines import read_fields
from retriever.assignment.reading.problem import Sources, read_problem
from retriever.conference.conflicts.table import ConflictTable

SCORES = "scores.csv"


def scores_file(conference: Path) -> Path:
    """The scores.

    Raises:
        InputError: there are none yet.
    """
    path = conference / SCORES
    if not path.exists():
        raise InputError("this conference has no scores yet: compute or upload them first")
    return path


def write_inputs(conference: Path, folder: Path, settings: ConferenceSettings, hand: Hand, base: Path | None) -> None:
    """Write the files that a solution is made from, all but the scores.

    Args:
        conference: where its files are.
        folder: where they go.
        settings: raise quotas and lower demands.
        hand: what was changed by hand.
        base: the assignment of which as much as possible is kept.

    Raises:
        InputError: what was changed by hand contradicts the conference's conflicts.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("reviewers.csv", "bids.csv", FOUND):
        if (conference / name).exists():
            shutil.copyfile(conference / name, folder / name)
    for one in read_found(folder):
        if one.certain and hand.pairs.get((one.submission, one.reviewer)) == LOCKED:
            raise _waived(one.submission, one.reviewer)
    _write(folder / "constraints.csv", _constraints(conference / "constraints.csv", hand))
    _write(folder / "quotas.csv", _quotas(conference / "quotas.csv", hand, settings.quota_floor))
    _write(folder / "demands.csv", _demands(conference / "demands.csv", hand, settings.demand_ceiling))
    if base is not None:
        shutil.copyfile(base, folder / "existing.csv")


def read_inputs(conference: Path, folder: Path, settings: ConferenceSettings) -> Problem:
    """The problem that those files are.

    Raises:
        InputError: they do not fit each other; the line says the file and its line.
    """

    def file(name: str) -> Path | None:
        path = folder / f"{name}.csv"
        return path if path.exists() else None

    bids, existing = file("bids"), file("existing")
    sources = Sources(
        scores=[scores_file(conference)],
        constraints=file("constraints"),
        quotas=file("quotas"),
        demands=file("demands"),
        people=file("reviewers"),
        bids=bids,
        existing=existing,
        conflicts=ConflictTable.grouped(read_found(folder)) if (folder / FOUND).exists() else None,
    )
    options = replace(settings.options(), keep=existing is not None)
    try:
        return read_problem(sources, options if bids is not None else replace(options, weights={}))
    except InputError as error:
        raise InputError(str(error).replace(f"{folder}/", "").replace(f"{conference}/", "")) from error


def without_line(error: InputError) -> str:
    """What is wrong, without the line of a file that the chair has never seen."""
    return re.sub(r"^\S+\.csv, line [\d,]+: ", "", str(error))


def _constraints(file: Path, hand: Hand) -> Iterable[Sequence[str]]:
    kept = []
    for _, (paper, reviewer, value) in _lines(file, ("paper", "reviewer", "constraint")):
        mine = hand.pairs.get((paper, reviewer))
        if mine in (LOCKED, FREE) and float(value) == FORBIDDEN:
            raise _waived(paper, reviewer)
        if mine is None or float(value) == FORBIDDEN:
            kept.append((paper, reviewer, value))
    known = {(paper, reviewer) for paper, reviewer, _ in kept}
    return kept + [(*pair, str(value)) for pair, value in hand.pairs.items() if value != FREE and pair not in known]


def _waived(paper: str, reviewer: str) -> InputError:
    return InputError(f"{reviewer} has a conflict of interest with {paper}: a conflict cannot be waived")


def _quotas(file: Path, hand: Hand, floor: int) -> Iterable[Sequence[str]]:
    lines = {
        reviewer: [str(max(int(float(most)), floor)) if float(most) > 0 else most, *least]
        for _, (reviewer, most, *least) in _lines(file, ("reviewer", "max", "min"), 1)
    }
    for reviewer, most in hand.quotas.items():
        least = [str(min(int(float(one)), most)) for one in lines.get(reviewer, [])[1:]]
        lines[reviewer] = [str(most), *least]
    return [(reviewer, *numbers) for reviewer, numbers in lines.items()]


def _demands(file: Path, hand: Hand, ceiling: int) -> Iterable[Sequence[str]]:
    kept = [
        (paper, str(min(int(float(demand)), ceiling)), *role)
        for _, (paper, demand, *role) in _lines(file, ("paper", "demand", "role"), 1)
        if role or paper not in hand.demands
    ]
    return kept + [(paper, str(demand)) for paper, demand in hand.demands.items()]


def _lines(file: Path, columns: Sequence[str], optional: int = 0) -> Iterable[tuple[int, list[str]]]:
    return read_fields(file, columns, optional) if file.exists() else ()


def _write(path: Path, rows: Iterable[Sequence[str]]) -> None:
    lines = list(rows)
    if lines:
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
