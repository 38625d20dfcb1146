"""Solutions as pages show them, in slices and side by side; and as files for programs, systems and people."""

import io
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from msgspec import Struct

from eval.runs import Run
from eval.trec import run_lines
from panelist.app.desk.conference.assignment.solutions import (
    CSV,
    Pairs,
    directory_of,
    read_pairs,
    read_solution,
    scores_changed,
)
from panelist.app.desk.conference.assignment.solving import ALTERNATES, MARGINALS, OPENREVIEW, REPORT, solve
from panelist.app.desk.conference.files import load_grades
from panelist.app.desk.conference.staging import SOLVING
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView, Labels, Look, ShownConflict, Slice
from panelist.app.desk.errors import NotFoundError
from panelist.app.formats.systems import for_system
from panelist.errors import InputError
from panelist.progress import silent
from panelist.records import Confidence
from panelist.spreadsheet import table_text
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.summary import compare
from retriever.assignment.explain.why import Explanation, explain_pair

Order = Literal["paper", "reviewer", "score"]
_ORDERS: dict[str, Callable[[AssignedPair], Any]] = {
    "reviewer": lambda pair: (pair.reviewer, pair.paper),
    "score": lambda pair: (pair.score, pair.paper),
}
_LISTED = 200  # pairs of a comparison; the files have all
_PEOPLE, _RUN = "assignment-for-people.csv", "assignment.run"
_BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


class AssignedRow(Struct, frozen=True):
    """A pair of a solution with its conflict, how sure its score is, and what was changed about it by hand."""

    pair: AssignedPair
    title: str
    name: str
    confidence: Confidence | None
    hand: int | None  # 1 for locked, -1 for forbidden, 0 for free; None: nothing was changed
    conflict: ShownConflict | None


def pair_slice(view: ConferenceView, number: int, look: Look) -> Slice[AssignedRow]:
    """Some pairs of a solution."""
    pairs, labels = cached_pairs(view.stored, number).pairs, view.labels
    if look.sort in _ORDERS:  # else as they are kept: by paper, role and score
        pairs = sorted(pairs, key=_ORDERS[look.sort])
    shown = look.at(
        pairs, lambda pair: (pair.paper, pair.reviewer, labels.paper(pair.paper), labels.person(pair.reviewer))
    )
    rows = []
    for pair, grade in zip(shown.rows, grades_of(view.stored, number, shown.rows), strict=True):
        key = pair.paper, pair.reviewer
        title, name = labels.paper(pair.paper), labels.person(pair.reviewer)
        rows.append(AssignedRow(pair, title, name, grade, view.manual.pairs.get(key), view.conflict(*key)))
    return Slice(shown.total, rows)


def grades_of(conference: StoredConference, number: int, pairs: Sequence[AssignedPair]) -> list[Confidence | None]:
    """How sure the scores of a solution's pairs are; None where that is not known, or the scores have changed since."""
    if scores_changed(conference, read_solution(conference, number)):
        return [None for _ in pairs]
    return load_grades(conference, ((pair.paper, pair.reviewer) for pair in pairs))


def side_by_side(conference: StoredConference, labels: Labels, first: int, second: int) -> dict[str, Any]:
    """What two solutions share, and what changed from the first to the second."""
    before, after = (
        {(pair.paper, pair.reviewer): pair.score for pair in cached_pairs(conference, number).pairs}
        for number in (first, second)
    )
    both = compare(before, after)
    return {
        "common": both.common,
        "changed_papers": len(both.changed_papers),
        "gone": [[labels.paper(paper), labels.person(who)] for paper, who in both.only_first[:_LISTED]],
        "new": [[labels.paper(paper), labels.person(who)] for paper, who in both.only_second[:_LISTED]],
        "gone_total": len(both.only_first),
        "new_total": len(both.only_second),
    }


def why(conference: StoredConference, number: int, paper: str, reviewer: str) -> Explanation:
    """Why a solution has a pair or has it not. The solution is made again for it, and kept for further questions."""
    solution = read_solution(conference, number)
    if solution.state != "done":
        raise InputError(f"solution {number} is {solution.state}: there is nothing to explain")
    if scores_changed(conference, solution):
        raise InputError(f"the scores have changed since solution {number} was made: assign again, then ask")
    return explain_pair(_made_again(conference, number, solution.scores), paper, reviewer)


def cached_pairs(conference: StoredConference, number: int) -> Pairs:
    """The pairs of a solution; read once as long as it is looked at."""
    read_solution(conference, number)
    return _pairs(conference, number, directory_of(conference, number).stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _pairs(conference: StoredConference, number: int, changed: int) -> Pairs:
    return read_pairs(conference, number)


@lru_cache(maxsize=1)
def _made_again(conference: StoredConference, number: int, scores: str) -> Assignment:
    return solve(conference, read_solution(conference, number), silent)


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
    """A solution in this form."""
    conference = view.stored
    match form:
        case "people":
            return _for_people(view, number).encode()
        case "run":
            return _as_run(read_pairs(conference, number)).encode()
        case "easychair" | "cmt" | "hotcrp":
            pairs = ((pair.paper, pair.reviewer, pair.score) for pair in read_pairs(conference, number).pairs)
            return for_system(form, "assignment", pairs, view.labels.names)
        case "zip":
            return _archive(view, number)
    try:
        content = (directory_of(conference, number) / NAMES[form]).read_bytes()
        return view.labels.in_page(content.decode()).encode() if form == "report" else content
    except FileNotFoundError:
        why = "it was not drawn" if form == "marginals" else "it is not made, or not there any more"
        raise NotFoundError(f"solution {number} has no {NAMES[form]}: {why}") from None


def _for_people(view: ConferenceView, number: int) -> str:
    """A table that a spreadsheet opens: nothing in it is taken for a formula, and it says that it is UTF-8."""
    pairs, labels = read_pairs(view.stored, number).pairs, view.labels
    header = ("paper", "title", "reviewer", "name", "role", "score", "confidence", "probability", "conflict", "remark")
    rows = []
    for pair, grade in zip(pairs, grades_of(view.stored, number, pairs), strict=True):
        title, name = labels.titles.get(pair.paper, ""), labels.names.get(pair.reviewer, "")
        figures = (pair.role, pair.score, grade, pair.probability)
        rows.append((pair.paper, title, pair.reviewer, name, *figures, _conflict(view, pair), _remark(pair)))
    return _BOM + table_text(header, rows)


def _conflict(view: ConferenceView, pair: AssignedPair) -> str:
    """The conflict of a pair in words; empty where there is none."""
    conflict = view.conflicts.of(pair.paper, pair.reviewer)
    if conflict is None:
        return ""
    decision = conflict.decision
    decided = "" if decision is None else f", {decision.verdict} by {decision.by or 'somebody'}"
    return f"{'certain' if conflict.certain else 'possible'}{decided}: {conflict.evidence}"


def _as_run(pairs: Pairs) -> str:
    """A TREC run: the reviewers of each paper, the best first; a run has no quotation marks, so an id is one word."""
    rankings: dict[str, list[tuple[str, float]]] = {}
    for pair in pairs.pairs:
        paper, reviewer = ("%20".join(name.split()) for name in (pair.paper, pair.reviewer))
        rankings.setdefault(paper, []).append((reviewer, pair.score))
    best_first = {paper: sorted(ranking, key=lambda pair: -pair[1]) for paper, ranking in rankings.items()}
    return "".join(run_lines(Run.of_lists(best_first, "panelist")))


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
