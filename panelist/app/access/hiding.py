"""A conference without some of its papers: a copy of its files from which they were taken out.

Whatever is shown, counted, solved or exported is made of the files. So a copy that never held a paper cannot tell
anything of it, whichever route is asked: reviewers, scores, loads, alternates, figures. Only titles are kept.
"""

import os
import shutil
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import msgspec
import orjson
from msgspec import structs

from panelist.app.confined.calibration import CalibrationIn
from panelist.app.desk.conference.assignment import inputs, solutions, solving
from panelist.app.desk.conference.assignment.manual import ACTIONS, UNDO, named_in
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.files import (
    FILE_NAMES,
    HIDDEN,
    RECORDS,
    SUBMISSIONS,
    fingerprint,
    load_submissions,
    read_records,
    submission_line,
    write_records,
)
from panelist.app.desk.conference.reviewing import calibrating, intake
from panelist.app.desk.conference.scoring import inputs_of, read_score_record
from panelist.app.desk.conference.staging import SCORING, SOLVING, scratch
from panelist.app.desk.conference.store import StoredConference
from panelist.corpus.readers.rows import open_rows
from panelist.errors import InputError
from panelist.progress import silent
from panelist.spreadsheet import csv_text
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import BIDS, Records
from retriever.assignment.feasibility import InfeasibleError
from retriever.assignment.reading.tables import COLUMNS, read_rows, read_table
from retriever.assignment.solve import assign
from retriever.conference.conflicts.table import ConflictTable

_COPY = ".without-"
_WHOLE = ("committee.txt", "profiles.jsonl", "quotas.csv", "conflict_rules.json", "chosen", SCORING)
"""Files that say nothing of any paper."""
_ROWS = {"scores": "score", "confidence": "score", "constraints": "constraint", "bids": "bid", "demands": "demand"}
"""Files with a paper in each row, and the last column of Panelist's own form."""
_PLAIN = ("created", "renamed", "rules", "chose", "discarded", "forgot", "appointed")
"""Events whose words count no papers."""
_BY_HAND = (*ACTIONS, UNDO)
_SAID = "without the papers with which you have a conflict of interest"
_lock = threading.Lock()


def without(conference: StoredConference, hidden: frozenset[str], titles: frozenset[str]) -> StoredConference:
    """The conference without these papers, of which those in `titles` are still listed by their titles.

    The copy is made once for each state of the files, beside them: it goes with the conference.
    """
    if not hidden:
        return conference
    state = [sorted(hidden), sorted(titles), *_state(conference.path)]
    target = conference.path / (_COPY + blake2b(orjson.dumps(state), digest_size=12).hexdigest())
    with _lock:
        if not target.exists():
            with scratch(conference.path) as folder:
                _Copy(conference, replace(conference, path=folder), hidden, titles).make()
                older = sorted(conference.path.glob(f"{_COPY}*"), key=lambda one: one.stat().st_mtime)
                folder.rename(target)
            for one in older[:-4]:  # whoever reads one now has had its time
                shutil.rmtree(one, ignore_errors=True)
    return replace(conference, path=target)


def events_without(events: Iterable[Event], hidden: frozenset[str]) -> tuple[Event, ...]:
    """The events that name none of these papers; what they count is left out."""
    events = tuple(events)
    if not hidden:
        return events
    shown = (event for event in events if hidden.isdisjoint(_names(event, events)))
    return tuple(event if event.kind in (*_BY_HAND, *_PLAIN) else replace(event, detail={}) for event in shown)


def table_without(table: ConflictTable, hidden: frozenset[str]) -> ConflictTable:
    """The conflicts of the other papers."""
    return ConflictTable((one for one in table if one.submission not in hidden), table.header) if hidden else table


def _names(event: Event, events: tuple[Event, ...]) -> set[str]:
    """The papers that an event is about, and more: what is left of one about a forgotten person names them in words."""
    words = str(event.detail.get("words", "")).split()
    named = named_in(event.detail, events) if event.kind in _BY_HAND else set()
    return named.union(words, (word.rstrip(",:;.)") for word in words))


def _state(path: Path) -> list[tuple[str, int, int]]:
    state = []
    for file in path.rglob("*"):
        with suppress(FileNotFoundError):  # a part of a file that a job writes is gone when it is whole
            if not file.relative_to(path).parts[0].startswith("."):
                seen = file.stat()
                state.append((str(file), seen.st_mtime_ns, seen.st_size))
    return sorted(state)


class _Copy:
    def __init__(
        self, real: StoredConference, copy: StoredConference, hidden: frozenset[str], titles: frozenset[str]
    ) -> None:
        self._real, self._copy, self._hidden, self._titles = real, copy, hidden, titles

    def make(self) -> None:
        source, target = self._real.path, self._copy.path
        for name in _WHOLE:
            if (source / name).exists():
                os.link(source / name, target / name)
        papers = load_submissions(self._real)
        titles = {one.id: one.title for one in papers if one.id in self._titles and one.title}
        (target / HIDDEN).write_bytes(orjson.dumps({one: one for one in sorted(self._titles)} | titles))
        if others := [submission_line(one) for one in papers if one.id not in self._hidden]:
            (target / SUBMISSIONS).write_bytes(b"".join(others))
        for kind, column in _ROWS.items():
            if (path := source / f"{kind}.csv").exists():
                self._write(
                    path.name, [row for _, row in read_rows(path, column) if row[0].strip() not in self._hidden]
                )
        if not (target / inputs.SCORES).exists():  # no paper is left, so that there is no assignment either
            (target / "chosen").unlink(missing_ok=True)
        self._people()
        records = {
            kind: structs.replace(one, odd=(), summary=_SAID, bytes=path.stat().st_size, digest=fingerprint(path))
            for kind, one in read_records(self._real).items()
            if (path := target / FILE_NAMES[kind][0]).exists()
        }
        write_records(target / RECORDS, records)
        if record := read_score_record(self._real):
            own = [pair for pair in record.own_papers if pair[0] not in self._hidden]
            of = inputs_of(self._copy) if record.inputs == inputs_of(self._real) else {}
            shown = structs.replace(record, own_papers=own, inputs=of)
            (target / "scores.json").write_bytes(msgspec.json.encode(shown))
        self._reviews()
        for solution in solutions.read_solutions(self._real):
            self._solution(solution)

    def _write(self, name: str, rows: list[list[str]]) -> None:
        if rows:
            (self._copy.path / name).write_text(csv_text(rows), encoding="utf-8")

    def _people(self) -> None:
        path = self._real.path / "reviewers.csv"
        if path.exists():
            people = [row for _, row in read_table(path, COLUMNS)]
            for row in people:
                written = row.get("authored", "").replace(";", " ").split()
                row["authored"] = " ".join(one for one in written if one not in self._hidden)
            columns = list(people[0]) if people else ["reviewer"]
            self._write(path.name, [columns, *([row[name] for name in columns] for row in people)])

    def _reviews(self) -> None:
        """Reviews and what they were calibrated to; texts can be checked again, of the copy."""
        kept = {}
        for kind, record in intake.read_all(self._real).items():
            with open_rows(self._real.path / intake.FILES[kind]) as rows:
                header, *lines = [row for _, row in rows.filled()]
            shown = [
                (line, row) for line, row in zip(lines, record.rows, strict=False) if row.paper not in self._hidden
            ]
            if shown and len(lines) == len(record.rows):  # else it cannot be told which line is of which paper
                self._write(intake.FILES[kind], [header, *(line for line, _ in shown)])
                numbered = [structs.replace(row, line=at) for at, (_, row) in enumerate(shown, 2)]
                kept[kind] = structs.replace(record, rows=numbered)
        (self._copy.path / intake.RECORDS).write_bytes(msgspec.json.encode(kept))
        made = calibrating.read(self._real)
        if made is not None and kept:
            settings = CalibrationIn(**made["settings"] | {"covariates": tuple(made["settings"]["covariates"])})
            with suppress(InputError):  # too few scores are left
                answer = calibrating.calibrated(self._copy, settings)
                (self._copy.path / calibrating.RESULT).write_bytes(orjson.dumps(answer))

    def _solution(self, solution: solutions.Solution) -> None:
        """The other pairs, with figures, alternates and files as if they were everything."""
        number, real = solution.number, solutions.directory_of(self._real, solution.number)
        folder = solutions.directory_of(self._copy, number)
        folder.mkdir(parents=True)
        if (real / SOLVING).exists():
            os.link(real / SOLVING, folder / SOLVING)
        same = not solutions.scores_changed(self._real, solution)
        scores = fingerprint(self._copy.path / inputs.SCORES) if same else ""
        why = None if solution.error is None else "there is none: another chair sees why"
        shown = structs.replace(solution, scores=scores, error=why, cut=None, cures=[], summary=None, plots=None)
        if solution.state != "done":
            solutions.save(self._copy, shown)
            return
        pairs = [one for one in solutions.read_pairs(self._real, number).pairs if one.paper not in self._hidden]
        try:
            inputs.save_records(self._copy, folder / solutions.INPUT, self._records(real / solutions.INPUT))
            given = inputs.saved_records(self._copy, folder / solutions.INPUT)
            held = replace(given, locked=[(one.paper, one.reviewer) for one in pairs], existing=(), forbidden=())
            options = replace(solutions.settings_of(solution).options(), keep=False, allow_short=True)
            made = assign(make_problem(held, options), progress=silent)
        except (InputError, InfeasibleError):  # pairs that today's scores do not have
            solutions.save_pairs(self._copy, number, solutions.Pairs(pairs, []))
            solutions.save(self._copy, shown)
        else:
            solving.write_files(self._copy, shown, made, pairs)

    def _records(self, folder: Path) -> Records:
        hidden, records = self._hidden, inputs.saved_records(self._real, folder)
        bids = (self._copy.path / f"{BIDS}.csv").exists()
        people = {
            who: replace(one, authored=tuple(paper for paper in one.authored if paper not in hidden))
            for who, one in (records.people or {}).items()
        }
        return replace(
            records,
            scores={name: table for name, table in records.scores.items() if name != BIDS or bids},
            people=None if records.people is None else people,
            conflicts=table_without(records.conflicts or ConflictTable(), hidden),
            forbidden=[pair for pair in records.forbidden if pair[0] not in hidden],
            locked=[pair for pair in records.locked if pair[0] not in hidden],
            demands={pair: count for pair, count in records.demands.items() if pair[0] not in hidden},
            existing=[pair for pair in records.existing if pair[0] not in hidden],
        )
