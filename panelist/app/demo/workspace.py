"""The demo's workspace: its corpus imported as any other would be, and indexed."""

import logging
from collections.abc import Callable
from pathlib import Path

from indexing.encoders import DEFAULT_ENCODER
from indexing.encoders.models import fetch_model
from indexing.jobs.build import IndexJobs
from indexing.jobs.generations import current_generation
from indexing.lexical.class_archive import make_class_archive
from indexing.lexical.jar import fetch_lucene
from panelist.app.demo.material import corpus
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Paper
from panelist.words import counted
from panelist.workspace import Workspace
from retriever.kernels import compile_kernels

log = logging.getLogger(__name__)


def demo_workspace(path: Path | str = "panelist.demo") -> Workspace:
    """The demo in this directory, imported and indexed where that has not been done."""
    workspace = Workspace.at(Path(path))
    fill(workspace)
    index(workspace)
    return workspace


def fill(workspace: Workspace) -> list[Paper]:
    """Write the works into the workspace and import them; the papers as they were read back."""
    with workspace.open_corpus(create=True) as store:
        stored = store.papers([paper.id for paper in corpus()])
        if strangers := store.counts().papers - len(stored):
            raise InputError(
                f"workspace '{workspace.path}' has {counted(strangers, 'paper')} of another corpus: "
                f"give the demo a directory of its own with --workspace"
            )
        works = workspace.path / "works.jsonl"
        workspace.path.mkdir(parents=True, exist_ok=True)  # the corpus may be on a server
        openalex.write_works(works, corpus())
        papers = list(openalex.read([works], ReadReport()))
        store.upsert(papers)
    return papers


def index(workspace: Workspace, progress: Progress = silent, note: Callable[[str], None] = log.info) -> None:
    """Index the corpus, unless that has been done; the default model is fetched where it is missing."""
    compile_kernels(progress)  # and Java is prepared, so that nobody waits for that later
    fetch_lucene(note)
    make_class_archive(progress)
    fetch_model(DEFAULT_ENCODER, note=note)
    with workspace.open_corpus() as store:
        jobs = IndexJobs(workspace.index_path, progress=progress)
        if current_generation(workspace.index_path) is None:
            jobs.build(store)
        else:
            jobs.add(store)
