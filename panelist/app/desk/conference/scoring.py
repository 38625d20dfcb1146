"""Scoring a conference: conflicts, then every submission against every reviewer, then scores that the desk shows.

The result is written beside, and becomes the conference's in one change at the end, if its files are still those that
were scored. Finished blocks are kept until then, so that work which was cut off goes on where it was.
"""

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from panelist.app.desk.conference.conflicts import open_conference
from panelist.app.desk.conference.files import FILE_NAMES, RECORDS, FileRecord, read_records, write_records
from panelist.app.desk.conference.staging import scratch
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.errors import RevisionConflictError
from panelist.errors import InputError
from panelist.files import replacing
from panelist.progress import Progress, silent
from panelist.words import counted
from retriever.affinity.model import BlockModel, Blocks, Document, with_index
from retriever.affinity.near import NearPapers
from retriever.affinity.output import write_scores
from retriever.conference.options import SERVED_PAIRS, ScoreOptions
from retriever.finder import Finder

INPUTS = ("submissions", "committee")  # the files that scores depend on


class ScoreSettings(Struct, frozen=True):
    """How a conference is scored; see `ScoreOptions` for what the fields mean."""

    model: str = ScoreOptions().model
    profile: int = ScoreOptions().profile
    keep: int = SERVED_PAIRS
    references: Literal["auto", "off"] = ScoreOptions().references


class ScoreRecord(Struct, frozen=True):
    """What is known of scores that were computed here: how, from which files, and what stands out."""

    settings: ScoreSettings
    at: datetime
    inputs: dict[str, str]
    papers: dict[str, int]
    empty_profiles: list[str]
    own_papers: list[tuple[str, str]]


def read_score_record(conference: StoredConference) -> ScoreRecord | None:
    """How the scores were computed; None where they were sent, or there are none."""
    path = conference.path / "scores.json"
    return msgspec.json.decode(path.read_bytes(), type=ScoreRecord) if path.exists() else None


def inputs_of(conference: StoredConference) -> dict[str, str]:
    """The digests of the files that scores depend on."""
    return {kind: record.digest for kind, record in read_records(conference).items() if kind in INPUTS}


def check_ready(conference: StoredConference) -> None:
    """Refuse to score without submissions or committee."""
    missing = [kind for kind in ("submissions", "committee") if kind not in read_records(conference)]
    if missing:
        raise InputError(f"add the {' and the '.join(missing)} on the page Files first")


def score(
    conferences: Conferences,
    view: ConferenceView,
    settings: ScoreSettings,
    finder: Finder,
    progress: Progress,
    who: str = "",
) -> None:
    """Score a conference and keep the result; where its files change meanwhile, it is dropped."""
    conference = view.stored
    check_ready(conference)
    inputs = inputs_of(conference)
    progress("reading the files", 0, 1)
    whole = open_conference(conference, finder, settings.profile)
    parameters = with_index(settings.model, finder.index, {})  # the server's encoder, also for papers that were sent
    options = ScoreOptions(**structs.asdict(settings), parameters=parameters, near_papers=True)
    blocks = _blocks_directory(conference, settings, inputs, finder)
    scored = whole.score(options, view.conflicts, ResumedModel(whole.model(options), blocks), progress)
    if not len(scored.scores.scores):
        raise InputError("no pair can be scored: every reviewer has a conflict with every submission, or no paper")
    progress("writing", 0, 1)
    committee = whole.committee
    sizes = dict(zip(committee.ids, map(len, committee.profiles), strict=True))
    record = ScoreRecord(settings, datetime.now(UTC), inputs, sizes, scored.empty_profiles, whole.own_papers)
    with scratch(conference.path) as directory:
        write_scores(scored.scores, directory / "scores.csv")
        if scored.near_papers is not None:
            write_scores(scored.scores, directory / "confidence.csv", scored.near_papers)
        (directory / "scores.json").write_bytes(msgspec.json.encode(record))
        cited = sum(bool(paper.references or paper.bibliography) for paper in whole.submissions)
        summary = f"{counted(len(scored.scores.scores), 'score')}, computed here by the model {settings.model}"
        if cited and settings.references != "off":
            summary += f" and by what {counted(cited, 'submission cites', 'submissions cite')}"
        detail = {"summary": summary, **msgspec.to_builtins(settings)}
        with conferences.change(conference.id, "scored", detail, who=who) as (_, before, stage):
            if inputs_of(before) != inputs:
                raise RevisionConflictError("the files were changed while they were scored: score again")
            size = (directory / "scores.csv").stat().st_size
            stage.take(directory, FILE_NAMES["scores"])
            file = FileRecord("scores.csv", record.at, size, "", summary)
            write_records(stage.file(RECORDS), read_records(before) | {"scores": file})
    shutil.rmtree(blocks, ignore_errors=True)


def _blocks_directory(
    conference: StoredConference, settings: ScoreSettings, inputs: dict[str, str], finder: Finder
) -> Path:
    """Where the blocks of this very work are kept; those of other work are removed."""
    state = msgspec.json.encode((settings, sorted(inputs.items()), finder.index.path.name))
    directory = conference.path / f".blocks-{blake2b(state, digest_size=12).hexdigest()}"
    for other in conference.path.glob(".blocks-*"):
        if other != directory:
            shutil.rmtree(other, ignore_errors=True)
    directory.mkdir(mode=0o700, exist_ok=True)
    return directory


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
    """See `Blocks`. A file has the scores of a block, and its near papers where they are counted."""

    def __init__(self, blocks: Blocks, directory: Path) -> None:
        self.submissions, self.reviewers = blocks.submissions, blocks.reviewers
        self._blocks, self._directory = blocks, directory
        self._near: NearPapers | None = None

    def count_near(self) -> NearPapers | None:
        """Count near papers, and save them with the blocks; see `Blocks`."""
        self._near = self._blocks.count_near()
        return self._near

    def block(self, start: int, stop: int) -> NDArray[np.float32]:
        """Read a block that was saved, else compute and save it; see `Blocks`."""
        file = self._directory / f"{start}-{stop}.npz"
        near = np.empty(0, dtype=np.uint8) if self._near is None else self._near.bits[:, start:stop]
        if file.exists():
            with np.load(file, allow_pickle=False) as saved:
                near[...] = saved["near"]
                scores: NDArray[np.float32] = saved["scores"]
                return scores
        block = self._blocks.block(start, stop)
        with replacing(file) as part:
            np.savez(part, scores=block, near=near)
        return block
