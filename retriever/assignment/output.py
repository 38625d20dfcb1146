"""An assignment as files: OpenReview's CSV (`paper,reviewer,score`, no header) and JSON, alternates, marginals."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from panelist.errors import InputError
from panelist.files import write_whole
from panelist.spreadsheet import csv_text
from retriever.assignment.assignment import Assignment
from retriever.assignment.explain.alternates import Alternate
from retriever.assignment.methods.capped import draw
from retriever.assignment.reading.tables import read_rows


def assignment_csv(assignment: Assignment) -> bytes:
    """Write an assignment as lines of `paper,reviewer,score`."""
    return csv_text((pair.paper, pair.reviewer, repr(pair.score)) for pair in assignment.pairs).encode()


def assignment_json(assignment: Assignment, alternates: Sequence[Alternate] = ()) -> bytes:
    """What OpenReview's matcher returns: for each paper who reviews it, and who else could, with scores."""
    answer: dict[str, dict[str, list[dict[str, Any]]]] = {"assignments": {}, "alternates": {}}
    unswapped = [alternate for alternate in alternates if not alternate.swaps]
    for name, pairs in (("assignments", assignment.pairs), ("alternates", unswapped)):
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
    """Lines of `paper,reviewer,probability,role,group` of every pair that could have been drawn, and of locked ones.

    Of a group, one pair is drawn at most; empty: none. `drawn_again` draws from such lines.
    """
    problem, pairs = assignment.solved, assignment.solved.candidates
    lottery = assignment.lottery
    chance = assignment.chosen.astype(np.float64) if lottery is None else lottery.probability
    group = np.full(len(pairs), -1) if lottery is None or lottery.group is None else lottery.group
    drawn = ((arc, pairs.row[arc], pairs.reviewer[arc]) for arc in np.flatnonzero(chance > 0))
    lines = [
        (row, person, repr(float(chance[arc])), "" if group[arc] < 0 else str(group[arc])) for arc, row, person in drawn
    ]
    lines += ((row, person, "1.0", "") for row, person in problem.locked)
    return csv_text(
        (problem.paper_of(row), problem.reviewers[person], value, problem.role_of(row), number)
        for row, person, value, number in lines
    ).encode()


def drawn_again(path: Path, seed: int | None = None) -> list[tuple[str, str]]:
    """The papers and reviewers that are drawn from the probabilities of a file, with the seed beside it or another."""
    record_path = path.with_name(f"{path.stem}.json")
    try:
        record = orjson.loads(record_path.read_bytes())
        scale, seed = int(record["scale"]), int(record["seed"] if seed is None else seed)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"'{record_path}': no record of a draw with `scale` and `seed`: it is written beside them"
        ) from error
    lines = [fields for _, fields in read_rows(path)]
    try:
        papers, people, chances, roles, groups = zip(*lines, strict=True)
        amount = np.rint(np.array(chances, dtype=np.float64) * scale).astype(np.int64)
        group = np.array([int(text or -1) for text in groups])
    except ValueError as error:
        raise InputError(f"'{path}': expected lines of paper,reviewer,probability,role,group") from error
    number: dict[object, int] = {}
    row = [number.setdefault(key, len(number)) for key in zip(papers, roles, strict=True)]
    columns = [number.setdefault((name,), len(number)) for name in people]
    chosen = draw(np.array(row), np.array(columns), group, amount, scale, seed)
    return [(papers[line], people[line]) for line in np.flatnonzero(chosen)]


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
