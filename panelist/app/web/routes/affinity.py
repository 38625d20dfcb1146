"""`POST /affinity`: scores of many submissions and reviewers, immediately or in the background."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import orjson
from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.web.bodies import JSON, MEDIA_TYPES, body_of, described_body, described_file, read_request, schema_of
from panelist.app.web.problems import ProblemError, documented
from panelist.app.web.requests import AffinityRequest, ChoiceIn
from panelist.app.web.responses import ConflictPairOut
from panelist.app.web.routes.jobs import JobId, JobOut, begun, finished_job
from panelist.app.web.routes.state import ServerState, StateOf, in_threads
from panelist.corpus.documents import batches
from panelist.files import replacing
from panelist.progress import Progress, silent
from panelist.records import Confidence, Coverage
from retriever.affinity.output import write_scores
from retriever.affinity.scoring import ScoredConference
from retriever.conference.committee import check_known, from_corpus
from retriever.conference.conference import Conference
from retriever.conference.conflicts.table import ConflictTable, conflicts_beside, write_table
from retriever.conference.curation import Choice
from retriever.fit import grade

router = APIRouter(tags=["affinity"], responses=documented(404, 409, 429, 503), dependencies=[needs(Permission.LOOK)])


class PairOut(BaseModel):
    """How fit a reviewer is for a submission: raw, comparable between runs.

    `fit` is the probability that the pair is right, of which `confidence` is the grade; `near_papers` of the reviewer
    are near the submission. None where the model compares no vectors.
    """

    submission: str
    reviewer: str
    score: float
    near_papers: int | None
    fit: float | None
    confidence: Confidence | None


class ReviewerOut(BaseModel):
    """How many papers the scores of a reviewer rest on."""

    reviewer: str
    papers: int


class ChangeOut(BaseModel):
    """What choices about a profile did to a reviewer's scores of texts: on average, and where they rose most."""

    reviewer: str
    choices: list[ChoiceIn]
    mean: float
    largest: float
    submission: str


class AffinityOut(BaseModel):
    """The pairs that were kept, by submission, best first; the reviewers; and the conflicts, by submission.

    A pair with a possible conflict keeps its score: OpenReview's CSV cannot flag it, so read the conflicts beside it.
    If a conflict is `certain` and conflicts are hidden, its pair has no score.
    """

    pairs: list[PairOut]
    reviewers: list[ReviewerOut]
    conflicts: list[ConflictPairOut]
    unchecked: list[str] = Field(description="What cannot be known of conflicts, in words.")
    curated: list[ChangeOut] = Field(description="What `curation` changed.")
    coverage: dict[str, Coverage] = Field(description="Whether papers of reviewers are near each submission, if known.")


@router.post(
    "/affinity",
    summary="Score submissions against reviewers",
    response_model=AffinityOut,
    openapi_extra=described_body(schema_of(AffinityRequest), JSON),
    responses={202: {"model": JobOut, "description": "A job was begun: its state is at `Location`"}},
)
@in_threads("lookups")
def score_affinity(
    content: Annotated[bytes, body_of("the submissions and reviewers", JSON)], state: StateOf
) -> Response:
    """Small requests are answered immediately, large ones start a background job."""
    requested = read_request(AffinityRequest, content)
    large = len(requested.submissions) * len(requested.reviewers) > limits.INLINE_PAIRS
    if requested.background if requested.background is not None else large:
        return begun(state.begin(partial(_write, state, requested)))
    if large:
        raise ProblemError(
            422, f"more than {limits.INLINE_PAIRS:,} pairs are scored in the background: leave out 'background'"
        )
    return Response(b"".join(score_json(*_score(state, requested, silent))), media_type=JSON)


@router.get(
    "/jobs/{job_id}/result",
    summary="The result of a job",
    response_model=AffinityOut,
    responses=described_file("The pairs", "text/csv"),
)
def job_result(
    job_id: JobId, state: StateOf, form: Annotated[Literal["json", "csv"], Query(alias="format")] = "json"
) -> Response:
    """As JSON, or as OpenReview's CSV; sent from disk."""
    file = finished_job(state, job_id).directory / f"result.{form}"
    if not file.exists():
        raise ProblemError(404, f"job '{job_id}' has no scores: see /api/v1/assignments/{job_id}")
    return FileResponse(file, media_type=MEDIA_TYPES[form])


def _score(
    state: ServerState, request: AffinityRequest, progress: Progress
) -> tuple[ScoredConference, list[int], ConflictTable]:
    """All scores, the best of each line kept; how many papers each reviewer has; and all conflicts."""
    options = request.score_options()
    options = options if state.sees_desk else replace(options, history="off")
    progress("reading the reviewers", 0, len(request.reviewers))
    with state.service.finder() as finder:
        committee = from_corpus(finder.corpus, request.reviewers, options.profile)
        check_known(committee)
        submissions = [submission.record() for submission in request.submissions]
        choices = [Choice(**choice.model_dump()) for choice in request.curation]
        indexed, excluded = (finder.index, finder.corpus), state.history_excluded
        conference = Conference(submissions, committee, indexed, curation=choices, history_excluded=excluded)
        ignored = options.conflicts == "ignore"
        table = ConflictTable() if ignored else conference.conflicts(options.rules, progress=progress)
        scored = conference.score(options, table, progress=progress)
    return scored, list(map(len, committee.profiles)), table


def _write(state: ServerState, request: AffinityRequest, progress: Progress, directory: Path) -> None:
    """Do a job: its result as files, each complete or not there."""
    scored, papers, table = _score(state, request, progress)
    progress("writing", 0, 2)
    write_scores(scored.scores, directory / "result.csv")
    if table.header.submissions:  # conflicts were looked for: an assignment takes them from beside the scores
        write_table(table, conflicts_beside(directory / "result.csv"))
    progress("writing", 1, 2)
    with replacing(directory / "result.json") as path, path.open("wb") as file:
        file.writelines(score_json(scored, papers, table))


def score_json(scored: ScoredConference, papers: Sequence[int], table: ConflictTable) -> Iterator[bytes]:
    """An `AffinityOut` piece by piece: a million pairs never stand in memory as objects."""
    scores, grades = scored.scores, scored.grades
    yield b'{"pairs":['
    graded: Iterable[tuple[int | None, float | None]] = repeat((None, None))
    if grades is not None:
        graded = zip(map(int, grades.near_papers), map(float, grades.fit), strict=True)
    pairs = (
        {
            "submission": submission,
            "reviewer": scores.reviewers[reviewer],
            "score": score,
            "near_papers": near,
            "fit": fit,
            "confidence": None if fit is None else grade(fit),
        }
        for submission, reviewers, values in scores.rows()
        for reviewer, score, (near, fit) in zip(reviewers.tolist(), values.tolist(), graded, strict=False)
    )
    for number, batch in enumerate(batches(pairs, 4096)):
        yield (b"," if number else b"") + orjson.dumps(batch)[1:-1]
    counts = zip(scores.reviewers, papers, strict=True)
    remainder = {
        "reviewers": [{"reviewer": reviewer, "papers": count} for reviewer, count in counts],
        "conflicts": [pair.reasons[0] for pair in table],
        "unchecked": [*table.header.nothing_checked(), *table.header.unchecked],
        "curated": scored.curated,
        "coverage": {} if grades is None else dict(zip(scores.submissions, grades.coverage, strict=False)),
    }
    yield b"]," + msgspec.json.encode(remainder)[1:]
