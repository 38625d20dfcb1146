"""All about one paper: who reviews it, who could, what they said and scored, and what the scores are worth."""

from collections.abc import Iterable

from msgspec import Struct, structs

from eval.calibration.summary import PaperRow
from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.contents import all_papers, hidden_titles, load_submissions, paper_numbers
from panelist.app.desk.conference.manual import FORBIDDEN, FREE, LOCKED, undone
from panelist.app.desk.conference.outcomes import chosen, load_pairs
from panelist.app.desk.conference.reviews import CheckedPapers, load_calibration, load_reviews
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import ConferenceView, ShownConflict
from panelist.app.desk.conference.views.solutions import grades_of
from panelist.app.desk.errors import NotFoundError
from panelist.records import Confidence
from retriever.assignment.assignment import AssignedPair
from retriever.assignment.explain.alternates import Alternate


class PaperReviewer(Struct, frozen=True, kw_only=True):
    """Somebody who reviews a paper or sent a review of it: what was changed by hand, their score, how mild they are."""

    reviewer: str
    name: str
    conflict: ShownConflict | None
    hand: int | None  # 1: locked, and comes in where not `assigned`; -1: to be taken off
    instead: str = ""  # the name of whom they replace
    assigned: AssignedPair | None
    confidence: Confidence | None
    score: float | None
    offset: float | None
    offset_sd: float | None


class NamedAlternate(Alternate, frozen=True, kw_only=True):
    """Who could step in, with the name."""

    name: str


class PaperPage(Struct, frozen=True, kw_only=True):
    """All about one paper: it is one of `papers` that are calibrated, of which some are `accepted`."""

    number: int
    paper: str
    title: str
    authors: list[str]
    abstract: str
    solution: int | None
    reviewers: list[PaperReviewer]
    forbidden: dict[str, str]  # names by id: who is kept off by hand and is not assigned
    alternates: list[NamedAlternate]
    conflicts: list[ConflictRow]
    calibrated: PaperRow | None
    accepted: int | None
    papers: int
    stale: bool
    reviews: CheckedPapers | None


def paper_view(view: ConferenceView, paper: str, review: CheckedPapers | None) -> PaperPage:
    """Everything that the conference knows of a paper; `review` is what was noticed in its reviews."""
    conference, labels, conflicts = view.stored, view.labels, view.conflicts
    if (title := hidden_titles(conference).get(paper)) is not None:
        raise NotFoundError(f"you have a conflict of interest with “{title}”: nothing else of it is shown to you")
    submission = next((submitted for submitted in load_submissions(conference) if submitted.id == paper), None)
    number = chosen(conference)
    solution = None if number is None else load_pairs(conference, number)
    assigned = [] if solution is None else [pair for pair in solution.pairs if pair.paper == paper]
    if submission is None and not assigned and paper not in all_papers(conference):
        raise NotFoundError(f"there is no paper '{paper}' in this conference")
    scores = _scores(conference, paper)
    calibration = load_calibration(conference)
    papers, reviewers = ((), ()) if calibration is None else (calibration["papers"], calibration["reviewers"])
    by_paper, offsets = {row["paper"]: row for row in papers}, {row["reviewer"]: row for row in reviewers}
    pairs = {pair.reviewer: pair for pair in assigned}
    grades = [] if number is None else grades_of(conference, number, assigned)
    confidence = {pair.reviewer: grade for pair, grade in zip(assigned, grades, strict=True)}
    hand = {person: value for (other, person), value in view.manual.pairs.items() if other == paper and value != FREE}
    coming = [person for person, value in hand.items() if value == LOCKED]
    undone_keys = undone(conference.events)
    replaced: dict[str, str] = {}
    for event in reversed(conference.events):
        if event.kind == "replace" and event.key not in undone_keys:
            match event.detail["pairs"]:  # fewer where somebody was forgotten
                case [[other, gone, _], [_, new, _]] if other == paper and hand.get(gone) == FORBIDDEN:
                    replaced[new] = labels.person(gone)
    reviewers = [
        PaperReviewer(
            reviewer=person,
            name=labels.person(person),
            conflict=view.conflict(paper, person),
            hand=view.manual.pairs.get((paper, person)),
            instead=replaced.get(person, ""),
            assigned=pairs.get(person),
            confidence=confidence.get(person),
            score=scores.get(person),
            offset=offsets[person]["bias"] if person in offsets else None,
            offset_sd=offsets[person]["bias_sd"] if person in offsets else None,
        )
        for person in dict.fromkeys([*pairs, *scores, *coming])
    ]
    alternates = (
        [] if solution is None else [alternate for alternate in solution.alternates if alternate.paper == paper]
    )
    return PaperPage(
        number=paper_numbers(conference).get(paper, 0),
        paper=paper,
        authors=[]
        if submission is None
        else [author.name for author in submission.authors] + [*submission.author_names],
        title="" if submission is None else submission.title,
        abstract="" if submission is None else submission.abstract,
        solution=number,
        reviewers=reviewers,
        forbidden={person: labels.person(person) for person in hand.keys() - pairs.keys() - scores.keys() - {*coming}},
        alternates=open_alternates(view, alternates),
        conflicts=[ConflictRow.of(conflict, labels) for conflict in conflicts if conflict.submission == paper],
        calibrated=by_paper.get(paper),
        accepted=None if calibration is None else calibration["accepted"],
        papers=len(by_paper),
        stale=bool(calibration and calibration["stale"]),
        reviews=review,
    )


def open_alternates(view: ConferenceView, alternates: Iterable[Alternate]) -> list[NamedAlternate]:
    """Those of whom nothing was said by hand, and who have no open conflict of interest by now."""
    hand = {pair for pair, value in view.manual.pairs.items() if value != FREE}
    return [
        NamedAlternate(**structs.asdict(alternate), name=view.labels.person(alternate.reviewer))
        for alternate in alternates
        if (alternate.paper, alternate.reviewer) not in hand
        and not view.conflicts.check([(alternate.paper, alternate.reviewer)])
    ]


def _scores(conference: Conference, paper: str) -> dict[str, float | None]:
    """The scores of a paper's reviews by reviewer: of the file of scores, or else of the texts."""
    records = load_reviews(conference)
    record = records.get("scores") or records.get("texts")
    return {} if record is None else {row.reviewer: row.score for row in record.rows if row.paper == paper}
