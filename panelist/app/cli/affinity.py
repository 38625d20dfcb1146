"""`panelist affinity`: score every submission against every reviewer of a conference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panelist.app.bibliographies import with_bibliographies
from panelist.app.cli.lookup import ConflictOptions, read_events
from panelist.app.cli.options import Encoding, ExecutorOption, WorkspaceOption, option
from panelist.app.cli.output import Answer, agree, note, shorten, show_progress, warn
from panelist.corpus.readers.ids import read_ids
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.files import check_files
from panelist.parameters import read_parameters
from panelist.records import Submission
from panelist.words import counted, first_of
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from indexing.encoders import EncoderFactory
    from retriever.affinity.scoring import ScoredConference
    from retriever.conference.committee import Committee
    from retriever.conference.conference import Conference
    from retriever.conference.conflicts.table import ConflictTable
    from retriever.conference.directory import Indexed
    from retriever.conference.options import ScoreOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class AffinityFlags:
    """What is scored, how, and which files are written."""

    submissions: Path = option("submissions.json (OpenReview), CSV, JSON lines, or their folder.", "-s")
    out: Path = option("Scores: submission,reviewer,score, no header.", "-o")
    reviewers: Path | None = option(
        "Directory with archives/ (OpenReview), CSV (reviewer,paper,title,abstract), or author ids of the corpus: one "
        "per line, the table of 'panelist committee match', or names and addresses [default: everybody of the corpus].",
        "-r",
    )
    people: Path | None = option("CSV of the reviewers, for conflicts: reviewer,name,email,orcid,institution,ror.")
    model: str = option("hybrid, dense, bm25, acl, tpms, trivial or llm.", "-m", default="hybrid")
    parameter: list[str] | None = option("NAME=VALUE of the model, e.g. pooling=max.", "-p")
    sparse: int | None = option("Keep the K best reviewers of each submission and submissions of each reviewer.")
    profile_size: int = option("The most recent papers that make up a profile.", default=20, min=1)
    text: str = option("What is read of papers: abstract, or full (--full-texts).", default="abstract")
    full_texts: Path | None = option("JSON lines of id and text (or counts of words), plain or .gz.")
    bibliographies: Path | None = option("Folder of what submissions cite: ID.bib, ID.ris or ID.pdf for each.")
    references: str = option("auto: who is cited scores higher, where it is known; off: texts only.", default="auto")
    history: str = option(
        "auto: who reviewed or edited near papers before scores higher, where that is known; off; or a FILE of events.",
        default="auto",
    )
    curation: Path | None = option("Choices about profiles: reviewer,paper,weight (drop, keep, 0 to 1),by[,note].")
    constraints: Path | None = option("Write certain conflicts here: paper,reviewer,-1.")
    possible: Path | None = option("Write possible conflicts here: paper,reviewer,-1,evidence.")
    confidence: Path | None = option("Write the probability that each pair fits: submission,reviewer,probability.")
    threshold: float | None = option("List submissions with fewer than three reviewers above this score.")
    yes: bool = option("Start a model that costs money without asking.", "-y")

    def write(self, scored: ScoredConference, table: ConflictTable, conflict_file: Path | None) -> None:
        """Write the scores, the conflicts beside them, and the files that were asked for."""
        from retriever.affinity.output import write_scores
        from retriever.conference.conflicts.declared import write_constraints, write_possible
        from retriever.conference.conflicts.table import conflicts_beside, write_table

        write_scores(scored.scores, self.out)
        if conflict_file is not None:
            write_table(table, conflict_file)
        elif (old := conflicts_beside(self.out)).exists():
            old.unlink()
            warn(f"'{old}' was of earlier scores and is removed: nobody looked for conflicts of these ones")
        if self.constraints is not None:
            write_constraints(table, self.constraints)
        if self.possible is not None:
            write_possible(table, self.possible)
        if self.confidence is not None and scored.grades is None:
            warn(f"model '{self.model}' compares no vectors: '{self.confidence}' is not written")
        elif self.confidence is not None and scored.grades is not None:
            write_scores(scored.scores, self.confidence, scored.grades.fit)


def affinity(
    flags: AffinityFlags,
    executor: ExecutorOption = None,
    *,
    encoding: Encoding,
    workspace: WorkspaceOption = None,
    conflict_options: ConflictOptions,
) -> Answer:
    """Score every submission against every reviewer, as a file that OpenReview's assignment reads.

    Scores are raw, so that runs can be compared. A pair with a certain conflict of interest and a reviewer without any
    paper get no score. All conflicts are written beside the scores (scores.conflicts.jsonl), where 'panelist assign'
    finds them. A possible conflict, such as a namesake of an author, keeps its score: check --possible, and give the
    confirmed lines as --declared. The summary names submissions that lack fair matches or authors, and those that
    are in a reviewer's profile. With --executor, workers encode the papers; scores are computed here.

    Examples:
        panelist affinity -s submissions.json -r committee/ -o scores.csv
        panelist affinity -s submissions.csv -r committee.txt -o scores.csv --sparse 400 --threshold 0.3
        panelist affinity -s submissions.json -r expertise.csv -o scores.csv --model dense -p encoder=specter2
        panelist affinity -s s.json -r committee.txt -o scores.csv --bibliographies pdfs/
        panelist affinity -s s.json -r committee.txt -o scores.csv --history reviews-2025.csv
        panelist affinity -s s.json -r committee/ -o scores.csv --declared coi.csv --possible possible.csv
    """
    from indexing.jobs.executors import DistributedEncoder, open_workers
    from retriever.affinity.model import parameters_of
    from retriever.conference.conference import Conference
    from retriever.conference.conflicts.declared import unmatched
    from retriever.conference.conflicts.table import ConflictTable, conflicts_beside
    from retriever.conference.curation import read_curation
    from retriever.conference.options import ScoreOptions

    if flags.text not in ("abstract", "full"):
        raise InputError(f"--text is abstract or full, received '{flags.text}'")
    if (flags.text == "full") != (flags.full_texts is not None):
        raise InputError("--text full and --full-texts FILE belong together: give both or neither")
    parameters: dict[str, Any] = {} if flags.full_texts is None else {"full_text": str(flags.full_texts)}
    parameters |= read_parameters(flags.parameter or [])
    options = ScoreOptions(
        profile=flags.profile_size,
        keep=flags.sparse,
        history="off" if flags.history == "off" else "auto",
        conflicts=conflict_options.conflicts,  # type: ignore[arg-type]  # checked there
        rules=conflict_options.rules(),
        **{name: getattr(flags, name) for name in ("model", "threshold", "references")},
    )
    conflict_file = None if options.conflicts == "ignore" else conflicts_beside(flags.out)
    check_files(
        (flags.out, conflict_file, flags.constraints, flags.possible, flags.confidence),
        (flags.submissions, flags.reviewers, flags.people, flags.full_texts, conflict_options.declared, flags.curation),
    )
    submissions = submissions_of(flags.submissions)
    if flags.bibliographies is not None:
        submissions, problems = with_bibliographies(submissions, flags.bibliographies, notify=warn)
        for line in problems:
            warn(line)
    declared = conflict_options.read_declared()
    table = ConflictTable()
    with ExitStack() as stack:
        workers = stack.enter_context(open_workers(executor))
        load: EncoderFactory = encoding.loader()
        load = load if workers is None else partial(DistributedEncoder, load, workers)
        people = open_committee(Workspace.at(workspace), flags.reviewers, flags.people, options.profile, stack, load)
        choices = [] if flags.curation is None else read_curation(flags.curation)
        conference = Conference(submissions, *people, curation=choices, history=read_events(flags.history))
        if "load" in parameters_of(flags.model):
            parameters["load"] = load
        elif workers is not None:
            raise InputError(f"the model '{flags.model}' encodes nothing that workers could do: leave --executor out")
        model = conference.model(replace(options, parameters=parameters))
        estimate = model.estimate(submissions, conference.committee.profiles)
        if estimate is not None:
            agree(estimate, flags.yes)
        with show_progress() as progress:
            if conflict_file is not None:
                table = conference.conflicts(options.rules, declared, progress)
            scored = conference.score(options, table, model, progress)
    flags.write(scored, table, conflict_file)
    for words in table.header.nothing_checked():
        warn(f"conflicts of interest: {words}: {first_of([*table.header.unknown])}")
    summary = _summarise(conference, scored, table, options, conflict_file)
    if line := _counted(summary["without_authors"], "submission without any author", "submissions without any author"):
        warn(f"{line}; their conflicts of interest cannot be found")
    unknown = unmatched(declared, submissions, [*conference.committee.ids, *table.header.aliases])
    if line := _counted(unknown, "declared conflict names", "declared conflicts name"):
        warn(f"no such submission or reviewer: {line}")
    return Answer(summary | {"unmatched_declared": unknown}, _lines(summary, table.header.unchecked, flags.possible))


def submissions_of(path: Path) -> list[Submission]:
    """Read the submissions of a file, or of the one in a folder: at least one."""
    submissions = read_submissions(path)
    if not submissions:
        raise InputError(f"there are no submissions in '{path}'")
    return submissions


def open_committee(
    workspace: Workspace,
    reviewers: Path | None,  # profiles or ids; None: all authors of the corpus
    people: Path | None,  # a table of who they are
    profile: int,  # papers
    stack: ExitStack,  # closes what is opened
    load: EncoderFactory | None = None,  # loads the encoder of the index; None for that of queries
) -> tuple[Committee, Indexed | None]:
    """Return who may review, and the index with its corpus where people are looked up, if there is one."""
    from indexing.encoders.cache import load_for_queries
    from indexing.index import open_index
    from panelist.corpus.readers.committee import lists_people, read_people_list
    from panelist.corpus.readers.rows import read_text
    from retriever.conference.committee import (
        from_corpus,
        holds_profiles,
        is_roster,
        read_members,
        read_profiles,
        read_roster,
    )
    from retriever.conference.matching import PeopleMatcher
    from retriever.conference.roster import found_in_words, list_people

    indexed = profiles = members = people_list = None
    ids: Iterable[str] | None = None
    if reviewers is None:
        pass
    elif is_roster(reviewers):
        ids = members = read_roster(reviewers)
    elif reviewers.is_file() and lists_people(read_text(reviewers)):
        people_list = read_people_list(reviewers)
    elif holds_profiles(reviewers):
        profiles = read_profiles(reviewers, profile)
    else:
        ids = read_ids(reviewers)
    if profiles is None or workspace.index_path.exists():
        corpus = stack.enter_context(workspace.open_corpus())
        if workspace.index_path.exists():
            indexed = stack.enter_context(open_index(workspace.index_path, load=load or load_for_queries)), corpus
    if people_list is not None:
        if indexed is None:
            words = "has names, which are looked up in an index: run 'panelist index build' first"
            raise InputError(f"'{reviewers}' {words}")
        persons = list_people(people_list, PeopleMatcher(*indexed))
        ids = members = {person.id: person.member for person in persons}
        note(found_in_words(persons))
        if unknown := [person.id for person in persons if not person.match.chosen]:
            warn(f"without papers: {first_of(unknown)}; 'panelist committee match' shows who may be meant")
    committee = profiles or from_corpus(corpus, ids, profile, members)
    return committee if people is None else committee.with_members(read_members(people)), indexed


def _summarise(
    conference: Conference,
    scored: ScoredConference,
    table: ConflictTable,
    options: ScoreOptions,
    conflict_file: Path | None,  # the file of the conflicts
) -> dict[str, Any]:
    submissions = conference.submissions
    citing = () if options.references == "off" else submissions
    return {
        "model": options.model,
        "submissions": len(submissions),
        "reviewers": len(conference.committee.ids),
        "pairs": len(scored.scores.scores),
        "conflicts": sum(pair.certain for pair in table),
        "possible_conflicts": sum(pair.possible for pair in table),
        "conflict_handling": options.conflicts,
        "conflict_table": None if conflict_file is None else str(conflict_file),
        "unchecked_conflicts": [*table.header.nothing_checked(), *table.header.unchecked],
        "threshold": options.threshold,
        "with_history": scored.with_history,
        "citing": sum(bool(submission.bibliography or submission.references) for submission in citing),
        "without_authors": [paper.id for paper in submissions if not (paper.authors or paper.author_names)],
        "unmatched_declared": [],
        "outside_field": scored.outside(),
        "thin_submissions": scored.thin_submissions,
        "empty_profiles": scored.empty_profiles,
        "own_papers": [{"submission": paper, "reviewer": reviewer} for paper, reviewer in conference.own_papers],
        "low_confidence": scored.unsure,
        "curated": scored.curated,
    }


def _counted(entries: list[str], singular: str, plural: str) -> str:
    return f"{counted(len(entries), singular, plural)}: {shorten(entries)}" if entries else ""


def _lines(
    summary: dict[str, Any],
    unchecked: Iterable[str],  # conflicts of which no warning was given
    possible: Path | None,  # the file of possible ones
) -> Iterator[str]:
    submissions, reviewers = counted(summary["submissions"], "submission"), counted(summary["reviewers"], "reviewer")
    yield f"{submissions} × {reviewers}: {counted(summary['pairs'], 'score')}"
    if count := summary["conflicts"]:
        outcome = "get no score" if summary["conflict_handling"] == "hide" else "keep their scores"
        yield f"pairs with a certain conflict of interest: {count:,}; they {outcome}"
    if count := summary["possible_conflicts"]:
        hint = "--possible FILE lists them" if possible is None else f"check '{possible}'"
        yield f"pairs with a possible conflict of interest: {count:,}; they keep their scores: {hint}"
    if summary["conflict_table"]:
        yield f"all conflicts, for 'panelist assign': '{summary['conflict_table']}'"
    yield from (f"not checked for conflicts: {source}" for source in unchecked)
    if count := summary["citing"]:
        yield counted(count, "submission is scored with what it cites", "submissions are scored with what they cite")
    if count := summary["with_history"]:
        yield f"{counted(count, 'reviewer')} of whom it counts what they reviewed or edited before"
    for change in summary["curated"]:
        people = ", ".join(sorted({choice.by for choice in change.choices}))
        curated = f"profile of {change.reviewer}: {counted(len(change.choices), 'choice')} by {people}"
        yield f"{curated}; scores change by {change.mean:+.4f}, at most {change.largest:+.4f} ({change.submission})"
    able = "fair or strong matches" if summary["threshold"] is None else f"reviewers above {summary['threshold']}"
    thin = [f"{paper.submission} ({paper.able})" for paper in summary["thin_submissions"]]
    in_profiles = [f"{pair['submission']} ({pair['reviewer']})" for pair in summary["own_papers"]]
    for entries, noun, trait in (
        (summary["outside_field"], "submission", "that no paper of the committee is near"),
        (thin, "submission", f"with fewer than three {able}"),
        (summary["empty_profiles"], "reviewer", "without any paper"),
        (summary["low_confidence"], "reviewer", "with a single paper, whose scores are less sure"),
        (in_profiles, "submission", "in a reviewer's profile"),
    ):
        if line := _counted(entries, f"{noun} {trait}", f"{noun}s {trait}"):
            yield line
