"""`panelist assign`: from scores to an assignment, and questions about it. Without a subcommand it assigns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperGroup

from panelist.app.cli.assign.options import AssignFlags, naming_flags, solve_flags
from panelist.app.cli.options import JsonOption, argument, group, option
from panelist.app.cli.output import Answer, AnswerFormat, shorten
from panelist.app.formats.systems import System, committee_names, for_system
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.words import counted

if TYPE_CHECKING:
    from retriever.assignment.explain.summary import Summary


_SHOWN = 20  # papers or reviewers that are in the way


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFlags:
    """Where the assignment goes, and what else is written."""

    out: Path | None = option("paper,reviewer,score; OpenReview's JSON if it ends in .json.", "-o")
    system: System | None = option("Write OUT as the file that this system takes.", "--format", "-f")
    alternates: int = option("Find this many alternates per paper.", default=0, min=0)
    alternates_out: Path | None = option("[default: OUT with -alternates before its ending].")
    probabilities: Path | None = option("Write paper,reviewer,probability,role,group, and the seed beside it.")
    report: Path | None = option("Write a page with plots into this directory.")


def make(flags: AssignFlags, output: OutputFlags, json: JsonOption = False) -> None:
    """Assign reviewers to papers: fairly by default, exactly, at random or in turn, and say what it costs.

    Scores, constraints, quotas and demands are OpenReview's files without header. Conflicts are those of the table that
    `panelist affinity` wrote beside the scores, or of --submissions and --committee; possible ones are avoided. A pair
    without a score is not taken. Infeasible problems are explained by name, and nothing is repaired in silence.

    `panelist assign draw p.csv -o a.csv` draws again from written probabilities.
    `panelist assign check …` says whether there is an assignment, and why not; `panelist assign why PAPER REVIEWER …`
    explains a pair; `panelist assign compare a.csv b.csv` shows what changed; `leads` shows unusual bids.

    Examples:
        panelist assign scores.csv -o assignment.csv --demand 3 --max 6 --report report/
        panelist assign scores.csv -o assignment.csv --constraints coi.csv --quotas quotas.csv --method total
        panelist assign scores.csv -o a.csv --method random --cap 0.5 --seed 7 --probabilities p.csv
        panelist assign scores.csv -o new.csv --existing old.csv --keep --quotas declined.csv
        panelist assign -s submissions.json -r committee/ -o assignment.csv --alternates 3
        panelist assign scores.csv -o assignments.xml --format cmt
        panelist assign scores.csv -o a.csv --reviewers people.csv --demand chair=1 --level chair --level reviewer
    """
    from retriever.assignment.explain.alternates import find_alternates
    from retriever.assignment.explain.summary import summarise_assignment
    from retriever.assignment.feasibility import InfeasibleError
    from retriever.assignment.methods import METHODS
    from retriever.assignment.output import alternates_csv, marginals_csv, marginals_record, write_assignment

    out, system, marginals, report = output.out, output.system, output.probabilities, output.report
    if out is None and system is not None:
        raise InputError("--format is that of a file: say where it goes with -o")
    if out is None and not json:
        raise InputError("say where the assignment goes: -o assignment.csv")
    if not output.alternates and output.alternates_out is not None:
        raise InputError("--alternates-out is where alternates go: say how many with --alternates N, too")
    alternates_out = output.alternates_out
    if output.alternates and alternates_out is None and out is not None:
        alternates_out = out.with_name(f"{out.stem}-alternates.csv")
    record = None if marginals is None else marginals.with_name(f"{marginals.stem}.json")
    tables = (flags.constraints, flags.conflicts, flags.quotas, flags.demands, flags.reviewers, flags.bids)
    read = (*(flags.scores or ()), *tables, flags.submissions, flags.committee)
    check_files((out, alternates_out, marginals, record), read)  # an old assignment may be replaced by the new one
    if report is not None:
        from eval.reports.page import Report

        Report.check(report)
    if marginals is not None and not getattr(METHODS.get(flags.method), "drawn", True):
        drawing = ", ".join(name for name, method in METHODS.items() if method.drawn)
        raise InputError(f"--probabilities does not work with --method {flags.method}, only with {drawing}")
    try:
        assignment, submissions = solve_flags(flags)
    except InfeasibleError as error:
        if report is not None:  # the line that is printed has the number, the page has the names
            from eval.reports.assignment import infeasible_report

            infeasible_report(error.cut).write(report)
        raise
    alternates = find_alternates(assignment, output.alternates) if output.alternates else []
    if out is not None and system is None:
        write_assignment(assignment, out, alternates)
    elif out is not None and system is not None:
        names = committee_names(flags.reviewers) if system == "easychair" else {}
        pairs = ((pair.paper, pair.reviewer, pair.score) for pair in assignment.pairs)
        write_whole(out, for_system(system, "assignment", pairs, names))
    if alternates_out is not None:
        write_whole(alternates_out, alternates_csv(alternates))
    if marginals is not None and record is not None:
        write_whole(marginals, marginals_csv(assignment))
        write_whole(record, marginals_record(assignment))
    summary = summarise_assignment(assignment)
    if report is not None:
        from eval.reports.assignment import assignment_report, write_recruits

        assignment_report(assignment, summary, alternates).write(report)
        write_recruits(summary, submissions, report)
    AnswerFormat(json).print(Answer(summary, _lines(summary, report)))


def draw(
    probabilities: Path = argument("What --probabilities wrote; the seed is in the .json file beside it."),
    out: Path = option("paper,reviewer.", "-o", default=...),
    seed: int | None = option("Another seed than that of the assignment.", min=0),
) -> Answer:
    """Draw an assignment again from its probabilities, or another one by another seed.

    Examples:
        panelist assign draw probabilities.csv -o again.csv
    """
    from panelist.spreadsheet import csv_text
    from retriever.assignment.output import drawn_again

    check_files((out,), (probabilities,))
    pairs = drawn_again(probabilities, seed)
    write_whole(out, csv_text(pairs).encode())
    return Answer({"pairs": len(pairs)}, [f"{counted(len(pairs), 'pair')} drawn"])


def check(flags: AssignFlags) -> Answer:
    """Say whether there is an assignment; if not, which papers and reviewers are in the way, and what would help.

    Exit code 0: there is one; 1: there is none.

    Examples:
        panelist assign check scores.csv --constraints coi.csv --quotas quotas.csv --demand 4
    """
    from retriever.assignment.feasibility import InfeasibleError

    try:
        assignment, _ = solve_flags(flags)
    except InfeasibleError as error:
        cut = error.cut
        names = (("papers", cut.papers), ("reviewers", cut.reviewers))
        in_the_way = (f"{kind}: {shorten(ids, _SHOWN)}" for kind, ids in names if ids)
        cures = (f"what would help: {cure.words}" for cure in cut.cures)
        return Answer({"feasible": False, "cut": cut}, [cut.words, *in_the_way, *cures], code=1)
    pairs, total, notes = len(assignment.pairs), assignment.total, assignment.notes
    line = f"there is an assignment: {counted(pairs, 'pair')}, total {total:.4f}"
    result = {"feasible": True, "total": total, "pairs": pairs, "notes": notes}
    return Answer(result, [*(f"note: {note}" for note in notes), line])


def leads(
    bids: Path = option("paper,reviewer,bid: numbers or OpenReview's words.", default=...),
    reviewers: Path = option("With a header: reviewer and authored (submissions, by ;).", default=...),
    scores: list[Path] | None = argument("paper,reviewer,score: what texts explain [default: other bids alone]."),
    constraints: Path | None = option("paper,reviewer,-1: nobody can bid there."),
    conflicts: Path | None = option("Conflict table of `panelist affinity` [default: SCORES.conflicts.jsonl]."),
) -> Answer:
    """Leads on collusion, for chairs: groups that bid on each other's papers far more than anything else explains.

    A lead is where to look, and never a verdict: people of one small field bid on each other's papers, too. How often
    leads are right is measured by `panelist eval collusion`.

    Examples:
        panelist assign leads scores.csv --bids bids.csv --reviewers people.csv
    """
    from retriever.assignment.collusion import bidding_of, find_leads
    from retriever.assignment.reading.problem import Sources, read_records

    sources = Sources(scores=scores or (), bids=bids, people=reviewers, constraints=constraints, conflicts=conflicts)
    with naming_flags():
        bidding, people, papers = bidding_of(read_records(sources))
    records, lines = [], []
    for lead in find_leads(bidding):
        members = [people[member] for member in lead.members]
        made = [{"reviewer": people[person], "paper": papers[paper]} for person, paper in lead.bids]
        records.append({**asdict(lead), "members": members, "bids": made})
        authors = "the next one" if lead.ring else "each other"
        share = f"{len(made)} of {counted(lead.possible, 'possible bid')} on papers of {authors} are made"
        distant = f", {lead.distant} of co-authors of their co-authors" if lead.distant else ""
        evidence = f"{lead.expected:.1f} expected (evidence {lead.evidence:.1f})"
        lines.append(f"lead: {', '.join(members)}: {share}{distant}, {evidence}")
    remark = "a lead is where to look, not a verdict" if records else "no group stands out"
    return Answer({"leads": records}, [*lines, f"{counted(len(people), 'person', 'people')}: {remark}"])


def why(
    paper: str = argument("Id of the paper."),
    reviewer: str = argument("Id of the reviewer."),
    *,
    flags: AssignFlags,
) -> Answer:
    """Explain why a reviewer was chosen for a paper or not, and what the other decision would cost.

    Give the same scores and options as for the assignment: it is made again.

    Examples:
        panelist assign why paper12 ~Ada_Lovelace1 scores.csv --constraints coi.csv --demand 3 --max 6
    """
    from retriever.assignment.explain.why import explain_pair

    with naming_flags():
        pair = explain_pair(solve_flags(flags)[0], paper, reviewer)
    lines = [f"{reviewer} {'reviews' if pair.chosen else 'does not review'} {paper}"]
    if pair.score is not None:
        lines.append(f"score {pair.score:.4f}, rank {pair.rank} of the paper's candidates")
    lines += [f"because: {reason}" for reason in pair.reasons]
    if pair.cost is not None:
        alternative = "not choosing" if pair.chosen else "choosing"
        lines.append(f"{alternative} it would cost {pair.cost:.4f} of the greatest total")
    return Answer(pair, lines)


def compare(
    first: Path = argument("paper,reviewer[,score], no header."),
    second: Path = argument("paper,reviewer[,score], no header."),
) -> Answer:
    """Show what two assignments share, what changed, and what that did to totals and papers.

    Examples:
        panelist assign compare old.csv new.csv
    """
    from retriever.assignment.explain.summary import compare_pairs
    from retriever.assignment.reading.tables import read_assignment

    result = compare_pairs(read_assignment(first), read_assignment(second))
    lines = []
    for path, side in ((first, result.first), (second, result.second)):
        sums = f"total {side.total:.4f}, lowest paper sum {side.lowest:.4f}"
        lines.append(f"{path}: {counted(side.pairs, 'pair')}, {sums}, greatest load {side.greatest_load}")
    lines.append(f"{counted(result.common, 'pair')} in common, {counted(len(result.changed_papers), 'paper')} changed")
    for path, pairs in ((first, result.only_first), (second, result.only_second)):
        if pairs:
            lines.append(f"only in {path}: {shorten([' '.join(pair) for pair in pairs])}")
    return Answer(result, lines)


def _lines(summary: Summary, report: Path | None) -> Iterator[str]:
    yield from (f"note: {note}" for note in summary.notes)
    sizes = f"{counted(summary.papers, 'paper')} × {counted(summary.reviewers, 'reviewer')}"
    total = ""
    if summary.greatest_total > 0:
        total = f", total {summary.total:.4f} ({summary.total / summary.greatest_total:.2%} of the greatest)"
    yield f"{sizes}, {summary.method}: {counted(summary.pairs, 'pair')}{total}"
    proof = "no assignment has a higher lowest sum" if summary.certified else f"gap {summary.gap:.4f}"
    yield f"lowest paper sum {summary.lowest:.4f}, the hardest paper's own best reviewers {summary.bound:.4f}: {proof}"
    yield f"on average a paper has {summary.mean_share:.1%} of what its own best reviewers would give it"
    yield f"greatest load {summary.greatest_load}, {counted(summary.idle, 'reviewer')} without a paper"
    if summary.seed is not None:
        yield (
            f"drawn with seed {summary.seed}: expected quality {summary.quality:.4f}, no pair more likely than "
            f"{summary.largest_probability:.4f}, entropy {summary.entropy:.2f}"
        )
    yield f"conflicts of interest: {summary.conflicts.words}"
    conflicts = [f"{pair.paper} {pair.reviewer} ({pair.conflict})" for pair in summary.conflicts.chosen]
    listing = {
        "pairs with a possible conflict": conflicts,
        "pairs without a score, as a last resort": [f"{pair.paper} {pair.reviewer}" for pair in summary.unscored],
        "papers that lack reviews": [f"{row.paper} ({row.missing})" for row in summary.short],
        "papers with less than half of their own best": [f"{row.paper} ({row.share:.0%})" for row in summary.thin],
        "pairs of the old assignment that changed": [f"{paper} {reviewer}" for paper, reviewer in summary.changed],
    }
    yield from (f"{words} ({len(entries):,}): {shorten(entries)}" for words, entries in listing.items() if entries)
    if summary.kept or summary.changed:
        yield f"{counted(summary.kept, 'pair')} of the old assignment kept"
    if summary.slots:
        best = ", ".join(f"{slot.reviewer} (+{slot.gain:.3f})" for slot in summary.slots[:5])
        yield f"one more slot would gain most from: {best}"
    if summary.recruits:
        best_recruit = summary.recruits[0]
        gain = f"(+{best_recruit.gain:.3f}), for {', '.join(best_recruit.papers)}"
        yield f"whom to recruit: another reviewer like {best_recruit.like} {gain}"
        if report is not None and (report / "recruit_1.json").exists():
            yield f"  panelist find {report / 'recruit_1.json'}"


class _AssignByDefault(TyperGroup):
    """A group whose first command is meant where none is named: `panelist assign scores.csv -o assignment.csv`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or args[0] not in self.commands:
            args = [make.__name__, *args]
        return super().parse_args(ctx, args)


_ABOUT = "From scores to an assignment: who reviews what."
app = group(_ABOUT, make, check, compare, draw, leads, why, cls=_AssignByDefault, no_args_is_help=False)
