"""What avoiding possible conflicts costs an assignment, and whether a method assigns any author or certain conflict.

    python benchmarks/conflicts.py               # 200 papers of the ACL Anthology × 40 people, and the gold standard
    python benchmarks/conflicts.py CHECKOUT      # the time of 1,000 papers × 5,000 people, beside another checkout

The ACL conference: papers of 2023, half of them by people of the committee, who wrote most before. They sit there under
five forms of ids (OpenReview, e-mail, ORCID, an opaque id with a name, one with initials); papers name them by e-mail
or ORCID where the committee has those, else by name. The gold standard: 463 rated papers, 58 people without names.

Time is processor time of `panelist affinity` with conflicts less that without, in turns; both checkouts run with this
environment's packages.
"""

import csv
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import orjson

from panelist.config import data_dir
from panelist.corpus.identity import comparable
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.records import Author, Paper, Submission
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, Records, ScoreTable
from retriever.assignment.explain.summary import summarise_assignment
from retriever.assignment.methods import METHODS
from retriever.assignment.options import AssignOptions
from retriever.assignment.solve import assign
from retriever.conference.committee import Committee, Member, read_profiles
from retriever.conference.conference import Conference
from retriever.conference.options import ScoreOptions

YEAR, PAPERS, PEOPLE, PROFILE = 2023, 200, 40, 20
ROUNDS = 3
Forms = dict[str, tuple[str, Member, Author]]


def main() -> None:
    """Assign both conferences by every method and print what came out, or measure the time."""
    if len(sys.argv) > 1:
        compare(Path(sys.argv[1]).resolve())
        return
    measure("ACL, 200 × 40", *acl(), most=18)
    folder = data_dir() / "goldstandard" / "openreview" / "d_20_1"
    submissions = read_submissions(folder / "submissions.json")
    measure("gold standard", Conference(submissions, read_profiles(folder)), set(), most=30)


def compare(other: Path) -> None:
    """Print the time that conflicts of 1,000 × 5,000 take here and in another checkout, and the ratio."""
    people: dict[str, list[tuple[Paper, str]]] = defaultdict(list)
    new: list[Paper] = []
    for paper in openalex.read(openalex.find([data_dir() / "acl" / "works"]), ReadReport()):
        if paper.year == YEAR and paper.abstract:
            new.append(paper)
        for one in paper.authorships if (paper.year or YEAR) < YEAR else ():
            people[one.author.id].append((paper, one.author.name))
    most = sorted(people, key=lambda who: (-len(people[who]), who))[:5_000]
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            {"id": one.id, "title": one.title, "abstract": one.abstract, "year": one.year}
            | {"authors": [{"id": each.author.id, "name": each.author.name} for each in one.authorships]}
            for one in Random(0).sample(new, 1_000)
        ]
        Path(folder, "s.jsonl").write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in lines))
        with Path(folder, "r.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("reviewer", "paper", "title", "abstract", "name", "year"))
            for who in most:
                for paper, name in people[who]:
                    writer.writerow((who, paper.id, paper.title, paper.abstract, name, paper.year))
        taken: dict[Path, list[float]] = {Path(__file__).parents[1]: [], other: []}
        for _ in range(ROUNDS + 1):
            for checkout, seconds in taken.items():
                seconds.append(processor(checkout, folder, "flag") - processor(checkout, folder, "ignore"))
    here, there = (statistics.median(seconds[1:]) for seconds in taken.values())  # the first one compiles
    print(f"conflicts of 1,000 × 5,000: here {here:.1f} s, there {there:.1f} s, ratio {here / there:.2f}")


def processor(checkout: Path, folder: str, conflicts: str) -> float:
    """The processor time of scoring, with conflicts or without."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    job = ["-s", "s.jsonl", "-r", "r.csv", "-o", "o.csv", "-m", "trivial", "--sparse", "1", "-w", "none"]
    subprocess.run(
        [sys.executable, "-m", "panelist", "affinity", *job, "--conflicts", conflicts],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        check=True,
    )
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


def measure(name: str, conference: Conference, own: set[tuple[str, str]], most: int) -> None:
    """Print what a conference's conflicts are, and for each method what avoiding the possible ones costs."""
    options = ScoreOptions(model="tpms")
    table = conference.conflicts(options.rules)
    scored = conference.score(replace(options, conflicts="flag"), table).scores  # as if the scores were from elsewhere
    records = Records(scores={AFFINITY: ScoreTable.of(scored)}, conflicts=table)
    certain = {(one.submission, one.reviewer) for one in table if one.certain}
    marked = {(one.submission, one.reviewer) for one in table}
    print(f"{name}: {len(certain)} certain and {len(marked) - len(certain)} possible pairs;", end=" ")
    print(
        f"of {len(own)} pairs of authors {len(own & certain)} certain, {len(own & (marked - certain))} possible,",
        end=" ",
    )
    print(f"{len(own - marked)} missed")
    for name, method in METHODS.items():
        asked = AssignOptions(name, most=most)
        if method.drawn:
            asked = replace(asked, cap=0.8)
        if name == "perturbed":
            asked = replace(asked, cap=0.8, quality=0.5)
        unaware = assign(make_problem(replace(records, conflicts=None), asked))
        made = assign(make_problem(records, asked))
        found = summarise_assignment(made).conflicts
        pairs = {(one.paper, one.reviewer) for one in made.pairs}
        before = {(one.paper, one.reviewer) for one in unaware.pairs}
        lowest = "" if found.lowest_cost is None else f", {found.lowest_cost:.2%} of the lowest paper"
        print(
            f"  {name}: avoiding {found.avoided} possible costs {found.total_cost:.2%} of the total{lowest}; "
            f"authors or certain conflicts assigned: {len(pairs & (certain | own))} of {len(pairs)} "
            f"(without the table: {len(before & (certain | own))})"
        )


def acl() -> tuple[Conference, set[tuple[str, str]]]:
    """The conference, and the pairs of submissions and their authors on the committee."""
    before: dict[str, list[Paper]] = defaultdict(list)
    new: list[Paper] = []
    for paper in openalex.read(openalex.find([data_dir() / "acl" / "works"]), ReadReport()):
        if paper.year == YEAR and paper.abstract:
            new.append(paper)
        elif paper.year is not None and paper.year < YEAR:
            for authorship in paper.authorships:
                before[authorship.author.id].append(paper)
    writing = {one.author.id: one.author for paper in new for one in paper.authorships}
    chosen = sorted(writing, key=lambda who: (-len(before[who]), who))[:PEOPLE]
    forms = {who: form(number, writing[who]) for number, who in enumerate(chosen)}
    mine = [paper for paper in new if forms.keys() & {one.author.id for one in paper.authorships}]
    others = [paper for paper in new if paper not in mine]
    dice = Random(0)
    papers = [*dice.sample(mine, PAPERS // 2), *dice.sample(others, PAPERS // 2)]
    owned = tuple(tuple(before[who]) for who in chosen)
    ids = tuple(forms[who][0] for who in chosen)
    profiles = tuple(tuple(sorted(own, key=lambda one: -(one.year or 0))[:PROFILE]) for own in owned)
    committee = Committee(ids, profiles, owned, {comparable(forms[who][0]): forms[who][1] for who in chosen})
    own = {
        (paper.id, forms[one.author.id][0]) for paper in papers for one in paper.authorships if one.author.id in forms
    }
    return Conference([submission(paper, forms) for paper in papers], committee), own


def form(number: int, author: Author) -> tuple[str, Member, Author]:
    """The id on the committee, what its table says, and the author as papers have it (an id is empty: a name alone)."""
    first, *_, last = author.name.split()
    mail, orcid = f"{first}.{last}{number}@university.edu".lower(), f"0000-0001-{number:04d}-000"
    match number % 5:
        case 0:
            return f"~{first}_{last}1", Member(), Author("", author.name)
        case 1:
            return mail.upper(), Member(), Author(mail, author.name, email=mail)
        case 2:
            whole = next(f"{orcid}{end}" for end in "0123456789X" if comparable(orcid + end).startswith("orcid:"))
            return f"https://orcid.org/{whole}", Member(name=author.name), Author(whole, author.name, whole)
        case 3:
            return f"r{number}", Member(name=author.name), Author("", author.name)
    return f"r{number}", Member(name=f"{first[0]}. {last}"), Author("", author.name)


def submission(paper: Paper, forms: Forms) -> Submission:
    """A paper as it was submitted: its authors by id where there is one, else by name."""
    people = [
        forms[one.author.id][2] if one.author.id in forms else Author("", one.author.name) for one in paper.authorships
    ]
    return Submission(
        paper.id,
        paper.title,
        paper.abstract,
        tuple(one for one in people if one.id),
        tuple(one.name for one in people if not one.id),
        year=paper.year,
    )


if __name__ == "__main__":
    main()
