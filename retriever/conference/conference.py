"""A conference: submissions and a committee, their conflicts, and scores that depend on them."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter

import numpy as np
from msgspec import structs
from numpy.typing import NDArray
from scipy.sparse import csr_array

from indexing.encoders import DEFAULT_ENCODER
from indexing.tables.nearness import RECORDED
from indexing.text import Text
from panelist.errors import InputError
from panelist.progress import Progress, silent
from panelist.records import Conflict, ConflictKind, HistoryEvent, Paper, Submission
from retriever.affinity.model import BlockModel, affinity_model, with_index
from retriever.affinity.models.dense import VectorSource
from retriever.affinity.references import WithEvidence
from retriever.affinity.scoring import ScoredConference, closing, thin_submissions
from retriever.affinity.sparse import sparse_scores
from retriever.assignment.building.problem import make_problem
from retriever.assignment.building.records import AFFINITY, Records, Reviewer, ScoreTable
from retriever.assignment.levels import Levels, assign_levels
from retriever.assignment.options import AssignOptions
from retriever.assignment.problem import Problem
from retriever.conference.committee import Committee
from retriever.conference.conflicts.declared import Declared
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import ConflictTable, TableHeader
from retriever.conference.curation import Choice, changes, curated
from retriever.conference.directory import Directory, Indexed, own_paper_conflict, own_papers, unchecked
from retriever.conference.evidence import lost_evidence
from retriever.conference.options import ScoreOptions
from retriever.fit import shipped
from retriever.history.joining import gains_in
from retriever.history.table import History, vectors_in

CURABLE = ("hybrid", "dense", "bm25")
"""Models in which papers of a profile can be weighed."""


class Conference:
    """Submissions that need reviewers, and who may review them.

    Conflicts depend on submissions, committee, declared conflicts and rules only; scores leave out what is certain.
    People are looked up in an index and its corpus, too, if there are any; the vectors of the index are used if the
    committee is of that corpus. `kept` is the evidence of an earlier table (`header.evidence`): conflicts that rest on
    what the corpus has lost since then stay, and are marked as `lost`. `curation` are choices about papers of profiles:
    they change scores alone. `history` is who reviewed and edited before, by default what the corpus knows of it;
    papers that are excluded from it do not count.
    """

    def __init__(
        self,
        submissions: Sequence[Submission],
        committee: Committee,
        indexed: Indexed | None = None,
        kept: Sequence[Paper] = (),
        curation: Sequence[Choice] = (),
        history: Sequence[HistoryEvent] | None = None,
        history_excluded: Container[str] = (),
    ) -> None:
        self.submissions, self.committee, self.indexed = tuple(submissions), committee, indexed
        self._events, self._excluded = history, history_excluded
        self.curation = tuple(curation)
        self._lost = lost_evidence(kept, indexed)
        self._directory: Directory | None = None

    def directory(self, progress: Progress = silent) -> Directory:
        """Who everybody is; made once."""
        if self._directory is None:
            self._directory = Directory(self.committee, self.submissions, self.indexed, self._lost, progress)
        return self._directory

    @property
    def own_papers(self) -> list[tuple[str, str]]:
        """Submissions that are among the papers of a reviewer: their authors, or an earlier version."""
        return [(submission.id, reviewer) for submission, reviewer, _ in self._own_papers]

    @cached_property
    def _own_papers(self) -> list[tuple[Submission, str, Paper]]:
        return own_papers(self.submissions, self.committee)

    def conflicts(
        self, rules: ConflictRules | None = None, declared: Declared | None = None, progress: Progress = silent
    ) -> ConflictTable:
        """All conflicts between submissions and reviewers, by the rules of the look-up unless others are given."""
        rules, declared = rules or ConflictRules(), declared or {}
        directory = self.directory(progress)
        people = directory.unchecked_people(rules)
        conflicts = [*self._conflicts(directory, rules, declared, progress)]
        if self._lost:
            remaining = Directory(self.committee, self.submissions, self.indexed)
            conflicts = _marked(conflicts, {*map(_ground, self._conflicts(remaining, rules, declared, progress))})
        header = TableHeader(
            submissions=tuple(submission.id for submission in self.submissions),
            reviewers=self.committee.ids,
            rules=rules,
            unchecked=tuple(unchecked(people, len(self.committee.ids), self.submissions, rules, conflicts)),
            unchecked_people=people,
            unknown=directory.unknown,
            aliases=directory.aliases(),
            evidence=directory.evidence.papers(),
        )
        return ConflictTable.grouped(conflicts, header)

    def _conflicts(
        self, directory: Directory, rules: ConflictRules, declared: Declared, progress: Progress
    ) -> Iterator[Conflict]:
        """Every reason, by submission and reviewer."""
        conflicts_of: dict[str, list[Conflict]] = defaultdict(list)
        for own_paper in self._own_papers if rules.own_authors else ():
            conflicts_of[own_paper[0].id].append(own_paper_conflict(*own_paper))
        for number, submission in enumerate(self.submissions):
            progress("looking for conflicts", number, len(self.submissions))
            conflicts = directory.conflicts(submission, rules, declared.get(submission.id, ()))
            yield from sorted([*conflicts_of[submission.id], *conflicts], key=attrgetter("reviewer"))

    def model(self, options: ScoreOptions) -> BlockModel:
        """The affinity model, with the vectors of the index where it can use them."""
        parameters = dict(options.parameters)
        if self.indexed is not None and self.committee.of_corpus:
            parameters = with_index(options.model, self.indexed[0], parameters)
        return affinity_model(options.model, **parameters)

    def score(
        self,
        options: ScoreOptions,
        table: ConflictTable | None = None,
        model: BlockModel | None = None,
        progress: Progress = silent,
    ) -> ScoredConference:
        """Score every submission against every reviewer by this model, from `model`, or by that of the options.

        Certain conflicts of the table get no score where the options hide them; without a table they are looked for.
        """
        closed = np.zeros((0, 2), dtype=np.int64)
        if options.conflicts == "hide":
            table = self.conflicts(options.rules, progress=progress) if table is None else table
            closed = np.array(self._closed(table), dtype=np.int64).reshape(-1, 2)
        chosen = model or self.model(options)
        curated = self._curated_scores(options) if self.curation else {}
        changed = changes([paper.id for paper in self.submissions], self.curation, curated)
        history = None if options.history == "off" else self.history_gains(progress)
        if options.references == "auto" or history is not None:
            people = [self.committee.author(reviewer) for reviewer in self.committee.ids]
            cites = options.references == "auto"
            chosen = WithEvidence(chosen, people, closed, self._aliases, references=cites, history=history)
        served = 0 if history is None else len(np.unique(history.indices))
        scored = self._score(options, chosen, closed, progress)
        return replace(scored, curated=changed, curated_scores=curated, with_history=served)

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """The reviewers by their other ids."""
        return {alias: reviewer for reviewer in self.committee.ids for alias in self.committee.aliases(reviewer)}

    def history_gains(self, progress: Progress = silent) -> csr_array | None:
        """(submissions, reviewers) how much a history lifts somebody; None where none of the committee has one."""
        index = None if self.indexed is None else self.indexed[0]
        every = self.indexed[1].history() if self._events is None and self.indexed is not None else self._events or ()
        events = [event for event in every if event.paper not in self._excluded]
        if not events:
            return None
        source = VectorSource(DEFAULT_ENCODER if index is None else index.manifest.encoder.name, index=index)

        def encoded(texts: dict[str, Text]) -> NDArray[np.float32]:
            return source.encode([*texts.values()], "encoding papers of the history", progress)

        vectors_of = encoded if index is None else vectors_in(index, prune=False)
        history = History.of(self.directory(progress), events, vectors_of)
        if len(history.authors) == 0:
            return None
        vectors = source.vectors(self.submissions, "encoding submissions", progress)
        gains = gains_in(history, self.submissions, vectors, index.nearness if index else RECORDED[DEFAULT_ENCODER])
        shape = (len(self.submissions), len(self.committee.ids))
        return csr_array((gains.data, history.authors[gains.indices], gains.indptr), shape=shape)

    def _curated_scores(self, options: ScoreOptions) -> dict[str, NDArray[np.float32]]:
        """The scores of texts before and after choices about profiles, of whom they are about."""
        if options.model not in CURABLE:
            raise InputError(
                f"profiles can be curated with {', '.join(CURABLE)}: '{options.model}' does not weigh papers"
            )
        after = curated(self.committee, self.curation, options.profile).profiles
        pairs = zip(self.committee.profiles, after, strict=True)
        columns = [number for number, (old, new) in enumerate(pairs) if old != new]
        model = self.model(options)  # never one that resumes: it would take the first profiles' blocks for the second's
        prepared = [model.prepare(self.submissions, profiles) for profiles in (self.committee.profiles, after)]
        return {
            self.committee.ids[column]: np.stack([blocks.block(column, column + 1)[:, 0] for blocks in prepared])
            for column in columns
        }

    def _score(
        self, options: ScoreOptions, model: BlockModel, closed: NDArray[np.int64], progress: Progress
    ) -> ScoredConference:
        """Score everybody but pairs that are closed and reviewers without a paper."""
        ids, profiles = self.committee.ids, curated(self.committee, self.curation, options.profile).profiles
        blocks = model.prepare(self.submissions, profiles, progress)
        close = closing(closed, np.array([not profile for profile in profiles], dtype=np.bool_))
        able = np.zeros(len(self.submissions), dtype=np.int64)

        def watch(start: int, block: NDArray[np.float32]) -> None:
            close(start, block)
            able[:] += np.count_nonzero(block > (-np.inf if options.threshold is None else options.threshold), axis=1)
            progress("scoring reviewers", start + block.shape[1], len(ids))

        scores = sparse_scores(blocks, [paper.id for paper in self.submissions], ids, options.keep, watch=watch)
        sizes = [(reviewer, len(profile)) for reviewer, profile in zip(ids, profiles, strict=True)]
        empty, single = ([reviewer for reviewer, size in sizes if size == few] for few in (0, 1))
        near = blocks.near() if options.grades else None
        grades = None if near is None else near.grades(scores.submission, scores.reviewer, ids, self._aliases)
        if grades is not None and options.threshold is None:  # who is able is then a question of the grade
            fair = grades.fit >= shipped().fair
            able = np.bincount(scores.submission[fair], minlength=len(self.submissions))
        return ScoredConference(scores, thin_submissions(scores, able), empty, single, grades)

    def problem(self, scored: ScoredConference, table: ConflictTable, options: AssignOptions | None = None) -> Problem:
        """The assignment problem of these scores, in which no conflict of the table can be assigned."""
        return make_problem(Records(scores={AFFINITY: ScoreTable.of(scored.scores)}, conflicts=table), options)

    def levels(
        self,
        scored: ScoredConference,
        table: ConflictTable,
        people: Mapping[str, Reviewer],
        levels: Sequence[str],
        options: AssignOptions,
        together: float = 0.0,
    ) -> Levels:
        """Assign several levels of the committee, the highest first; `people` says who has which role."""
        scores = {AFFINITY: ScoreTable.of(scored.scores)}
        return assign_levels(Records(scores=scores, people=people, conflicts=table), options, levels, together)

    def _closed(self, table: ConflictTable) -> list[tuple[int, int]]:
        """The rows of certain pairs, reviewer first, under every id of the reviewer."""
        row = {submission.id: number for number, submission in enumerate(self.submissions)}
        columns: dict[str, list[int]] = defaultdict(list)
        for number, reviewer in enumerate(self.committee.ids):
            columns[table.person(reviewer)].append(number)
        pairs = [pair for pair in table if pair.certain and pair.submission in row]
        return sorted(
            {(column, row[pair.submission]) for pair in pairs for column in columns[table.person(pair.reviewer)]}
        )


def _ground(reason: Conflict) -> tuple[str, str, ConflictKind, bool]:
    return reason.submission, reason.reviewer, reason.kind, reason.certain


def _marked(reasons: Iterable[Conflict], marks: Container[tuple[str, str, ConflictKind, bool]]) -> list[Conflict]:
    """The reasons, and those as lost that are not found without what was kept."""
    return [
        reason
        if _ground(reason) in marks
        else structs.replace(reason, evidence=f"{reason.evidence} (the corpus no longer has it)", lost=True)
        for reason in reasons
    ]
