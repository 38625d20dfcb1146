"""A solution as files: for OpenReview and other programs, for people, and all of it in one archive."""

from __future__ import annotations

import io
from typing import Literal
from zipfile import ZIP_DEFLATED, ZipFile

from eval.runs import Run
from eval.trec import run_lines
from panelist.app.desk.conference.assignment.solutions import CSV, Pairs, directory_of, read_pairs
from panelist.app.desk.conference.assignment.solving import ALTERNATES, MARGINALS, OPENREVIEW, REPORT
from panelist.app.desk.conference.assignment.viewing import grades_of
from panelist.app.desk.conference.jobs import SOLVING
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.errors import NotKeptError
from panelist.app.formats.systems import for_system
from panelist.spreadsheet import write_table
from retriever.assignment.assignment import AssignedPair

_PEOPLE, _RUN = "assignment-for-people.csv", "assignment.run"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


Form = Literal[
    "csv", "openreview", "easychair", "cmt", "hotcrp", "people", "run", "alternates", "marginals", "report", "zip"
]
NAMES: dict[Form, str] = {
    "csv": CSV,
    "openreview": OPENREVIEW,
    "easychair": "assignment-easychair.csv",
    "cmt": "assignment-cmt.xml",
    "hotcrp": "assignment-hotcrp.csv",
    "people": _PEOPLE,
    "run": _RUN,
    "alternates": ALTERNATES,
    "marginals": MARGINALS,
    "report": REPORT,
    "zip": "assignment.zip",
}
"""What a solution can be taken away as, and the name of each file."""


def export(view: ConferenceView, number: int, form: Form) -> bytes:
    """A solution in this form.

    Raises:
        InputError: the system knows people by another kind of id.
    """
    conference = view.stored
    match form:
        case "people":
            return _for_people(view, number).encode()
        case "run":
            return _as_run(read_pairs(conference, number)).encode()
        case "easychair" | "cmt" | "hotcrp":
            pairs = ((one.paper, one.reviewer, one.score) for one in read_pairs(conference, number).pairs)
            return for_system(form, "assignment", pairs, view.labels.names)
        case "zip":
            return _archive(view, number)
    try:
        content = (directory_of(conference, number) / NAMES[form]).read_bytes()
        return view.labels.in_page(content.decode()).encode() if form == "report" else content
    except FileNotFoundError:
        why = "it was not drawn" if form == "marginals" else "it is not made, or not there any more"
        raise NotKeptError(f"solution {number} has no {NAMES[form]}: {why}") from None


def _for_people(view: ConferenceView, number: int) -> str:
    """A table that a spreadsheet opens: nothing in it is taken for a formula, and it says that it is UTF-8."""
    pairs, labels = read_pairs(view.stored, number).pairs, view.labels
    out = io.StringIO()
    out.write(_BOM)
    header = ("paper", "title", "reviewer", "name", "role", "score", "confidence", "probability", "conflict", "remark")
    rows = (
        (
            one.paper,
            labels.titles.get(one.paper, ""),
            one.reviewer,
            labels.names.get(one.reviewer, ""),
            one.role,
            one.score,
            grade,
            one.probability,
            _conflict(view, one),
            _remark(one),
        )
        for one, grade in zip(pairs, grades_of(view.stored, number, pairs), strict=True)
    )
    write_table(out, header, rows)
    return out.getvalue()


def _conflict(view: ConferenceView, pair: AssignedPair) -> str:
    """The conflict of a pair in words; empty where there is none."""
    conflict = view.conflicts.of(pair.paper, pair.reviewer)
    if conflict is None:
        return ""
    decided = (
        "" if conflict.decision is None else f", {conflict.decision.verdict} by {conflict.decision.by or 'somebody'}"
    )
    return f"{'certain' if conflict.certain else 'possible'}{decided}: {conflict.evidence}"


def _as_run(pairs: Pairs) -> str:
    """A TREC run: the reviewers of each paper, the best first."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for one in pairs.pairs:
        rankings.setdefault(_word(one.paper), []).append((_word(one.reviewer), one.score))
    best_first = {paper: sorted(found, key=lambda pair: -pair[1]) for paper, found in rankings.items()}
    return "".join(run_lines(Run.of_lists(best_first, "panelist")))


def _word(name: str) -> str:
    """An id as one word: a run has no quotation marks."""
    return "%20".join(name.split())


def _remark(pair: AssignedPair) -> str:
    remarks = {"locked": pair.locked, "as before": pair.kept, "no score": not pair.scored}
    conflict = [f"possible conflict: {pair.conflict}"] if pair.conflict else []
    return ", ".join([words for words, holds in remarks.items() if holds] + conflict)


def _archive(view: ConferenceView, number: int) -> bytes:
    """Every form in one file, and what the solver was given."""
    out = io.BytesIO()
    folder = directory_of(view.stored, number)
    read_pairs(view.stored, number)  # refuse a solution that is not made
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        archive.writestr(_PEOPLE, export(view, number, "people"))
        archive.writestr(_RUN, export(view, number, "run"))
        archive.writestr(REPORT, export(view, number, "report"))
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.name.startswith(".") and file.name not in (SOLVING, REPORT):
                archive.write(file, file.relative_to(folder))
    return out.getvalue()
