"""A conference without some of its papers: a copy of its files from which they were taken out.

Whatever is shown, counted, solved or exported is made of the files. So a copy that never had a paper cannot tell
anything of it, whichever route is asked: reviewers, scores, loads, alternates, figures. Only titles remain.
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

from panelist.app.confined.reviews import CalibrationIn
from panelist.app.desk.conference import files
from panelist.app.desk.conference.assignment import inputs, solutions, solving
from panelist.app.desk.conference.assignment.manual import ACTIONS, UNDO, named_in
from panelist.app.desk.conference.audit import Event
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
_SUMMARY = "without the papers with which you have a conflict of interest"
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
                older = sorted(conference.path.glob(f"{_COPY}*"), key=lambda path: path.stat().st_mtime)
                folder.rename(target)
            for path in older[:-4]:  # whoever reads one of them now has had time enough
                shutil.rmtree(path, ignore_errors=True)
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
    return ConflictTable((pair for pair in table if pair.submission not in hidden), table.header) if hidden else table


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
                of = file.stat()
                state.append((str(file), of.st_mtime_ns, of.st_size))
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
        papers = files.load_submissions(self._real)
        titles = {paper.id: paper.title for paper in papers if paper.id in self._titles and paper.title}
        (target / files.HIDDEN).write_bytes(orjson.dumps({paper: paper for paper in sorted(self._titles)} | titles))
        if others := [files.submission_line(paper) for paper in papers if paper.id not in self._hidden]:
            (target / files.SUBMISSIONS).write_bytes(b"".join(others))
        for kind, column in _ROWS.items():
            if (path := source / f"{kind}.csv").exists():
                rows = [row for _, row in read_rows(path, column) if row[0].strip() not in self._hidden]
                self._write(path.name, rows)
        if not (target / inputs.SCORES).exists():  # no paper is left, so that there is no assignment either
            (target / "chosen").unlink(missing_ok=True)
        self._people()
        records = {
            kind: structs.replace(
                file, odd=(), summary=_SUMMARY, bytes=path.stat().st_size, digest=files.fingerprint(path)
            )
            for kind, file in files.read_records(self._real).items()
            if (path := target / files.FILE_NAMES[kind][0]).exists()
        }
        files.write_records(target / files.RECORDS, records)
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
                row["authored"] = " ".join(paper for paper in written if paper not in self._hidden)
            columns = list(people[0]) if people else ["reviewer"]
            self._write(path.name, [columns, *([row[name] for name in columns] for row in people)])

    def _reviews(self) -> None:
        """Reviews and what they were calibrated to; texts can be checked again, of the copy."""
        reviews = {}
        for kind, record in intake.read_all(self._real).items():
            with open_rows(self._real.path / intake.FILES[kind]) as rows:
                header, *lines = [row for _, row in rows.filled()]
            if len(lines) != len(record.rows):  # nobody knows which line is of which paper
                continue
            shown = [both for both in zip(lines, record.rows, strict=True) if both[1].paper not in self._hidden]
            if shown:
                self._write(intake.FILES[kind], [header, *(line for line, _ in shown)])
                numbered = [structs.replace(row, line=at) for at, (_, row) in enumerate(shown, 2)]
                reviews[kind] = structs.replace(record, rows=numbered)
        (self._copy.path / intake.RECORDS).write_bytes(msgspec.json.encode(reviews))
        calibrated = calibrating.read(self._real)
        if calibrated is not None and reviews:
            settings = CalibrationIn(**calibrated["settings"])
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
        scores = files.fingerprint(self._copy.path / inputs.SCORES) if same else ""
        why = None if solution.error is None else "there is none: another chair sees why"
        shown = structs.replace(solution, scores=scores, error=why, cut=None, cures=[], summary=None, plots=None)
        if solution.state != "done":
            solutions.save(self._copy, shown)
            return
        pairs = [pair for pair in solutions.read_pairs(self._real, number).pairs if pair.paper not in self._hidden]
        try:
            inputs.save_records(self._copy, folder / solutions.INPUT, self._records(real / solutions.INPUT))
            records = inputs.saved_records(self._copy, folder / solutions.INPUT)
            locked = replace(records, locked=[(pair.paper, pair.reviewer) for pair in pairs], existing=(), forbidden=())
            options = replace(solutions.settings_of(solution).options(), keep=False, allow_short=True)
            assigned = assign(make_problem(locked, options), progress=silent)
        except (InputError, InfeasibleError):  # pairs that today's scores do not have
            solutions.save_pairs(self._copy, number, solutions.Pairs(pairs, []))
            solutions.save(self._copy, shown)
        else:
            solving.write_files(self._copy, shown, assigned, pairs)

    def _records(self, folder: Path) -> Records:
        hidden, records = self._hidden, inputs.saved_records(self._real, folder)
        bids = (self._copy.path / f"{BIDS}.csv").exists()
        people = {
            who: replace(person, authored=tuple(paper for paper in person.authored if paper not in hidden))
            for who, person in (records.people or {}).items()
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
