"""Profiles as people want them: papers that are dropped, kept or weighed, by whom, and what that changes.

What is dropped keeps its place in the profile, as a paper of background similarity: dropping papers cannot make anybody
look nearer than papers of the committee are to each other anyway (docs/research/manipulation.md). Older papers do not
move up. Conflicts are looked for in all papers, dropped or not.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from msgspec import Struct, structs
from numpy.typing import NDArray

from panelist.corpus.identity import comparable
from panelist.corpus.readers import tables
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Paper
from retriever.affinity.profiles import PROFILE_SIZE, WeightedPaper
from retriever.conference.committee import Committee

_WORDS = {"drop": 0.0, "keep": 1.0}
_MOVES = 10


class Choice(Struct, frozen=True):
    """What somebody decided about a paper of a reviewer: 0 drops it, 1 keeps it whatever its year, or between."""

    reviewer: str
    paper: str
    weight: float
    by: str
    note: str = ""


class Move(Struct, frozen=True):
    """What choices did to the score of one submission."""

    submission: str
    before: float
    after: float


class Change(Struct, frozen=True):
    """What choices did to the scores of a reviewer, before references count."""

    reviewer: str
    choices: tuple[Choice, ...]
    mean: float  # of the change over all submissions
    largest: float  # the largest rise
    submission: str  # where that is
    moves: tuple[Move, ...] = ()  # the scores that changed most, either way


def read_curation(path: Path) -> list[Choice]:
    """Choices of a table with a header: `reviewer,paper,weight,by[,note]`; a weight is drop, keep, or from 0 to 1."""
    report, choices = ReadReport(), []
    if not path.is_file():
        raise InputError(f"no such file: '{path}'")
    columns = {name: (name,) for name in ("reviewer", "paper", "weight", "by")}
    for line, cells in tables.read_rows(path, columns, report, {"note": ("note",)}):
        weight = cells["weight"]
        try:
            number = _WORDS[weight.lower()] if weight.lower() in _WORDS else float(weight)
        except ValueError:
            report.reject(path, line, f"a weight is drop, keep, or a number from 0 to 1, received '{weight}'")
            continue
        choices.append(Choice(cells["reviewer"], cells["paper"], number, cells["by"], cells.get("note", "")))
    if report.rejected:
        raise InputError(f"{report.example()}: correct the choices and try again")
    return choices


def curated(committee: Committee, choices: Iterable[Choice], size: int = PROFILE_SIZE) -> Committee:
    """The committee with profiles as chosen; what a profile has at most stays `size`."""
    by_reviewer = defaultdict[str, dict[str, Choice]](dict)
    for choice in choices:
        decided = by_reviewer[comparable(choice.reviewer)]
        if choice.paper in decided:
            raise InputError(f"paper '{choice.paper}' of '{choice.reviewer}' is chosen twice: leave one line")
        if not 0 <= choice.weight <= 1 or not choice.by:
            raise InputError(f"paper '{choice.paper}': a choice has a weight from 0 to 1, and says by whom it is")
        decided[choice.paper] = choice
    profiles = list(committee.profiles)
    for row, reviewer in enumerate(committee.ids):
        if chosen := by_reviewer.pop(comparable(reviewer), None):
            profiles[row] = _profile(reviewer, profiles[row], committee.papers[row], chosen, size)
    if by_reviewer:
        unknown = next(iter(next(iter(by_reviewer.values())).values()))
        raise InputError(f"reviewer '{unknown.reviewer}' of a choice is not on the committee: correct the id")
    return replace(committee, profiles=tuple(profiles))


def _profile(
    reviewer: str, profile: Sequence[Paper], papers: Sequence[Paper], chosen: dict[str, Choice], size: int
) -> tuple[Paper, ...]:
    papers_by_id = {paper.id: paper for paper in papers}
    if unknown := next((paper for paper in chosen if paper not in papers_by_id), None):
        raise InputError(f"reviewer '{reviewer}' has no paper '{unknown}': correct the id")
    if retracted := next((paper for paper in chosen if papers_by_id[paper].retracted), None):
        raise InputError(f"paper '{retracted}' of '{reviewer}' was retracted, and never counts: leave it out")
    shown = {paper.id for paper in profile}
    additions = [papers_by_id[paper] for paper, choice in chosen.items() if paper not in shown and choice.weight == 1]
    # Kept papers take the places of the oldest ones that nobody chose.
    surplus = max(len(profile) + len(additions) - size, 0)
    free = [paper.id for paper in profile if paper.id not in chosen]
    gone = set(free[len(free) - min(surplus, len(free)) :])
    stay = [paper for paper in (*profile, *additions) if paper.id not in gone]
    return tuple(_weighted(paper, chosen[paper.id].weight if paper.id in chosen else 1.0) for paper in stay)


def _weighted(paper: Paper, weight: float) -> Paper:
    return paper if weight == 1 else WeightedPaper(**structs.asdict(paper), weight=weight)


def changes(
    submissions: Sequence[str],
    choices: Sequence[Choice],
    scores: Mapping[str, NDArray[np.float32]],  # by reviewer, (2, submissions) before and after the choices
) -> list[Change]:
    """What the choices did to the scores of each reviewer."""
    decisions = []
    for reviewer, curves in scores.items():
        rise = curves[1] - curves[0]
        most = int(rise.argmax())
        largest = np.argsort(-np.abs(rise), kind="stable")[:_MOVES].tolist()
        moves = tuple(Move(submissions[row], *curves[:, row].tolist()) for row in largest if rise[row])
        decided = tuple(choice for choice in choices if comparable(choice.reviewer) == comparable(reviewer))
        decisions.append(Change(reviewer, decided, float(rise.mean()), float(rise[most]), submissions[most], moves))
    return decisions


def applicable(committee: Committee, choices: Iterable[Choice]) -> list[Choice]:
    """The choices about people who are still on the committee, and papers that they still have."""
    papers = {
        comparable(reviewer): {paper.id for paper in written if not paper.retracted}
        for reviewer, written in zip(committee.ids, committee.papers, strict=True)
    }
    return [choice for choice in choices if choice.paper in papers.get(comparable(choice.reviewer), ())]
