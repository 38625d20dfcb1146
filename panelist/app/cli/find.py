"""`panelist find` and `run`: reviewers for a submission, and rankings for many, as a TREC run."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import typer
from msgspec.structs import replace

from panelist.app.bibliographies import references_of
from panelist.app.cli.lookup import LookupOptions, PanelOptions
from panelist.app.cli.options import ExecutorOption, JsonOption, QueryEncoding, WorkspaceOption, argument, option
from panelist.app.cli.output import console, print_json, show_progress, warn
from panelist.corpus.readers.people import sorted_people, split_people, words_as_ids
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.files import check_files, replacing, write_whole
from panelist.records import Conflict, Coverage, Submission
from panelist.spreadsheet import csv_text
from panelist.words import counted, first_of
from panelist.workspace import Workspace


def find(
    submission: Path | None = argument("A file with the submission (JSON: title, abstract, authors, …)."),
    title: str = option("The submission's title.", "-t", default=""),
    abstract: str = option("Its abstract; '-' reads standard input.", "-a", default=""),
    id_: str | None = option("The submission's id, as --declared has it.", "--id"),
    author: list[str] | None = option("Id or name of an author, or a list of them (repeatable)."),
    author_name: list[str] | None = option("Name of an author without a known id (repeatable)."),
    not_author: list[str] | None = option("Id of somebody who is not an author, only called like one (repeatable)."),
    bibliography: Path | None = option("What the submission cites: .bib, .ris, .nbib, .pdf, or text, one per line."),
    received: datetime | None = option(
        "The day it came in: of review histories, what was known before counts [default: today].", formats=["%Y-%m-%d"]
    ),
    *,
    panel_options: PanelOptions,
    output: str = option("table, json, csv, trec, openreview or conflicts.", "--format", "-f", default="table"),
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
    encoding: QueryEncoding,
    lookup_options: LookupOptions,
) -> None:
    """Find reviewers for a submission: ranked, with the papers that make them experts.

    People with a certain conflict with the authors (--author) are left out, and so is who may be an author by name; the
    last lines say who that is, and whose conflicts could be looked for. Where nobody here works on the topic, that is
    said instead, and the exit code is 3.

    Examples:
        panelist find --title "Lipid droplets in immunity" --abstract "We show that …" -k 5
        panelist find submission.json --diversity 0.3 --country DE --country FR
        panelist find submission.json --pool committee.txt --format csv
        panelist find submission.json --bibliography manuscript.bib
    """
    from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
    from panelist.app.formats.terminal import to_table

    output = "json" if json else output
    formats = ("table", "json", *WRITERS)
    if output not in formats:
        raise InputError(f"unknown format '{output}': use one of {', '.join(formats)}")
    lookup = panel_options.add_to(lookup_options.lookup(panel_options.size))
    paper = _submission(submission, title, abstract, author or [], author_name or [])
    if any(character.isspace() for character in id_ or ""):
        raise InputError(f"the id '{id_}' contains whitespace: give one word")
    paper = replace(
        paper,
        id=id_ or paper.id,
        not_authors=(*paper.not_authors, *(not_author or ())),
        bibliography=paper.bibliography + (() if bibliography is None else references_of(bibliography, warn)),
        received=paper.received if received is None else received.date(),
    )
    if not id_ and submission is None and len(lookup.declared) == 1:  # it can only be meant for this submission
        lookup = dataclasses.replace(lookup, declared={paper.id: next(iter(lookup.declared.values()))})
    _warn_of_unmatched(lookup.declared, [paper])
    from retriever.finder import Finder

    opened = Workspace.at(workspace)
    load, index = encoding.loader(), lookup_options.index
    with show_progress("kernels") as progress, Finder.open(opened, progress, load=load, lexical=index) as finder:
        lookup_options.use_history(finder)
        panel = finder.find(paper, lookup)
    if output == "json":
        print_json(panel)
    elif output == "table":
        console().print(to_table(panel))
    else:
        typer.echo(WRITERS[output]([panel]), nl=False)
        possible_authors = [*dict.fromkeys(conflict.reviewer for conflict in panel.held_back)]
        if possible_authors and output != "conflicts":
            words = "held back, because they may be authors (--not-author ID brings them back)"
            warn(f"{words}: {first_of(possible_authors)}")
        count = sum(bool(match.conflicts) for match in panel.matches)
        if count and output in WITHOUT_FLAGS:
            subject = "1 reviewer has" if count == 1 else f"{count} reviewers have"
            warn(f"{subject} a possible conflict of interest, which {output} cannot show: see --format conflicts")
    checked = panel.conflicts_checked
    if output != "table" and checked.authors and not (checked.matched or checked.by_name):
        warn(f"conflicts of interest: {checked.words}")
    if panel.coverage is Coverage.NONE:
        if output not in ("table", "json"):
            warn(panel.evidence)
        raise typer.Exit(3)


def run(
    queries: Path = argument("Submissions: JSON lines, submissions.json or CSV."),
    out: Path = option("The run file to write; .gz compresses it.", "-o"),
    tag: str = option("The name of the run, its last column.", default="panelist"),
    possible: Path | None = option("Write possible conflicts here: paper,reviewer,-1,evidence."),
    coverage: Path | None = option("Write whether anybody here works on it: submission,none, thin or good."),
    *,
    size: int = option("How many reviewers for each submission.", "-k", default=100),
    executor: ExecutorOption = None,
    encoding: QueryEncoding,
    workspace: WorkspaceOption = None,
    lookup_options: LookupOptions,
) -> None:
    """Rank reviewers for every submission of a file and write a TREC run: `qid Q0 reviewer rank score tag`.

    The run is the plain ranking, without certain conflicts and without who may be an author by name; it is complete or
    it is not written at all. A run cannot flag possible conflicts: --possible lists them, and whom it left out.

    Examples:
        panelist run submissions.jsonl --out run.trec
        panelist run submissions.csv --out bm25.trec --mode lexical --aggregate max --tag bm25
        panelist run submissions.jsonl --out run.trec --executor dask://scheduler:8786
    """
    if not tag or any(character.isspace() for character in tag):
        raise InputError(f"tag '{tag}' cannot stand in a run: give one word")
    lookup = lookup_options.lookup(size)
    submissions = read_submissions(queries)
    _warn_of_unmatched(lookup.declared, submissions)
    if (unchecked := lookup.conflict_rules.unchecked()) and lookup.conflicts != "ignore":
        warn(f"not checked for conflicts, because the corpus does not have them: {', '.join(unchecked)}")
    if executor is not None and lookup_options.history not in ("auto", "off"):
        raise InputError(
            "workers read the workspace: import the history ('panelist history import') and leave --history"
        )
    check_files((out, possible, coverage), (queries, lookup_options.declared, lookup_options.pool))
    import numpy as np

    from eval.runs import Run
    from eval.trec import write_run
    from indexing.jobs.executors import open_workers
    from panelist.app.rank_parts import rank_by
    from retriever.conference.conflicts.declared import evidence_lines
    from retriever.conference.conflicts.table import TableHeader
    from retriever.finder import Finder

    rankings: dict[str, list[tuple[str, float]]] = {}
    flagged: list[Conflict] = []
    held_back: list[Conflict] = []
    covered: dict[str, Coverage | None] = {}
    strangers: dict[str, int] = {}  # submission -> how many authors it has, none of whom is known
    opened, load, index = Workspace.at(workspace), encoding.loader(), lookup_options.index
    with (
        Finder.open(opened, load=load, lexical=index) as finder,
        open_workers(executor) as workers,
        show_progress("submissions") as progress,
    ):
        lookup_options.use_history(finder)
        named = dict.fromkeys(person for submission in submissions for person in lookup.declared.get(submission.id, ()))
        matches = finder.conflicts.sources[0].numbers([*named])
        if missing := [person for person, numbers in zip(named, matches, strict=True) if not numbers]:
            warn(f"declared as in conflict, but not in the index: {first_of(missing)}")
        if workers is None:
            ranked = finder.rank_covered(submissions, lookup)
        else:
            ranked = rank_by(workers, opened, submissions, lookup, load, index)
        for submission, (ranking, level) in zip(submissions, ranked, strict=True):
            rankings[submission.id], covered[submission.id] = ranking, level
            progress("ranking", len(rankings), len(submissions))
            if lookup.conflicts != "ignore":
                (author_conflicts,) = finder.conflicts.find(submission, [np.zeros(0, np.int64)], lookup.conflict_rules)
                checked = author_conflicts.checked()
                if checked.authors and not (checked.matched or checked.by_name):
                    strangers[submission.id] = checked.authors
                reasons = finder.flagged(submission, [reviewer for reviewer, _ in ranking], lookup)
                flagged += [best for best, *_ in reasons.values()]
            if lookup.conflicts == "hide":
                held_back += finder.held_back(submission, lookup)
    with replacing(out) as unfinished:
        write_run(Run.of_lists(rankings, tag), unfinished)
    if possible is not None:
        write_whole(possible, evidence_lines(flagged + held_back).encode())
    if coverage is not None:
        write_whole(coverage, csv_text((paper, level or "") for paper, level in covered.items()).encode())
    if nowhere := [paper for paper, level in covered.items() if level is Coverage.NONE]:
        warn(f"nobody here works on {counted(len(nowhere), 'submission')}: no paper is near {first_of(nowhere)}")
    for words in TableHeader(unknown=strangers).nothing_checked():
        warn(f"conflicts of interest: {words}: {first_of([*strangers])}")
    if held_back and possible is None:
        pairs = {(reason.submission, reason.reviewer) for reason in held_back}
        subject = counted(len(pairs), "person who may be an author was", "people who may be authors were")
        warn(f"{subject} not ranked: see --possible FILE, and name others in 'not_authors' of the submission")
    if flagged and possible is None:
        subject = counted(len(flagged), "ranked person has", "ranked people have")
        warn(f"{subject} a conflict of interest that a run cannot show: see --possible FILE")


def _submission(
    path: Path | None, title: str, abstract: str, authors: list[str], author_names: list[str]
) -> Submission:
    if abstract == "-":
        abstract = sys.stdin.read()
    authors_or_names = words_as_ids(person for entry in authors for person in split_people(entry))
    by_name = (person for name in author_names for person in split_people(name) or [name])
    people, names = sorted_people([*authors_or_names, *by_name])
    if path is None:
        return Submission("submission", title, abstract, authors=people, author_names=names)
    submissions = read_submissions(path)
    if len(submissions) != 1:
        raise InputError(f"'{path}' holds {len(submissions)} submissions: give one, or use 'panelist run' for many")
    submission = submissions[0]
    return replace(
        submission,
        title=title or submission.title,
        abstract=abstract or submission.abstract,
        authors=submission.authors + people,
        author_names=submission.author_names + names,
    )


def _warn_of_unmatched(declared: Mapping[str, Sequence[str]], submissions: Sequence[Submission]) -> None:
    """Say on stderr which declared conflicts are of no submission that is looked up."""
    from retriever.conference.conflicts.declared import unmatched

    pairs = unmatched(declared, submissions)
    if pairs:
        conflicts = counted(len(pairs), "declared conflict names", "declared conflicts name")
        warn(f"{conflicts} no submission that was asked about: {first_of(pairs, '; ')}")
