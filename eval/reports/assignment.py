"""A page about an assignment, for the chair who answers for it: papers, loads, cost of randomness, whom to recruit."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from eval.reports.figures import BLUE, GREY, RED, Picture, canvas, png
from eval.reports.page import Folded, Prose, Report, Section
from eval.reports.table import Cell, table_of
from panelist import __version__
from panelist.files import write_whole
from panelist.records import Submission
from panelist.words import Message, PaperId, PersonId, counted, joined
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.alternates import Alternate, Swap
from retriever.assignment.explain.summary import Summary
from retriever.assignment.feasibility import Cut
from retriever.assignment.flow import cheapest_flow
from retriever.assignment.problem import Floats

CAPS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
_LONGEST = 500  # rows of a table on the page; the files have all


def assignment_report(assignment: Assignment, summary: Summary, alternates: Sequence[Alternate] = ()) -> Report:
    """Build the page about an assignment."""
    options = assignment.options
    facts = {"Panelist": __version__, "Method": options.method}
    if options.rules:
        facts["Rules"] = str(options.rules)
    if assignment.lottery is not None:
        facts |= {"Seed": str(options.seed), "Scale of probabilities": str(assignment.lottery.scale)}
    columns = ("paper", "role", "sum", ("part of its own best", ".0%"))
    rows = ((PaperId(row.paper), row.role, row.sum, row.share) for row in summary.thin[:_LONGEST])
    thin = table_of("", columns, rows, "Papers with less than half of what their own best reviewers would give them.")
    none_thin = Prose("Every paper has at least half of what its own best reviewers would give it.")
    sections = (
        Section("What to know", tuple(_warnings(summary))),
        Section("Pictures", assignment_pictures(assignment)),
        Section(f"Papers that remain thin: {len(summary.thin):,}", (thin if summary.thin else none_thin,)),
        _recruiting(summary),
        _tables(assignment, alternates),
    )
    return Report("Assignment of reviewers", _lead(summary), sections, facts)


def infeasible_report(cut: Cut) -> Report:
    """The page of a problem without an assignment: who is in the way, by name, and what would help."""
    sections = [Section("What would help", tuple(Prose(cure.words) for cure in cut.cures))]
    for title, ids in (
        ("Papers whose reviews cannot be given", [PaperId(paper) for paper in cut.papers]),
        ("Who could give them", [PersonId(reviewer) for reviewer in cut.reviewers]),
    ):
        if ids:
            sections.append(Section(f"{title}: {len(ids):,}", (Prose(joined(ids)),)))
    return Report("There is no assignment", Message(cut.words, "."), tuple(sections), {"Panelist": __version__})


def assignment_pictures(assignment: Assignment) -> tuple[Picture, ...]:
    """Paper sums, shares of their own best, loads against quotas, and what a cap costs."""
    has_demand = assignment.solved.demand > 0
    return (
        _histogram("paper_sums", assignment.sums[has_demand], "sum of a paper's scores", assignment.bound),
        _histogram(
            "paper_shares", assignment.shares[has_demand], "part of what a paper's own best reviewers would give"
        ),
        _loads(assignment),
        _frontier(assignment),
    )


def write_recruits(summary: Summary, submissions: Mapping[str, Submission], directory: Path) -> None:
    """Write what `panelist find` takes: for each kind of reviewer to recruit, the paper that needs them most."""
    for number, recruit in enumerate(summary.recruits, start=1):
        if recruit.papers and recruit.papers[0] in submissions:
            write_whole(directory / f"recruit_{number}.json", msgspec.json.encode(submissions[recruit.papers[0]]))


def _lead(summary: Summary) -> str:
    bound = f"no assignment can have more than {summary.bound:.4f}"
    proof = "no assignment has a higher lowest sum" if summary.certified else bound
    drawn = f" It was drawn with seed {summary.seed}." if summary.seed is not None else ""
    return (
        f"{counted(summary.pairs, 'review')} of {counted(summary.papers, 'paper')} by "
        f"{counted(summary.reviewers, 'reviewer')}, method {summary.method}. The lowest paper sum is "
        f"{summary.lowest:.4f}: {proof}. The total of {summary.total:.4f} is "
        f"{summary.total / summary.greatest_total if summary.greatest_total > 0 else 1:.2%} of the greatest one.{drawn}"
    )


def _warnings(summary: Summary) -> Iterator[Prose]:
    """What a chair must know, the first 20 pairs of each kind by name."""
    for note in summary.notes:
        yield Prose(note, "warning")
    yield Prose(f"Conflicts of interest: {summary.conflicts.words}.")
    if summary.unscored:
        pairs = joined(map(_pair, summary.unscored[:20]))
        opening = f"Without a score, a last resort: {counted(len(summary.unscored), 'pair')}: "
        yield Prose(Message(opening, pairs), "warning")
    if summary.conflicts.chosen:
        pairs = joined((Message(_pair(pair), f": {pair.conflict}") for pair in summary.conflicts.chosen[:20]), "; ")
        opening = counted(len(summary.conflicts.chosen), "pair has", "pairs have")
        yield Prose(Message(f"{opening} a possible conflict of interest: ", pairs), "warning")
    if summary.short:
        papers = joined(Message(PaperId(row.paper), f" ({row.missing})") for row in summary.short)
        yield Prose(Message("Reviews are missing: ", papers), "warning")


def _pair(pair: AssignedPair) -> Message:
    return Message(PaperId(pair.paper), "–", PersonId(pair.reviewer))


def _recruiting(summary: Summary) -> Section:
    if not summary.slots and not summary.recruits:
        return Section("Whom to recruit", (Prose("No reviewer's extra slot would raise the total."),))
    gains = ((PersonId(row.reviewer), float(row.load), row.gain) for row in summary.slots)
    slots = table_of("Whose extra slot would gain most", ("reviewer", ("load", ".0f"), "gain"), gains)
    people = ((PersonId(row.like), row.gain, joined(map(PaperId, row.papers))) for row in summary.recruits)
    title, columns = "What kind of new reviewer would gain most", ("like", "gain, at most", "for")
    note = "Give one of these papers to `panelist find` to see who is outside the committee."
    return Section("Whom to recruit", (slots, table_of(title, columns, people, note)))


def _tables(assignment: Assignment, alternates: Sequence[Alternate]) -> Section:
    shown = assignment.pairs[:_LONGEST]
    columns: dict[str, list[Cell]] = {
        "paper": [PaperId(pair.paper) for pair in shown],
        "reviewer": [PersonId(pair.reviewer) for pair in shown],
        "score": [pair.score if pair.scored else None for pair in shown],
    }
    if any(pair.conflict for pair in assignment.pairs):
        columns["possible conflict"] = [pair.conflict for pair in shown]
    if len(assignment.solved.roles) > 1:
        columns["role"] = [pair.role for pair in shown]
    if assignment.lottery is not None:
        columns["probability"] = [pair.probability for pair in shown]
    note = f"The first {_LONGEST} pairs; the file has all." if len(assignment.pairs) > _LONGEST else ""
    pairs = table_of("", columns, zip(*columns.values(), strict=True), note)
    blocks = [Folded(counted(len(assignment.pairs), "pair"), pairs)]
    if alternates:
        names = ("paper", "reviewer", "score", "after swaps", "possible conflict")
        rows = (
            (PaperId(row.paper), PersonId(row.reviewer), row.score, joined(map(_swap, row.swaps), "; "), row.conflict)
            for row in alternates[:_LONGEST]
        )
        blocks.append(Folded(counted(len(alternates), "alternate"), table_of("", names, rows)))
    return Section("Who reviews what", tuple(blocks))


def _swap(swap: Swap) -> Message:
    return Message(PaperId(swap.paper), ": ", PersonId(swap.gives_up), " → ", PersonId(swap.takes))


def _histogram(name: str, values: Floats, label: str, bound: float | None = None) -> Picture:
    figure, axes = canvas(3.0)
    axes.hist(values, bins=min(40, max(8, len(np.unique(values)))), color=BLUE, edgecolor="white", linewidth=0.5)
    if bound is not None and np.isfinite(bound):
        axes.axvline(bound, color=RED, linewidth=1.2, linestyle="--")
    axes.set(xlabel=label, ylabel="papers")
    axes.grid(axis="y", alpha=0.3)
    low, middle, high = np.quantile(values, [0, 0.5, 1]).tolist() if len(values) else (0.0, 0.0, 0.0)
    caption = "The dashed line is the bound of the lowest sum: the hardest paper's own best reviewers."
    alt = f"Histogram of the {label}: lowest {low:.3f}, median {middle:.3f}, highest {high:.3f}."
    return Picture(name, png(figure), alt, "" if bound is None else caption)


def _loads(assignment: Assignment) -> Picture:
    """How many reviewers have which load, and how many of those are full."""
    loads, most = assignment.loads, assignment.solved.most
    figure, axes = canvas(3.0)
    steps = np.arange(int(loads.max(initial=0)) + 1)
    count = np.bincount(loads, minlength=len(steps))
    full = np.bincount(loads[(loads >= most) & (most > 0)], minlength=len(steps))
    axes.bar(steps, count, color=GREY, label="below quota")
    axes.bar(steps, full, color=BLUE, label="at quota")
    axes.set(xlabel="reviews of a reviewer", ylabel="reviewers")
    axes.set_xticks(steps if len(steps) <= 20 else steps[:: len(steps) // 10])
    axes.legend(frameon=False)
    alt = f"Loads: {int(full.sum()):,} of {len(loads):,} reviewers are at their quota, {int(count[0]):,} have no paper."
    return Picture("loads", png(figure), alt, "Loads against quotas.")


def _frontier(assignment: Assignment) -> Picture:
    problem = assignment.solved.with_options(keep=False)
    points, scale = [], 10
    for cap in CAPS:  # the best lottery under each cap that allows one
        capacity = np.full(len(problem.candidates), round(cap * scale), dtype=np.int64)
        flow = cheapest_flow(problem, scale=scale, capacity=capacity)
        if flow.complete and assignment.greatest > 0:
            points.append((cap, problem.expected_total(flow.amount / scale) / assignment.greatest))
    figure, axes = canvas(3.0)
    axes.plot([cap for cap, _ in points], [quality for _, quality in points], marker="o", color=BLUE)
    axes.set(xlabel="cap on the probability of a pair", ylabel="part of the greatest total")
    axes.grid(alpha=0.3)
    costs = "; ".join(f"cap {cap:g}: {quality:.3f}" for cap, quality in points)
    caption = "What randomness would cost: the expected total of the best lottery under each cap (method random)."
    return Picture("frontier", png(figure), f"Quality against cap. {costs}.", caption)
