"""`panelist assign SCORES -o FILE`: make an assignment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from panelist.app.cli.assign.options import AssignFlags, inputs, read_given, told_as_flags
from panelist.app.cli.options import JsonOption, option, spread
from panelist.app.cli.output import listed, print_json, say, show_progress
from panelist.app.formats.systems import System, committee_names, for_system
from panelist.errors import InputError
from panelist.files import check_files, write_whole
from panelist.words import counted

if TYPE_CHECKING:
    from retriever.assignment.explain.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputFlags:
    """Where the assignment goes, and what else is written."""

    out: Path | None = option("paper,reviewer,score; OpenReview's JSON if it ends in .json.", "--out", "-o")
    system: System | None = option(
        "Write OUT as the file that this system takes.", "--format", "-f", show_default=False
    )
    alternates: int = option("Find this many alternates per paper.", default=0, min=0)
    alternates_out: Path | None = option("[default: OUT with -alternates before its ending].")
    marginals: Path | None = option("Write paper,reviewer,probability, and the seed beside it.")
    report: Path | None = option("Write a page with plots into this directory.")


@spread
def make(given: AssignFlags, output: OutputFlags, json: JsonOption = False) -> None:
    """Assign reviewers to papers: fairly by default, exactly, at random or in turn, and say what it costs.

    Scores, constraints, quotas and demands are OpenReview's files without header. Conflicts are those of the table that
    `panelist affinity` wrote beside the scores, or of --submissions and --committee; possible ones are avoided. A pair
    without a score is not taken. Infeasible problems are explained by name, and nothing is repaired in silence.

    `panelist assign check …` says whether there is an assignment, and why not; `panelist assign why PAPER REVIEWER …`
    explains a pair; `panelist assign compare a.csv b.csv` shows what changed.

    **Examples**

        panelist assign scores.csv -o assignment.csv --demand 3 --max 6 --report report/

        panelist assign scores.csv -o assignment.csv --constraints coi.csv --quotas quotas.csv --method total

        panelist assign scores.csv -o a.csv --method random --cap 0.5 --seed 7 --marginals marginals.csv

        panelist assign scores.csv -o new.csv --existing old.csv --keep --quotas declined.csv

        panelist assign -s submissions.json -r committee/ -o assignment.csv --alternates 3

        panelist assign scores.csv -o assignments.xml --format cmt
    """
    from retriever.assignment.explain.alternates import find_alternates
    from retriever.assignment.explain.summary import summarise_assignment
    from retriever.assignment.feasibility import InfeasibleError
    from retriever.assignment.methods import METHODS
    from retriever.assignment.output import alternates_csv, marginals_csv, marginals_record, write_assignment
    from retriever.assignment.solve import assign

    out, system, marginals, report = output.out, output.system, output.marginals, output.report
    alternates, alternates_out = output.alternates, output.alternates_out
    if out is None and system is not None:
        raise InputError("--format is that of a file: say where it goes with -o")
    if out is None and not json:
        raise InputError("say where the assignment goes: -o assignment.csv")
    if not alternates and alternates_out is not None:
        raise InputError("--alternates-out is where alternates go: say how many with --alternates N, too")
    if alternates and alternates_out is None and out is not None:
        alternates_out = out.with_name(f"{out.stem}-alternates.csv")
    record = None if marginals is None else marginals.with_name(f"{marginals.stem}.json")
    check_files((out, alternates_out, marginals, record), inputs(given))
    if report is not None:
        from eval.reports.page import Report

        Report.check(report)
    if marginals is not None and not getattr(METHODS.get(given.method), "drawn", True):
        names = ", ".join(name for name, method in METHODS.items() if method.drawn)
        raise InputError(f"--marginals does not work with --method {given.method}, only with {names}")
    try:
        with told_as_flags():
            problem, texts = read_given(given)
            with show_progress() as progress:
                made = assign(problem, progress=progress)
    except InfeasibleError as error:
        if report is not None:  # the line that is printed has the number, the page has the names
            from eval.reports.assignment import infeasible_report

            infeasible_report(error.cut).write(report)
        raise
    others = find_alternates(made, alternates) if alternates else []
    if out is not None:
        if system is None:
            write_assignment(made, out, others)
        else:
            called = committee_names(given.reviewers) if system == "easychair" else {}
            pairs = ((one.paper, one.reviewer, one.score) for one in made.pairs)
            write_whole(out, for_system(system, "assignment", pairs, called))
    if alternates_out is not None:
        write_whole(alternates_out, alternates_csv(others))
    if marginals is not None and record is not None:
        write_whole(marginals, marginals_csv(made))
        write_whole(record, marginals_record(made))
    summary = summarise_assignment(made)
    if report is not None:
        from eval.reports.assignment import assignment_report, write_recruits

        assignment_report(made, summary, others).write(report)
        write_recruits(summary, texts, report)
    if json:
        print_json(summary)
    else:
        _show(summary, report)


def _show(summary: Summary, report: Path | None) -> None:
    def say_any(what: str, entries: list[str]) -> None:
        if entries:
            say(f"{what} ({len(entries):,}): {listed(entries)}")

    for note in summary.notes:
        say(f"note: {note}")
    sizes = f"{counted(summary.papers, 'paper')} × {counted(summary.reviewers, 'reviewer')}"
    total = ""
    if summary.greatest_total > 0:
        total = f", total {summary.total:.4f} ({summary.total / summary.greatest_total:.2%} of the greatest)"
    say(f"{sizes}, {summary.method}: {counted(summary.pairs, 'pair')}{total}")
    proof = "no assignment has a higher lowest sum" if summary.certified else f"gap {summary.gap:.4f}"
    say(f"lowest paper sum {summary.lowest:.4f}, the hardest paper's own best reviewers {summary.bound:.4f}: {proof}")
    say(f"on average a paper has {summary.mean_share:.1%} of what its own best reviewers would give it")
    say(f"greatest load {summary.greatest_load}, {counted(summary.idle, 'reviewer')} without a paper")
    if summary.seed is not None:
        say(
            f"drawn with seed {summary.seed}: expected quality {summary.quality:.4f}, no pair more likely than "
            f"{summary.largest_probability:.4f}, entropy {summary.entropy:.2f}"
        )
    say(f"conflicts of interest: {summary.conflicts.words}")
    conflicts = [f"{one.paper} {one.reviewer} ({one.conflict})" for one in summary.conflicts.chosen]
    say_any("pairs with a possible conflict", conflicts)
    say_any("pairs without a score, as a last resort", [f"{one.paper} {one.reviewer}" for one in summary.unscored])
    say_any("papers that lack reviews", [f"{one.paper} ({one.missing})" for one in summary.short])
    say_any("papers with less than half of their own best", [f"{one.paper} ({one.share:.0%})" for one in summary.thin])
    if summary.kept or summary.changed:
        say(f"{counted(summary.kept, 'pair')} of the old assignment kept")
        say_any("its other pairs", [f"{paper} {reviewer}" for paper, reviewer in summary.changed])
    if summary.slots:
        best = ", ".join(f"{slot.reviewer} (+{slot.gain:.3f})" for slot in summary.slots[:5])
        say(f"one more slot would gain most from: {best}")
    if summary.recruits:
        first = summary.recruits[0]
        say(f"whom to recruit: another reviewer like {first.like} (+{first.gain:.3f}), for {', '.join(first.papers)}")
        if report is not None and (report / "recruit_1.json").exists():
            say(f"  panelist find {report / 'recruit_1.json'}")
