"""`GET /health`, `/ready`, `/metrics`, `/info`, `/examples`: whether the server lives, and what it serves."""

from dataclasses import asdict, dataclass
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from msgspec.structs import replace
from pydantic import BaseModel

from indexing.jobs.manifest import NAME as MANIFEST
from panelist import __version__
from panelist.app.access.roles import Permission, needs
from panelist.app.web.problems import documented
from panelist.app.web.requests import SubmissionIn
from panelist.app.web.responses import Answer
from panelist.app.web.routes.state import StateOf
from panelist.corpus.store import CorpusCounts
from panelist.errors import IndexDirectoryError

router = APIRouter(tags=["about"], responses=documented(503), dependencies=[needs(Permission.LOOK)])


class Health(BaseModel):
    """The server answers requests."""

    status: Literal["ok"] = "ok"


class IndexOut(BaseModel):
    """The index that serves."""

    generation: str
    built: str
    papers: int
    authors: int
    lexical: str
    dense: str


class ModelOut(Answer):
    """The encoder of the index."""

    name: str
    revision: str
    dimension: int


@dataclass(frozen=True, slots=True)
class CorpusOut(CorpusCounts):
    """The corpus: `newest_year` is the year of its newest indexed paper; `indexed` says if the index is up to date."""

    newest_year: int | None
    indexed: bool


class Info(BaseModel):
    """What is served: index, model and corpus."""

    version: str
    index: IndexOut
    model: ModelOut
    corpus: CorpusOut


@router.get("/health", summary="Whether the server lives", dependencies=[needs(Permission.OPEN)])
def health() -> Health:
    """Needs no token. It says nothing of the index: a server without one is not to be restarted but given one."""
    return Health()


@router.get("/ready", summary="Whether look-ups can be answered", dependencies=[needs(Permission.OPEN)])
def ready(state: StateOf) -> Health:
    """Needs no token. 503 where there is no index yet, or where it is gone from the disk."""
    with state.service.finder() as finder:
        if not (finder.index.path / MANIFEST).is_file():
            raise IndexDirectoryError("the index that serves is gone from the disk: build it again")
    return Health()


@router.get("/metrics", summary="Figures for Prometheus", response_class=PlainTextResponse)
def metrics(state: StateOf, request: Request) -> PlainTextResponse:
    """Requests, their latency, stages of look-ups, jobs, and the generation of the index."""
    try:
        with state.service.finder() as finder:
            generation = int(finder.index.path.name.rpartition("-")[2])
    except IndexDirectoryError:
        generation = 0
    numbers = (generation, len(state.service.memory), 1 + len(state.workers))
    text = request.app.state.figures.text(state.jobs.states(), *numbers)
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


@router.get("/info", summary="Index, model and corpus")
def info(state: StateOf) -> Info:
    """What is served: index, model and corpus."""
    with state.service.finder() as finder:
        manifest = finder.index.manifest
        newest = int(finder.index.units.years[finder.index.live].max(initial=0))
        return Info(
            version=__version__,
            index=IndexOut(
                generation=finder.index.path.name,
                built=manifest.created,
                papers=manifest.counts.papers,
                authors=manifest.counts.authors,
                lexical=manifest.lexical.engine,
                dense=manifest.dense.kind,
            ),
            model=ModelOut.of(manifest.encoder),
            corpus=CorpusOut(
                **asdict(finder.corpus.counts()),
                newest_year=newest if newest > 0 else None,
                indexed=manifest.corpus == finder.corpus.fingerprint(),
            ),
        )


@router.get("/examples", summary="Sample submissions")
def examples(state: StateOf) -> list[SubmissionIn]:
    """Where the demo's corpus is served a submission that fits it, and one that nobody here works on; else none."""
    from panelist.app.demo import corpus, submissions
    from panelist.app.demo.samples import STRANGER

    paper = corpus()[0].id
    with state.service.finder() as finder:
        if paper not in finder.corpus.papers([paper]):
            return []
    samples = [replace(sample, institutions=(), references=(), year=None) for sample in (submissions()[0], STRANGER)]
    return [SubmissionIn.model_validate(sample, from_attributes=True) for sample in samples]
