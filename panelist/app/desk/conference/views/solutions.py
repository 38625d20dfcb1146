"""Solutions as pages show them, in slices and side by side; and as files for programs, systems and people."""

import io
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

from msgspec import Struct

from eval.runs import Run
from eval.trec import run_lines
from panelist.app.desk.conference import outcomes
from panelist.app.desk.conference.contents import known_addresses
from panelist.app.desk.conference.scores import load_grades
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.conference.view import ConferenceView, Look, ShownConflict, Slice
from panelist.app.desk.errors import NotFoundError
from panelist.app.formats.systems import System, for_system, known_as, known_by, read_contacts
from panelist.errors import InputError
from panelist.records import Confidence
from panelist.spreadsheet import table_text
from panelist.words import Labels, counted, joined
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.summary import compare_pairs
from retriever.assignment.explain.why import Explanation, explain_pair
from retriever.assignment.options import CHAIRS

Order = Literal["paper", "reviewer", "score"]
_ORDERS: dict[str, Callable[[AssignedPair], Any]] = {
    "reviewer": lambda pair: (pair.reviewer, pair.paper),
    "score": lambda pair: (pair.score, pair.paper),
}
_LISTED = 200  # pairs of a comparison; the files have all
_SYSTEMS: Mapping[System, str] = {"easychair": "EasyChair", "cmt": "CMT", "hotcrp": "HotCRP"}
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
    pairs, labels = outcomes.load_pairs(view.stored, number).pairs, view.labels
    if look.sort in _ORDERS:  # else as they are kept: by paper, role and score
        pairs = sorted(pairs, key=_ORDERS[look.sort])
    shown = look.select(
        pairs, lambda pair: (pair.paper, pair.reviewer, labels.paper(pair.paper), labels.person(pair.reviewer))
    )
    rows = []
    for pair, grade in zip(shown.rows, grades_of(view.stored, number, shown.rows), strict=True):
        key = pair.paper, pair.reviewer
        title, name = labels.paper(pair.paper), labels.person(pair.reviewer)
        rows.append(AssignedRow(pair, title, name, grade, view.manual.pairs.get(key), view.conflict(*key)))
    return Slice(shown.total, rows)


def grades_of(conference: Conference, number: int, pairs: Sequence[AssignedPair]) -> list[Confidence | None]:
    """How sure the scores of a solution's pairs are; None where that is not known, or the scores have changed since."""
    if outcomes.scores_changed(conference, number):
        return [None for _ in pairs]
    return load_grades(conference, ((pair.paper, pair.reviewer) for pair in pairs))


class SideBySide(Struct, frozen=True):
    """What two solutions share, and what changed from the first to the second; pairs as titles and names."""

    common: int
    changed_papers: int
    gone: list[tuple[str, str]]
    new: list[tuple[str, str]]
    gone_total: int
    new_total: int


def side_by_side(conference: Conference, labels: Labels, first: int, second: int) -> SideBySide:
    """What two solutions share, and what changed from the first to the second."""
    before, after = (
        {(pair.paper, pair.reviewer): pair.score for pair in outcomes.load_pairs(conference, number).pairs}
        for number in (first, second)
    )
    shared = compare_pairs(before, after)
    gone, new = (
        [(labels.paper(paper), labels.person(person)) for paper, person in pairs[:_LISTED]]
        for pairs in (shared.only_first, shared.only_second)
    )
    return SideBySide(
        shared.common, len(shared.changed_papers), gone, new, len(shared.only_first), len(shared.only_second)
    )


def why_pair(conference: Conference, number: int, paper: str, reviewer: str) -> Explanation:
    """Why a solution has a pair or has it not. The solution is made again for it, and kept for further questions."""
    solution = outcomes.load_solution(conference, number)
    if solution.state != "done":
        raise InputError(f"solution {number} is {solution.state}: there is nothing to explain")
    if outcomes.scores_changed(conference, number):
        raise InputError(f"the scores have changed since solution {number} was made: assign again, then ask")
    return explain_pair(_made_again(conference, number), paper, reviewer)


@remembered("scores", "solution/{}", "solution/{}/records", most=1)
def _made_again(conference: Conference, number: int) -> Assignment:
    return outcomes.solve(conference, number)


Form = Literal[
    "csv", "openreview", "easychair", "cmt", "hotcrp", "people", "run", "alternates", "marginals", "report", "zip"
]
NAMES: dict[Form, str] = {
    "csv": outcomes.CSV,
    "openreview": outcomes.OPENREVIEW,
    "easychair": "assignment-easychair.csv",
    "cmt": "assignment-cmt.xml",
    "hotcrp": "assignment-hotcrp.csv",
    "people": "assignment-for-people.csv",
    "run": "assignment.run",
    "alternates": outcomes.ALTERNATES,
    "marginals": outcomes.MARGINALS,
    "report": outcomes.REPORT,
    "zip": "assignment.zip",
}
"""What a solution can be taken away as, and the name of each file."""


def solution_file(view: ConferenceView, number: int, form: Form, role: str = "") -> bytes:
    """A solution in this form; of one role alone for people and systems."""
    conference = view.stored
    if role and form not in ("people", *_SYSTEMS):
        raise InputError(f"one level is a file for people, {', '.join(_SYSTEMS.values())}: leave out the role")
    match form:
        case "people":
            return _for_people(view, number, role).encode()
        case "run":
            return _as_run(outcomes.load_pairs(conference, number)).encode()
        case "easychair" | "cmt" | "hotcrp":
            return _for_system(view, number, form, role)
        case "zip":
            return _archive(view, number)
    outcomes.load_pairs(conference, number)  # refuse a solution that is not made
    content = outcomes.load_file(conference, number, NAMES[form])
    if content is None:
        reason = "it was not drawn" if form == "marginals" else "it is not made, or not there any more"
        raise NotFoundError(f"solution {number} has no {NAMES[form]}: {reason}")
    return view.labels.in_page(content.decode()).encode() if form == "report" else content


def _of_role(view: ConferenceView, number: int, role: str) -> list[AssignedPair]:
    pairs = outcomes.load_pairs(view.stored, number).pairs
    return [pair for pair in pairs if role in ("", pair.role)]


def _for_system(view: ConferenceView, number: int, system: System, role: str) -> bytes:
    """What a system takes, with people as it knows them; refused where it is not certain how it knows somebody."""
    conference, labels, name = view.stored, view.labels, _SYSTEMS[system]
    if not role and outcomes.settings_of(outcomes.load_solution(conference, number)).levels:
        raise InputError(f"{name} takes the levels of a committee one by one: export them on the page Levels")
    pairs = _of_role(view, number, role)
    addresses = {pair.reviewer: "" for pair in pairs} | known_addresses(conference)
    system_names = known_as(system, addresses, conference.content("contacts", read_contacts) or [])
    if missing := sorted({labels.person(pair.reviewer) for pair in pairs if pair.reviewer not in system_names}):
        lack = counted(len(missing), "reviewer has", "reviewers have")
        table = "reviewer (the member number) and email" if system == "easychair" else "reviewer and email"
        raise InputError(
            f"{lack} no {known_by(system)} here that {name} would know: {joined(missing, most=5)}. On the page Files, "
            f"under Addresses, add the committee as {name} exports it, or a table of {table}"
        )
    names = {system_names[pair.reviewer]: labels.names.get(pair.reviewer, "") for pair in pairs}
    triples = ((pair.paper, system_names[pair.reviewer], pair.score) for pair in pairs)
    return for_system(system, "assignment", triples, names, meta=role in CHAIRS)


def _for_people(view: ConferenceView, number: int, role: str) -> str:
    """A table that a spreadsheet opens: nothing in it is taken for a formula, and it says that it is UTF-8."""
    pairs, labels = _of_role(view, number, role), view.labels
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


def _as_run(pairs: outcomes.Pairs) -> str:
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
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for form in ("people", "run", "report"):
            archive.writestr(NAMES[form], solution_file(view, number, form))
        for name, content in outcomes.files_of_solution(view.stored, number):
            if name != outcomes.REPORT:  # which has titles and names in it here
                archive.writestr(name, content)
    return out.getvalue()
