"""Scoring a conference: conflicts, then every submission against every reviewer, then scores that the desk shows.

The result becomes the conference's in one change at the end, if its files are still those that were scored. Finished
blocks are kept until then, so that work which was cut off goes on where it was.
"""

import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
import orjson
from msgspec import structs
from numpy.typing import NDArray

from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.conflicts import open_conference
from panelist.app.desk.conference.contents import FileRecord, file_records, inputs_of, text_digests
from panelist.app.desk.conference.curation import keep_curated
from panelist.app.desk.conference.scores import SCORED, ScoreRecord, ScoreSettings, keep_scores
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.errors import RevisionConflictError
from panelist.errors import InputError
from panelist.files import replacing
from panelist.progress import Progress, silent
from panelist.words import counted
from retriever.affinity.model import BlockModel, Blocks, with_index
from retriever.affinity.near import NearPapers
from retriever.affinity.profiles import Document
from retriever.assignment.building.records import ScoreTable
from retriever.conference.options import ScoreOptions
from retriever.finder import Finder


def check_ready(conference: Conference) -> None:
    """Refuse to score without submissions or committee."""
    missing = [kind for kind in ("submissions", "committee") if kind not in file_records(conference)]
    if missing:
        raise InputError(f"add the {' and the '.join(missing)} on the page Files first")


def score(
    conferences: Conferences,
    view: ConferenceView,
    settings: ScoreSettings,
    finder: Finder,
    progress: Progress,
    actor: str = "",
    excluded: Sequence[str] = (),
) -> None:
    """Score a conference and keep the result; where its files change meanwhile, it is dropped.

    Papers of the history that are `excluded` do not count.
    """
    conference = view.stored
    check_ready(conference)
    inputs = inputs_of(conference)
    progress("reading the files", 0, 1)
    opened = open_conference(conference, finder, settings.profile, excluded=excluded)
    parameters = with_index(settings.model, finder.index, {})  # the server's encoder, also for papers that were sent
    options = ScoreOptions(**structs.asdict(settings), parameters=parameters)
    blocks = _blocks_directory(conferences.work_directory(conference.id), (settings, inputs, finder.index.path.name))
    scored = opened.score(options, view.conflicts, ResumedModel(opened.model(options), blocks), progress)
    if not len(scored.scores.scores):
        raise InputError("no pair can be scored: every reviewer has a conflict with every submission, or no paper")
    progress("writing", 0, 1)
    committee = opened.committee
    sizes = dict(zip(committee.ids, map(len, committee.profiles), strict=True))
    notable = (scored.empty_profiles, opened.own_papers, scored.outside())
    record = ScoreRecord(settings, datetime.now(UTC), inputs, sizes, *notable, text_digests(conference))
    fit = None if scored.grades is None else scored.grades.fit
    # Each score is the shortest number that reads back as the same: so it is shown and written.
    values = np.array(orjson.loads(orjson.dumps(scored.scores.scores, option=orjson.OPT_SERIALIZE_NUMPY)))
    blob = keep_scores(conferences.blobs, replace(ScoreTable.of(scored.scores), score=values), fit)
    curated = keep_curated(conferences.blobs, [paper.id for paper in opened.submissions], scored.curated_scores)
    cited = sum(bool(paper.references or paper.bibliography) for paper in opened.submissions)
    choices = len(opened.curation)
    summary = f"{counted(len(values), 'score')}, computed here by the model {settings.model}"
    if cited and settings.references != "off":
        summary += f" and by what {counted(cited, 'submission cites', 'submissions cite')}"
    if scored.with_history:
        summary += f" and by what {counted(scored.with_history, 'reviewer')} did before"
    if choices:
        summary += f", with {counted(choices, 'choice')} about papers of profiles"
    detail = {"summary": summary, **msgspec.to_builtins(settings)}
    with conferences.change(conference.id, "scored", detail, actor=actor) as change:
        if inputs_of(change.before) != inputs:
            raise RevisionConflictError("the files were changed while they were scored: score again")
        size = conferences.blobs.path(blob).stat().st_size
        change.put("scores", blob, FileRecord("scores.csv", record.at, size, "", summary))
        change.put(SCORED, curated, record)
    shutil.rmtree(blocks, ignore_errors=True)


def _blocks_directory(directory: Path, state: object) -> Path:
    """Where the blocks of this very work are kept; those of other work are removed."""
    blocks = directory / f"blocks-{blake2b(msgspec.json.encode(state, order='sorted'), digest_size=12).hexdigest()}"
    for other in directory.glob("blocks-*"):
        if other != blocks:
            shutil.rmtree(other, ignore_errors=True)
    blocks.mkdir(mode=0o700, parents=True, exist_ok=True)
    return blocks


class ResumedModel(BlockModel):
    """A model whose blocks are kept in a directory of these very submissions, reviewers and parameters."""

    def __init__(self, model: BlockModel, directory: Path) -> None:
        self._model, self._directory = model, directory

    def prepare(
        self, submissions: Sequence[Document], profiles: Sequence[Sequence[Document]], progress: Progress = silent
    ) -> Blocks:
        """Prepare blocks that are saved; see `BlockModel`."""
        return _ResumedBlocks(self._model.prepare(submissions, profiles, progress), self._directory)


class _ResumedBlocks:
    """Blocks that an interrupted job finds again: a file has the scores of a block."""

    def __init__(self, blocks: Blocks, directory: Path) -> None:
        self.submissions, self.reviewers = blocks.submissions, blocks.reviewers
        self._blocks, self._directory = blocks, directory

    def near(self) -> NearPapers | None:
        """How near papers are; see `Blocks`."""
        return self._blocks.near()

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Read a block that was saved, else compute and save it; see `Blocks`."""
        file = self._directory / f"{start}-{stop}.npz"
        if file.exists():
            with np.load(file, allow_pickle=False) as saved:
                scores: NDArray[np.float32] = saved["scores"]
                return scores
        block = self._blocks.block(start, stop)
        with replacing(file) as temporary:
            np.savez(temporary, scores=block)
        return block
