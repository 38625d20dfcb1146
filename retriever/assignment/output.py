"""An assignment as files: OpenReview's CSV (`paper,reviewer,score`, no header) and JSON, alternates, marginals."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from panelist.files import write_whole
from panelist.spreadsheet import csv_text
from retriever.assignment.assignment import Assignment
from retriever.assignment.explain.alternates import Alternate


def assignment_csv(assignment: Assignment) -> bytes:
    """Write an assignment as lines of `paper,reviewer,score`."""
    return csv_text((pair.paper, pair.reviewer, repr(pair.score)) for pair in assignment.pairs).encode()


def assignment_json(assignment: Assignment, alternates: Sequence[Alternate] = ()) -> bytes:
    """What OpenReview's matcher returns: for each paper who reviews it, and who else could, with scores."""
    answer: dict[str, dict[str, list[dict[str, Any]]]] = {"assignments": {}, "alternates": {}}
    free = [alternate for alternate in alternates if not alternate.swaps]
    for name, pairs in (("assignments", assignment.pairs), ("alternates", free)):
        for pair in pairs:
            # The evidence of a possible conflict stands beside its pair.
            marked = {"possible_conflict": pair.conflict} if pair.conflict else {}
            entry = {"aggregate_score": pair.score, "user": pair.reviewer, **marked}
            answer[name].setdefault(pair.paper, []).append(entry)
    return orjson.dumps(answer, option=orjson.OPT_INDENT_2)


def write_assignment(assignment: Assignment, path: Path, alternates: Sequence[Alternate] = ()) -> None:
    """Write an assignment: as JSON where the name ends in .json, else as CSV."""
    as_json = path.suffix.lower() == ".json"
    write_whole(path, assignment_json(assignment, alternates) if as_json else assignment_csv(assignment))


def alternates_csv(alternates: Iterable[Alternate]) -> bytes:
    """Lines of `paper,reviewer,score,rank,swaps,possible_conflict`, with a header; a swap is `paper: one > other`."""
    lines = [("paper", "reviewer", "score", "rank", "swaps", "possible_conflict")]
    for alternate in alternates:
        swaps = "; ".join(f"{swap.paper}: {swap.gives_up} > {swap.takes}" for swap in alternate.swaps)
        figures = (repr(alternate.score), str(alternate.rank), swaps, alternate.conflict)
        lines.append((alternate.paper, alternate.reviewer, *figures))
    return csv_text(lines).encode()


def marginals_csv(assignment: Assignment) -> bytes:
    """Lines of `paper,reviewer,probability` of every pair that could have been drawn, locked ones included."""
    problem, pairs = assignment.solved, assignment.solved.candidates
    lottery = assignment.lottery
    chance = assignment.chosen.astype(np.float64) if lottery is None else lottery.probability
    lines = [
        (problem.paper_of(pairs.row[arc]), problem.reviewers[pairs.reviewer[arc]], repr(float(chance[arc])))
        for arc in np.flatnonzero(chance > 0)
    ]
    lines += [(problem.paper_of(row), problem.reviewers[who], "1.0") for row, who in problem.locked]
    return csv_text(lines).encode()


def marginals_record(assignment: Assignment) -> bytes:
    """How the draw was made, so that it can be repeated: method, seed, scale of the probabilities."""
    lottery = assignment.lottery
    return orjson.dumps(
        {
            "method": assignment.options.method,
            "seed": assignment.options.seed,
            "scale": None if lottery is None else lottery.scale,
            "largest_cap": float(assignment.solved.candidates.cap.max(initial=0.0)),
            "quality": assignment.options.quality if assignment.options.method == "perturbed" else None,
            "expected_total": assignment.expected,
            "greatest_total": assignment.greatest,
        },
        option=orjson.OPT_INDENT_2,
    )
