"""Making a solution: from its inputs to who reviews what, its figures and files; or why there is none, and cures."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import structs

from eval.reports.assignment import assignment_report
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solutions import CSV, Pairs, Solution
from panelist.app.desk.conference.store import StoredConference
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.progress import Progress
from panelist.words import counted, without_directories
from retriever.assignment.assignment import AssignedPair, Assignment
from retriever.assignment.explain.alternates import Alternate, find_alternates
from retriever.assignment.explain.summary import Summary, summarise_assignment
from retriever.assignment.feasibility import Cut, InfeasibleError
from retriever.assignment.output import alternates_csv, assignment_csv, assignment_json, marginals_csv
from retriever.assignment.solve import assign

_POINTS = 101  # of a curve
_WORDS = {
    "most": "Raise every load to {}",
    "least": "Lower the least load to {}",
    "cap": "Raise the cap to {:g}",
    "allow_unscored": "Allow pairs without a score",
    "allow_short": "Allow papers to lack reviews, evenly",
    "senior": "Ask for no seniors",
    "no_cycles": "Allow mutual reviews",
}
"""What a cure changes, in the words of the page."""
REPORT, OPENREVIEW, ALTERNATES, MARGINALS = "report.html", "openreview.json", "alternates.csv", "marginals.csv"


def make(conference: StoredConference, number: int, progress: Progress) -> None:
    """Make a solution that waits. Its record says at the end what came out, also if nothing could."""
    solution = solutions.read_solution(conference, number)
    try:
        assignment = solve(conference, solution, progress)
    except InfeasibleError as error:
        cut = error.cut
        parts = {"missing": cut.missing, "papers": list(cut.papers), "reviewers": list(cut.reviewers)}
        cures = list(_cures(cut, solutions.settings_of(solution)))
        solutions.save(
            conference, structs.replace(solution, state="infeasible", error=cut.words, cut=parts, cures=cures)
        )
    except InputError as error:
        words = without_directories(str(error).replace(f"{conference.path}/", ""))
        solutions.save(conference, structs.replace(solution, state="failed", error=words))
    else:
        progress("writing", 2, 3)
        write_files(conference, solution, assignment, assignment.pairs)


def write_files(
    conference: StoredConference, solution: Solution, assignment: Assignment, pairs: list[AssignedPair]
) -> None:
    """Write what came out of a solution: its files, these pairs, and its record."""
    alternates = find_alternates(assignment, solutions.settings_of(solution).alternates)
    summary = summarise_assignment(assignment)
    folder = solutions.directory_of(conference, solution.number)
    for name, content in files_of(assignment, summary, alternates).items():
        if name != MARGINALS or assignment.lottery is not None:
            write_whole(folder / name, content)
    solutions.save_pairs(conference, solution.number, Pairs(pairs, alternates))
    figures = msgspec.to_builtins(summary)
    solutions.save(conference, structs.replace(solution, state="done", summary=figures, plots=_plots(assignment)))


def files_of(assignment: Assignment, summary: Summary, alternates: Sequence[Alternate]) -> dict[str, bytes]:
    """An assignment in every form, by the names of the files."""
    return {
        CSV: assignment_csv(assignment),
        OPENREVIEW: assignment_json(assignment, alternates),
        ALTERNATES: alternates_csv(alternates),
        MARGINALS: marginals_csv(assignment),
        REPORT: assignment_report(assignment, summary, alternates).html().encode(),
    }


def solve(conference: StoredConference, solution: Solution, progress: Progress) -> Assignment:
    """The assignment of a solution."""
    progress("reading", 0, 3)
    problem = solutions.problem_of(conference, solution)
    progress("assigning", 1, 3)
    return assign(problem, progress=progress)


def _plots(assignment: Assignment) -> dict[str, list[float]]:
    """Small plots as numbers: curves at as many points as a page can show, and loads."""
    demanding = assignment.solved.demand > 0
    steps = np.linspace(0, 1, _POINTS)
    loads, most = assignment.loads, assignment.solved.most
    count = np.bincount(loads)
    full = np.bincount(loads[(loads >= most) & (most > 0)], minlength=len(count))
    return {
        "sums": np.quantile(assignment.sums[demanding], steps).tolist() if demanding.any() else [],
        "shares": np.quantile(assignment.shares[demanding], steps).tolist() if demanding.any() else [],
        "loads": count.tolist(),
        "full": full.tolist(),
    }


def _cures(cut: Cut, settings: ConferenceSettings) -> Iterator[dict[str, Any]]:
    """Cures in the words of the page, each with the settings to try, or with quotas to set by hand."""
    for cure in cut.cures:
        change = dict(cure.change)
        if "quotas" in change:
            named = ", ".join(f"{who} to {most}" for who, most in sorted(change["quotas"].items()))
            yield {"words": f"Raise the load of {named}", "quotas": change["quotas"]}
        elif change:
            changed = settings.cured(change).model_dump(mode="json")
            yield {"words": _words(change), "settings": changed}
        else:
            yield {"words": cure.words[:1].upper() + cure.words[1:]}


def _words(change: dict[str, Any]) -> str:
    (name, value), *_ = change.items()
    match name:
        case "demand":
            return f"Ask for {counted(value, 'review')} per paper"
        case "apart":
            return f"Keep apart only: {', '.join(value)}" if value else "Keep nobody apart"
    return _WORDS[name].format(value)
