"""Everything that can be asked of a look-up, with the defaults that measured best."""

from dataclasses import dataclass, field
from typing import Literal

from panelist.errors import InputError
from retriever.aggregate import EXPERT, Aggregation
from retriever.conference.conflicts.rules import ConflictRules, Handling, check_handling
from retriever.diversity import ALGORITHMS
from retriever.filters import Filters
from retriever.history.joining import EDITORS, REVIEWERS, HistoryWeights
from retriever.history.seats import TEN
from retriever.ranking.model import Ranker
from retriever.references.joining import ReferenceWeights
from retriever.search import Search

_SWITCH = ("auto", "off")


@dataclass(frozen=True, slots=True)
class Lookup:
    """Everything that can be asked of a look-up; the defaults are what measured best.

    Attributes:
        size: how many reviewers.
        search: how papers are found.
        aggregation: how papers become reviewers.
        ranker: a learned model that puts the best reviewers into its own order; None for the plain ranking.
        references: `auto` counts what the submission cites, where that is known (`retriever.references`); or `off`.
        reference_weights: how much.
        uncited: of every ten, at least this number whom the submission does not cite, as far as there are any.
        history: `auto` counts who reviewed and edited before (`retriever.history`), where that is known; or `off`.
        history_weights: how much; None for what measured best for the role.
        history_excluded: ids of papers of the history that do not count.
        load_penalty: divides relevance by (1 + reviews)^this, of reviews in twelve months, those that are open twice.
        newcomers: of every ten, at least this number who neither reviewed nor edited before, as far as there are any.
        role: `reviewer`, or `editor` for those who can handle the submission: who edited before, or the pool.
        conflicts: `hide` certain conflicts (possible ones are shown and flagged), `flag` both, or `ignore` them.
        conflict_rules: what counts as a conflict.
        declared: submission id -> reviewers with a conflict that the user knows of.
        pool: author ids; only these are considered, before the search's depth is cut.
        filters: who may be on the panel.
        per_paper: how many people at most for whom the same paper speaks most; None for any number. Others fill a panel
            that would stay short.
        diversity: λ, from 0 (the plain ranking) to 1.
        diversity_algorithm: see `retriever.diversity`.
        members: author ids of those who are on the panel already: the look-up finds who completes it.
        contenders: how many of the best are re-ranked where λ > 0; in a larger panel, the others follow as ranked.
        papers: how many matching papers are shown for each reviewer.
        sentences: quote the best matching sentence of each paper.
    """

    size: int = 10
    search: Search = field(default_factory=Search)
    aggregation: Aggregation = EXPERT
    ranker: Ranker | None = None
    references: Literal["auto", "off"] = "auto"
    reference_weights: ReferenceWeights = field(default_factory=ReferenceWeights)
    uncited: int = 2
    history: Literal["auto", "off"] = "auto"
    history_weights: HistoryWeights | None = None
    history_excluded: tuple[str, ...] = ()
    load_penalty: float = 0.0
    newcomers: int = 4
    role: Literal["reviewer", "editor"] = "reviewer"
    conflicts: Handling = "hide"
    conflict_rules: ConflictRules = field(default_factory=ConflictRules)
    declared: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pool: tuple[str, ...] | None = None
    filters: Filters = field(default_factory=Filters)
    per_paper: int | None = None
    diversity: float = 0.0
    diversity_algorithm: str = "mmr"
    members: tuple[str, ...] = ()
    contenders: int = 100
    papers: int = 3
    sentences: bool = False

    def __post_init__(self) -> None:
        kinds = {"search": Search, "aggregation": Aggregation, "conflict_rules": ConflictRules, "filters": Filters}
        for name, kind in kinds.items():
            if not isinstance(value := getattr(self, name), kind):
                how = f"{kind.__name__}.named({value!r})" if kind is Aggregation else f"{kind.__name__}(…)"
                raise InputError(f"{name} is {value!r}: give {how}")
        if self.size < 1:
            raise InputError(f"a panel of {self.size} makes no sense: ask for at least 1 reviewer")
        if self.per_paper is not None and self.per_paper < 1:
            raise InputError(f"{self.per_paper} people per paper make no panel: give at least 1")
        if not 0 <= self.diversity <= 1:
            raise InputError(
                f"diversity weight {self.diversity} is out of range: give a number from 0 (plain ranking) to 1"
            )
        if self.diversity_algorithm not in ALGORITHMS:
            names = ", ".join(ALGORITHMS)
            raise InputError(f"unknown diversity algorithm '{self.diversity_algorithm}': use one of {names}")
        check_handling(self.conflicts)
        for name, choices in (("references", _SWITCH), ("history", _SWITCH), ("role", ("reviewer", "editor"))):
            if (value := getattr(self, name)) not in choices:
                raise InputError(f"unknown {name} '{value}': use {' or '.join(choices)}")
        for name, seats in (("who are not cited", self.uncited), ("newcomers", self.newcomers)):
            if not 0 <= seats <= TEN:
                raise InputError(f"{seats} of ten {name} make no sense: give a number from 0 to {TEN}")
        if not 0 <= self.load_penalty <= 1:
            raise InputError(f"a load penalty of {self.load_penalty} makes no sense: give a number from 0 (none) to 1")
        if self.papers < 0:
            raise InputError(f"{self.papers} papers for each reviewer make no sense: give a number, 0 or more")
        if self.contenders < 1:
            raise InputError(f"a panel out of {self.contenders} contenders makes no sense: give at least 1")

    @property
    def weights(self) -> HistoryWeights:
        """How much a history counts for the role."""
        return self.history_weights or (REVIEWERS if self.role == "reviewer" else EDITORS)

    @property
    def seats(self) -> int:
        """How many of ten seats are kept for somebody."""
        return self.uncited + (self.newcomers if self.role == "reviewer" else 0)

    @property
    def reach(self) -> int:
        """How many of the ranking a panel is chosen from."""
        chosen_from = self.diversity > 0 or self.per_paper is not None
        return len(self.members) + (max(self.size, self.contenders) if chosen_from else self.size)
