"""`/conferences/…/papers`, `/people`, `/next`, `/conflicts`, `/score`, `/scores`: a conference at a glance."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from fastapi import Query
from msgspec import Struct
from msgspec.structs import asdict
from pydantic import BaseModel, Field

from panelist.app.desk.conference.conflicts import RULES, ConflictRow, conflict_rows, load_rules
from panelist.app.desk.conference.contents import file_record, file_records
from panelist.app.desk.conference.scores import ScoreSettings
from panelist.app.desk.conference.solving.scoring import check_ready, score
from panelist.app.desk.conference.view import Slice
from panelist.app.desk.conference.views.late import LatePaper, late_papers
from panelist.app.desk.conference.views.overview import Advice, Overview, PaperLine, PersonLine, PersonPage
from panelist.app.desk.conference.views.scores import FEW, PairRow, ScoreView, Why, explain_score
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import RulesIn, ScoringRequest
from panelist.app.web.routes.conference import work
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, LookOf, Name, QueriedId, conference_router
from panelist.app.web.routes.jobs import JobOut
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.progress import Progress

router = conference_router()


class ScoresOut(Struct, frozen=True):
    """Scores in numbers: `thin` submissions lack able reviewers, `unwanted` reviewers are able for no submission."""

    revision: int
    summary: str
    at: datetime
    computed: bool  # here, not sent as a file
    stale: bool
    papers: int
    reviewers: int
    pairs: int
    lowest: float
    highest: float
    threshold: float
    thin: int
    unwanted: int
    conflicts: int
    possible_conflicts: int
    own_papers: list[tuple[str, str]]
    outside: list[str]


@router.get("/scores", summary="Scores in numbers")
def score_figures(
    conference: ConferenceId,
    state: StateOf,
    threshold: Annotated[float | None, Query(allow_inf_nan=False, description="Able from this score on.")] = None,
) -> ScoresOut:
    """How many there are, of how many able reviewers, and which submissions stand out."""
    view = _view(state, conference)
    record = file_record(view.conference, "scores")
    return ScoresOut(
        revision=view.conference.revision,
        summary=record.summary,
        at=record.at,
        computed=view.record is not None,
        stale=view.stale,
        papers=len(view.papers),
        reviewers=len(view.reviewers),
        pairs=len(view.table.score),
        lowest=float(view.table.score.min()),
        highest=float(view.table.score.max()),
        threshold=view.threshold if threshold is None else threshold,
        thin=int((view.able(threshold) < FEW).sum()),
        unwanted=int((view.wanted(threshold) == 0).sum()),
        conflicts=sum(pair.certain for pair in view.conflicts),
        possible_conflicts=sum(pair.possible for pair in view.conflicts),
        own_papers=[] if view.record is None else view.record.own_papers[:100],
        outside=[] if view.record is None else view.record.outside[:100],
    )


class Plot(Struct, frozen=True):
    """Scores of the best, third and tenth best reviewer of each submission; null where it has fewer."""

    papers: list[str]
    threshold: float
    best: list[float | None]
    third: list[float | None]
    tenth: list[float | None]


@router.get("/scores/plot", summary="Scores to draw")
def score_plot(conference: ConferenceId, state: StateOf) -> Plot:
    """Submissions by the score of their third best reviewer."""
    view = _view(state, conference)
    order = np.argsort(-np.nan_to_num(view.nth(2), nan=-np.inf), kind="stable")
    columns = [
        [None if np.isnan(value) else round(float(value), 5) for value in view.nth(position)[order]]
        for position in (0, 2, 9)
    ]
    return Plot([view.papers[row] for row in order.tolist()], view.threshold, *columns)


@router.get("/scores/pairs", summary="Pairs of a submission or a reviewer")
def score_pairs(
    conference: ConferenceId,
    state: StateOf,
    of: Annotated[Literal["paper", "reviewer"], Query(description="Whose pairs.")],
    key: QueriedId,
    look: LookOf,
) -> Slice[PairRow]:
    """Best first, with conflicts that have a score nevertheless."""
    view = _view(state, conference)
    return (view.pairs_of_paper if of == "paper" else view.pairs_of_reviewer)(key, look)


@router.get("/scores/why", summary="Why a pair fits")
@in_threads("lookups")
def why_pair(conference: ConferenceId, state: StateOf, paper: Name, reviewer: Name) -> Why:
    """The reviewer's papers that match best, with the terms that they share; for editors also what they did before."""
    with state.service.finder() as finder:
        excluded = state.history_excluded if state.sees_desk else None
        return explain_score(_view(state, conference), finder, paper, reviewer, excluded)


def _view(state: ServerState, conference: str) -> ScoreView:
    return ScoreView(state.view(conference))


@router.get("/papers", summary="Papers with their reviewers")
def conference_papers(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "able", "score", "missing"] = "file"
) -> Slice[PaperLine]:
    """Able reviewers, who is assigned in the chosen solution, reviews, calibrated score."""
    return _overview(state, conference).papers(replace(look, sort=sort))


@router.get("/people", summary="The committee with its papers")
def conference_people(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "load", "best", "missing"] = "file"
) -> Slice[PersonLine]:
    """Papers in the profile, load and quota, assigned papers, conflicts, habits."""
    return _overview(state, conference).people(replace(look, sort=sort))


@router.get("/person", summary="All about one person")
def conference_person(conference: ConferenceId, reviewer: QueriedId, state: StateOf) -> PersonPage:
    """Load, assigned and best papers, conflicts, habits."""
    return _overview(state, conference).person(reviewer)


@router.get("/late", summary="Papers that lack reviews")
def papers_late(conference: ConferenceId, state: StateOf) -> list[LatePaper]:
    """Since when, whose reviews are missing, and who has room, is able and answered before."""
    view = state.view(conference)
    return late_papers(view, ScoreView(view))


@router.get("/next", summary="What to do next")
def next_steps(conference: ConferenceId, state: StateOf) -> list[Advice]:
    """In words, with what a button does; the most urgent first, nothing where nothing is to be done."""
    return list(_overview(state, conference).steps())


def _overview(state: ServerState, conference: str) -> Overview:
    view = state.view(conference)
    try:
        scores = ScoreView(view)
    except NotFoundError:  # no scores yet
        scores = None
    return Overview(view, scores)


class ConflictsOut(Struct, frozen=True):
    """Some of the conflicts, how many there are, and what could not be checked: of everybody, and of whom."""

    total: int
    rows: list[ConflictRow]
    certain: int
    possible: int
    unchecked: list[str]
    unchecked_people: dict[str, str]


@router.get("/conflicts", summary="Conflicts of interest")
def conference_conflicts(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    certain: Annotated[bool | None, Query(description="Certain ones, others, or (null) both.")] = None,
    sort: Literal["paper", "person", "author"] = "paper",
) -> ConflictsOut:
    """Found in submissions, committee, corpus and declared pairs, whatever the scores are; and what was `unchecked`."""
    view = state.view(conference)
    rows, header = conflict_rows(view, certain, replace(look, sort=sort)), view.conflicts.header
    return ConflictsOut(
        total=rows.total,
        rows=rows.rows,
        certain=sum(pair.certain for pair in view.conflicts),
        possible=sum(pair.possible for pair in view.conflicts),
        unchecked=[*header.nothing_checked(), *header.unchecked],
        unchecked_people=dict(header.unchecked_people),
    )


@router.get("/conflicts/rules", summary="Rules of conflicts")
def conflict_rules(conference: ConferenceId, state: StateOf) -> RulesIn:
    """How many years co-authors and colleagues count."""
    return RulesIn.model_validate(load_rules(state.conference(conference)), from_attributes=True)


@router.put("/conflicts/rules", summary="Set the rules of conflicts")
def set_conflict_rules(conference: ConferenceId, new: RulesIn, state: StateOf, change: ChangeOf) -> RulesIn:
    """The conflict table is renewed by them; decisions about pairs stay."""
    years = [str(value) if value is not None else "off" for value in (new.coauthor_years, new.institution_years)]
    words = f"conflicts: co-authors {years[0]}, colleagues {years[1]} (years)"
    with state.conferences.change(conference, "rules", {"words": words}, **change) as changing:
        changing.put(RULES, record=new.rules())
    return new


class ScoreOut(BaseModel):
    """The latest scoring of a conference: its settings and its job; both null where it was never scored here."""

    revision: int
    settings: ScoringRequest | None
    job: JobOut | None
    ready: bool = Field(description="Whether there are submissions and a committee.")


@router.get("/score", summary="How far scoring is")
def scoring_state(conference: ConferenceId, state: StateOf) -> ScoreOut:
    """A job that the server lost when it was stopped says so: begin it again, it goes on where it was."""
    stored = state.conference(conference)
    job, record = work.find(state, stored, "scores")
    settings = None if record.settings is None else ScoringRequest(**asdict(record.settings))
    ready = {"submissions", "committee"} <= file_records(stored).keys()
    shown = None if job is None else JobOut.of(job)
    return ScoreOut(revision=stored.revision, settings=settings, job=shown, ready=ready)


@router.post("/score", summary="Score a conference", status_code=202)
def begin_scoring(conference: ConferenceId, requested: ScoringRequest, state: StateOf, change: ChangeOf) -> ScoreOut:
    """In the background. Where the same scoring was cut off before, it goes on where it was."""
    stored = state.conference(conference)
    check_ready(stored)
    running, _ = work.find(state, stored, "scores")
    if running is not None and running.state in work.WORKING:
        raise ProblemError(409, "the conference is being scored already: wait for it, or cancel it first")
    settings = ScoreSettings(**requested.model_dump() | ({} if state.sees_desk else {"history": "off"}))
    excluded = state.history_excluded

    def scoring(progress: Progress, _: Path) -> None:
        view = state.conflicts.view(state.conferences.get(conference), progress)
        with state.service.finder() as finder:
            score(state.conferences, view, settings, finder, progress, change["actor"], excluded)

    work.begin(state, conference, "scores", scoring, settings)
    return scoring_state(conference, state)


@router.delete("/score", summary="Cancel scoring")
def cancel_scoring(conference: ConferenceId, state: StateOf) -> ScoreOut:
    """It stops at its next step; what it has computed is stored until the files change."""
    work.cancel(state, work.find(state, state.conference(conference), "scores")[0])
    return scoring_state(conference, state)
