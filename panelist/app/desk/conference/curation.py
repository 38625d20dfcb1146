"""Choices about papers of profiles: events of the history, of which those count that nobody undid."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from panelist.app.desk.blobs import Blobs
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.manual import CURATE, undone
from panelist.errors import InputError
from retriever.conference.committee import Committee
from retriever.conference.curation import Choice, curated

_NOBODY = "a chair"  # who gave no name


class PaperChoice(Struct, frozen=True):
    """What is decided about a paper: 0 drops it, 1 keeps it whatever its year, None takes a decision back."""

    paper: str
    weight: float | None = None
    note: str = ""


def curation_of(events: Iterable[Event]) -> dict[tuple[str, str], Choice]:
    """The choices that hold, by reviewer and paper."""
    ordered = sorted(events, key=lambda event: event.key)
    off, choices = undone(ordered), dict[tuple[str, str], Choice]()
    for event in ordered:
        for one in event.detail["curation"] if event.kind == CURATE and event.key not in off else ():
            pair = one["reviewer"], one["paper"]
            choices.pop(pair, None)
            if one["weight"] is not None:
                choices[pair] = Choice(*pair, one["weight"], event.who or _NOBODY, one["note"])
    return choices


def curation_detail(
    reviewer: str, owned: Committee, new: Sequence[PaperChoice], before: Iterable[Choice]
) -> dict[str, Any]:
    """The detail of the event of some choices about a reviewer, who is the only member of `owned`.

    Raises:
        InputError: a paper is unknown, retracted, or chosen twice, or a weight is not one from 0 to 1.
    """
    curated(owned, [Choice(reviewer, one.paper, one.weight or 0.0, _NOBODY) for one in new if one.weight is not None])
    titles = {one.paper: one.paper for one in before} | {paper.id: paper.title for paper in owned.papers[0]}
    if unknown := next((one.paper for one in new if one.paper not in titles), None):
        raise InputError(f"reviewer '{reviewer}' has no paper '{unknown}': correct the id")
    entries = [
        {"reviewer": reviewer, "paper": one.paper, "title": titles[one.paper], "weight": one.weight, "note": one.note}
        for one in new
    ]
    return {"pairs": [], "quotas": {}, "demands": {}, "decisions": [], "curation": entries}


def keep_curated(blobs: Blobs, submissions: Sequence[str], scores: Mapping[str, NDArray[np.float32]]) -> str:
    """Write scores of texts before and after choices; the name of the blob, empty where there were no choices."""
    if not scores:
        return ""
    ids = {name: np.array(keys, dtype=np.str_) for name, keys in (("papers", submissions), ("reviewers", [*scores]))}
    return blobs.put_arrays(**ids, scores=np.stack([*scores.values()]))
