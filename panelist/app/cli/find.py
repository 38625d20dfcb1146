"""`panelist find` and `run`: reviewers for a submission, and rankings for many, as a TREC run."""

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from msgspec.structs import replace

from panelist.app.bibliographies import references_of
from panelist.app.cli.lookup import LookupOptions, PanelOptions
from panelist.app.cli.options import ExecutorOption, JsonOption, QueryEncoding, WorkspaceOption, argument, option
from panelist.app.cli.output import console, print_json, show_progress, warn
from panelist.corpus.readers.people import sorted_people, split_people
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.files import check_files, replacing, write_whole
from panelist.records import Author, Conflict, Submission
from panelist.words import counted, first_of
from panelist.workspace import Workspace


def find(
    submission: Path | None = argument("A file with the submission (JSON: title, abstract, authors, …)."),
    title: str = option("The submission's title.", "-t", default=""),
    abstract: str = option("Its abstract; '-' reads standard input.", "-a", default=""),
    id_: str | None = option("The submission's id, as --declared has it.", "--id"),
    author: list[str] | None = option("Id or name of an author, or a list of them (repeatable)."),
    author_name: list[str] | None = option("Name of an author without a known id (repeatable)."),
    bibliography: Path | None = option(
        "What the submission cites: .bib, .ris, .nbib, .pdf, or text with one per line."
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

    People with a certain conflict with the authors (--author) are left out; the last lines say whose conflicts could be
    looked for.

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
    if bibliography is not None:
        paper = replace(paper, bibliography=paper.bibliography + references_of(bibliography, warn))
    if any(character.isspace() for character in id_ or ""):
        raise InputError(f"the id '{id_}' contains whitespace: give one word")
    if id_:
        paper = replace(paper, id=id_)
    elif submission is None and len(lookup.declared) == 1:  # it can only be meant for this submission
        lookup = dataclasses.replace(lookup, declared={paper.id: next(iter(lookup.declared.values()))})
    _warn_of_unmatched(lookup.declared, [paper])
    from retriever.finder import Finder

    opened = Workspace.at(workspace)
    with show_progress("kernels") as progress, Finder.open(opened, progress, load=encoding.loader()) as finder:
        panel = finder.find(paper, lookup)
    if output == "json":
        print_json(panel)
    elif output == "table":
        console().print(to_table(panel))
    else:
        typer.echo(WRITERS[output]([panel]), nl=False)
        count = sum(bool(match.conflicts) for match in panel.matches)
        if count and output in WITHOUT_FLAGS:
            who = "1 reviewer has" if count == 1 else f"{count} reviewers have"
            warn(f"{who} a possible conflict of interest, which {output} cannot show: see --format conflicts")


def run(
    queries: Path = argument("Submissions: JSON lines, submissions.json or CSV."),
    out: Path = option("The run file to write; .gz compresses it.", "-o"),
    tag: str = option("The name of the run, its last column.", default="panelist"),
    possible: Path | None = option("Write conflicts of ranked people here: paper,reviewer,-1,evidence."),
    *,
    size: int = option("How many reviewers for each submission.", "-k", default=100),
    executor: ExecutorOption = None,
    encoding: QueryEncoding,
    workspace: WorkspaceOption = None,
    lookup_options: LookupOptions,
) -> None:
    """Rank reviewers for every submission of a file and write a TREC run: `qid Q0 reviewer rank score tag`.

    The run is the plain ranking, without certain conflicts; it is complete or it is not written at all. A run cannot
    flag possible conflicts: --possible lists them.

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
        warn(f"not checked for conflicts, because the corpus does not have them: {unchecked}")
    check_files((out, possible), (queries, lookup_options.declared, lookup_options.pool))
    from eval.runs import Run
    from eval.trec import write_run
    from indexing.jobs.executors import open_workers
    from panelist.app.rank_parts import rank_by
    from retriever.conference.conflicts.declared import evidence_lines
    from retriever.finder import Finder

    rankings: dict[str, list[tuple[str, float]]] = {}
    flagged: list[Conflict] = []
    opened, load = Workspace.at(workspace), encoding.loader()
    with (
        Finder.open(opened, load=load) as finder,
        open_workers(executor) as workers,
        show_progress("submissions") as progress,
    ):
        named = dict.fromkeys(who for submission in submissions for who in lookup.declared.get(submission.id, ()))
        matches = finder.conflicts.sources[0].numbers([*named])
        if missing := [who for who, same in zip(named, matches, strict=True) if not same]:
            warn(f"declared as in conflict, but not in the index: {first_of(missing)}")
        if workers is None:
            ranked = finder.rank(submissions, lookup)
        else:
            ranked = rank_by(workers, opened, submissions, lookup, load)
        for submission, ranking in zip(submissions, ranked, strict=True):
            rankings[submission.id] = ranking
            progress("ranking", len(rankings), len(submissions))
            if lookup.conflicts != "ignore":
                reasons = finder.flagged(submission, [reviewer for reviewer, _ in ranking], lookup)
                flagged += [best for best, *_ in reasons.values()]
    with replacing(out) as part:
        write_run(Run.of_lists(rankings, tag), part)
    if possible is not None:
        write_whole(possible, evidence_lines(flagged).encode())
    elif flagged:
        who = counted(len(flagged), "ranked person has", "ranked people have")
        warn(f"{who} a conflict of interest that a run cannot show: see --possible FILE")


def _submission(
    path: Path | None, title: str, abstract: str, authors: list[str], author_names: list[str]
) -> Submission:
    if abstract == "-":
        abstract = sys.stdin.read()
    everybody = [person for entry in authors for person in split_people(entry)]
    # A word alone may be an id of the corpus; if it is none, it is searched as a name.
    authors_or_names = [Author(who, who) if isinstance(who, str) and " " not in who else who for who in everybody]
    by_name = (who for name in author_names for who in split_people(name) or [name])
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
        what = counted(len(pairs), "declared conflict names", "declared conflicts name")
        warn(f"{what} no submission that was asked about: {first_of(pairs, '; ')}")
