"""`/conferences/…/papers`, `/people`, `/next`, `/conflicts`, `/score`, `/scores`: a conference at a glance."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from fastapi import Query
from fastapi import Request as HttpRequest
from pydantic import BaseModel, Field

from panelist.app.desk.conference.conflicts import RULES, conflict_rows, read_rules
from panelist.app.desk.conference.files import read_records
from panelist.app.desk.conference.inspection import FEW, ScoreView, explain_pair
from panelist.app.desk.conference.overview import Overview
from panelist.app.desk.conference.scoring import ScoreSettings, check_ready, score
from panelist.app.desk.conference.staging import SCORING
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotFoundError
from panelist.app.web.jobs import JobState, QueuedJob
from panelist.app.web.problems import ProblemError
from panelist.app.web.requests import RulesIn, ScoringRequest
from panelist.app.web.routes.conference.change import ChangeOf, ConferenceId, Id, LookOf, Name, conference_router
from panelist.app.web.routes.jobs import JobOut, start_job
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.files import write_whole
from panelist.progress import Progress

router = conference_router()


@router.get("/scores", summary="Scores in numbers")
def scores(
    conference: ConferenceId,
    state: StateOf,
    threshold: Annotated[float | None, Query(allow_inf_nan=False, description="From which a reviewer is able.")] = None,
) -> Any:
    """How many there are; `thin` submissions lack able reviewers, `unwanted` reviewers are able for no submission."""
    view = _view(state, conference)
    record = read_records(view.conference)["scores"]
    able = view.threshold if threshold is None else threshold
    return {
        "revision": view.conference.revision,
        "summary": record.summary,
        "at": record.at,
        "computed": view.record is not None,
        "stale": view.stale,
        "papers": len(view.papers),
        "reviewers": len(view.reviewers),
        "pairs": len(view.table.score),
        "lowest": float(view.table.score.min()),
        "highest": float(view.table.score.max()),
        "threshold": able,
        "thin": int((view.able(able) < FEW).sum()),
        "unwanted": int((view.wanted(able) == 0).sum()),
        "conflicts": sum(pair.certain for pair in view.conflicts),
        "possible_conflicts": sum(pair.possible for pair in view.conflicts),
        "own_papers": [] if view.record is None else view.record.own_papers[:100],
    }


@router.get("/scores/plot", summary="Scores to draw")
def plot(conference: ConferenceId, state: StateOf) -> Any:
    """The scores of each submission's best, third and tenth best reviewer; submissions by their third best."""
    view = _view(state, conference)
    order = np.argsort(-np.nan_to_num(view.nth(2), nan=-np.inf), kind="stable")
    columns = {
        name: [None if np.isnan(value) else round(float(value), 5) for value in view.nth(position)[order]]
        for name, position in (("best", 0), ("third", 2), ("tenth", 9))
    }
    return {"papers": [view.papers[at] for at in order.tolist()], "threshold": view.threshold, **columns}


@router.get("/scores/pairs", summary="Pairs of a submission or a reviewer")
def score_pairs(
    conference: ConferenceId,
    state: StateOf,
    of: Annotated[Literal["paper", "reviewer"], Query(description="Whose pairs.")],
    key: Id,
    look: LookOf,
) -> Any:
    """Best first, with conflicts that have a score nevertheless; `near_papers` 3 stands for three or more."""
    view = _view(state, conference)
    return msgspec.to_builtins((view.pairs_of_paper if of == "paper" else view.pairs_of_reviewer)(key, look))


@router.get("/scores/why", summary="Why a pair fits")
@in_threads("lookups")
def why(conference: ConferenceId, state: StateOf, paper: Name, reviewer: Name) -> Any:
    """The reviewer's papers that match best, with the terms that they share with the submission."""
    with state.service.finder() as finder:
        return msgspec.to_builtins(explain_pair(_view(state, conference), finder, paper, reviewer))


def _view(state: ServerState, conference: str) -> ScoreView:
    return state.score_views.of(state.conflicts.view(conference))


@router.get("/papers", summary="Papers with their reviewers")
def conference_papers(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "able", "score"] = "file"
) -> Any:
    """Able reviewers, who is assigned in the chosen solution, reviews, calibrated score."""
    return msgspec.to_builtins(_overview(state, conference).papers(replace(look, sort=sort)))


@router.get("/people", summary="The committee with its papers")
def conference_people(
    conference: ConferenceId, state: StateOf, look: LookOf, sort: Literal["file", "load", "best"] = "file"
) -> Any:
    """Papers in the profile, load and quota, assigned papers, conflicts, habits."""
    return msgspec.to_builtins(_overview(state, conference).people(replace(look, sort=sort)))


@router.get("/person", summary="All about one person")
def conference_person(conference: ConferenceId, reviewer: Id, state: StateOf) -> Any:
    """Load, assigned and best papers, conflicts, habits."""
    return msgspec.to_builtins(_overview(state, conference).person(reviewer))


@router.get("/next", summary="What to do next")
def next_steps(conference: ConferenceId, state: StateOf) -> Any:
    """In words, with what a button does; the most urgent first, nothing where nothing is to be done."""
    return msgspec.to_builtins(list(_overview(state, conference).steps()))


def _overview(state: ServerState, conference: str) -> Overview:
    view = state.conflicts.view(conference)
    try:
        scores = state.score_views.of(view)
    except NotFoundError:  # no scores yet
        scores = None
    return Overview(view, scores, state.conferences.events(conference))


@router.get("/conflicts", summary="Conflicts of interest")
def conference_conflicts(
    conference: ConferenceId,
    state: StateOf,
    look: LookOf,
    certain: Annotated[bool | None, Query(description="Certain ones, others, or (null) both.")] = None,
) -> Any:
    """Found in submissions, committee, corpus and declared pairs, whatever the scores are; and what was `unchecked`."""
    view = state.conflicts.view(conference)
    return msgspec.to_builtins(conflict_rows(view, certain, look)) | {
        "certain": sum(pair.certain for pair in view.conflicts),
        "possible": sum(pair.possible for pair in view.conflicts),
        "unchecked": list(view.conflicts.header.unchecked),
        "unchecked_people": dict(view.conflicts.header.unchecked_people),
    }


@router.get("/conflicts/rules", summary="Rules of conflicts")
def conflict_rules(conference: ConferenceId, state: StateOf) -> RulesIn:
    """How many years co-authors and colleagues count."""
    rules = read_rules(state.conferences.get(conference))
    return RulesIn(coauthor_years=rules.coauthor_years, institution_years=rules.institution_years)


@router.put("/conflicts/rules", summary="Set the rules of conflicts")
def set_conflict_rules(conference: ConferenceId, new: RulesIn, state: StateOf, change: ChangeOf) -> RulesIn:
    """The conflict table is renewed by them; decisions about pairs stay."""
    years = [str(value) if value is not None else "off" for value in (new.coauthor_years, new.institution_years)]
    words = f"conflicts: co-authors {years[0]}, colleagues {years[1]} (years)"
    with state.conferences.change(conference, "rules", {"words": words}, **change) as (_, _, stage):
        stage.file(RULES).write_bytes(msgspec.json.encode(new.rules()))
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
    stored = state.conferences.get(conference)
    job, settings = _job(state, stored)
    ready = {"submissions", "committee"} <= read_records(stored).keys()
    shown = None if job is None else JobOut.of(job)
    return ScoreOut(revision=stored.revision, settings=settings, job=shown, ready=ready)


@router.post("/score", summary="Score a conference", status_code=202)
def begin_scoring(
    conference: ConferenceId, requested: ScoringRequest, request: HttpRequest, state: StateOf, change: ChangeOf
) -> ScoreOut:
    """In the background. Where the same scoring was cut off before, it goes on where it was."""
    stored = state.conferences.get(conference)
    check_ready(stored)
    running = _job(state, stored)[0]
    if running is not None and running.state in (JobState.WAITING, JobState.RUNNING):
        raise ProblemError(409, "the conference is being scored already: wait for it, or cancel it first")
    settings = ScoreSettings(**requested.model_dump())

    def work(progress: Progress, _: Path) -> None:
        view = state.conflicts.view(conference, progress)
        with state.service.finder() as finder:
            score(state.conferences, view, settings, finder, progress, change["who"])

    job = start_job(state, request, work)
    write_whole(stored.path / SCORING, msgspec.json.encode({"job": job.id, "settings": settings}))
    return scoring_state(conference, state)


@router.delete("/score", summary="Cancel scoring")
def cancel_scoring(conference: ConferenceId, state: StateOf) -> ScoreOut:
    """It stops at its next step; what it has computed is stored until the files change."""
    job = _job(state, state.conferences.get(conference))[0]
    if job is not None:
        state.jobs.cancel(job.id)
    return scoring_state(conference, state)


def _job(state: ServerState, conference: StoredConference) -> tuple[QueuedJob | None, ScoringRequest | None]:
    """The latest scoring; no job where it is forgotten."""
    try:
        stored = msgspec.json.decode((conference.path / SCORING).read_bytes())
    except FileNotFoundError:
        return None, None
    return state.jobs.find(stored["job"]), ScoringRequest(**stored["settings"])
