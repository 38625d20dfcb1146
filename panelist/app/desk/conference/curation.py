"""Choices about papers of profiles: events of the history, of which those count that nobody undid."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from panelist.app import limits
from panelist.app.desk.blobs import Blobs
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.manual import CURATE, undone
from panelist.errors import InputError
from retriever.conference.committee import Committee
from retriever.conference.curation import Choice, curated

_NOBODY = "a chair"  # who gave no name


class PaperChoiceIn(BaseModel):
    """What is decided about a paper: 0 drops it, 1 keeps it whatever its year, null takes a decision back."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    paper: Annotated[str, StringConstraints(min_length=1, max_length=limits.ID, pattern=r"^\S+$")]
    weight: float | None = Field(ge=0, le=1)
    note: str = Field(default="", max_length=300)


def curation_of(events: Iterable[Event]) -> dict[tuple[str, str], Choice]:
    """The choices that hold, by reviewer and paper."""
    ordered = sorted(events, key=lambda event: event.key)
    off, choices = undone(ordered), dict[tuple[str, str], Choice]()
    for event in ordered:
        for choice in event.detail["curation"] if event.kind == CURATE and event.key not in off else ():
            pair = choice["reviewer"], choice["paper"]
            choices.pop(pair, None)
            if choice["weight"] is not None:
                choices[pair] = Choice(*pair, choice["weight"], event.who or _NOBODY, choice["note"])
    return choices


def curation_detail(
    reviewer: str, owned: Committee, new: Sequence[PaperChoiceIn], before: Iterable[Choice]
) -> dict[str, Any]:
    """The detail of the event of some choices about a reviewer, who is the only member of `owned`.

    Raises:
        InputError: a paper is unknown, retracted, or chosen twice, or a weight is not one from 0 to 1.
    """
    curated(
        owned,
        [Choice(reviewer, choice.paper, choice.weight or 0.0, _NOBODY) for choice in new if choice.weight is not None],
    )
    titles = {choice.paper: choice.paper for choice in before} | {paper.id: paper.title for paper in owned.papers[0]}
    if unknown := next((choice.paper for choice in new if choice.paper not in titles), None):
        raise InputError(f"reviewer '{reviewer}' has no paper '{unknown}': correct the id")
    entries = [{"reviewer": reviewer, "title": titles[choice.paper]} | choice.model_dump() for choice in new]
    return {"pairs": [], "quotas": {}, "demands": {}, "decisions": [], "curation": entries}


def keep_curated(blobs: Blobs, submissions: Sequence[str], scores: Mapping[str, NDArray[np.float32]]) -> str:
    """Write scores of texts before and after choices; the name of the blob, empty where there were no choices."""
    if not scores:
        return ""
    ids = {name: np.array(keys, dtype=np.str_) for name, keys in (("papers", submissions), ("reviewers", [*scores]))}
    return blobs.put_arrays(**ids, scores=np.stack([*scores.values()]))
