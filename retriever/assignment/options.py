"""How to assign: every option once, with its default and its range. Commands, API and pages read them here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from typing import TYPE_CHECKING, TypeAlias

from panelist.errors import InputError
from panelist.words import Message, reworded

if TYPE_CHECKING:
    from retriever.conference.conflicts.table import Possible

Numbers: TypeAlias = int | dict[str, int]  # one number for everybody, or one for each role
REVIEWER = "reviewer"  # the role of everybody of whom nothing else is said
CHAIRS = ("senior area chair", "area chair")  # the roles above reviewers, the highest first
KINDS = ("institution", "coauthors", "region")  # what reviewers of one paper can be kept apart by
RULES = ("senior", *KINDS, "cycle")  # the rules that can be soft
MOST = 1_000_000  # reviews of a paper or by a reviewer: more is a slip, and would not fit the numbers of the solver
LARGEST = 1e100  # the largest score, weighted: sums of larger ones would overflow
_SHAPING = ("demand", "most", "least", "cap", "keep", "prefer_old", "possible", "allow_unscored", "weights")


class OptionError(InputError):
    """An option that cannot be used. The message names fields; front ends have other names for them."""

    def __init__(self, words: str) -> None:
        self.words = words
        super().__init__(named(words, {}))


def named(words: str, names: Mapping[str, str]) -> Message:
    """A message in which fields stand between backticks, with the names that a front end has for them."""
    return reworded(words, lambda text: re.sub(r"`(\w+)`", lambda match: names.get(match[1], match[1]), text))


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for the reviewers of every paper; see `AssignOptions`."""

    seniors: int = 0
    apart: Mapping[str, int] = field(default_factory=dict)
    no_cycles: bool = False
    soft: Mapping[str, float] = field(default_factory=dict)

    @property
    def hard(self) -> Rules:
        """Those that are not soft."""
        apart = {kind: most for kind, most in self.apart.items() if kind not in self.soft}
        seniors, no_cycles = 0 if "senior" in self.soft else self.seniors, self.no_cycles and "cycle" not in self.soft
        return Rules(seniors, apart, no_cycles)

    def __bool__(self) -> bool:
        return bool(self.seniors or self.apart or self.no_cycles)

    def __str__(self) -> str:
        apart = ", ".join(kind if most == 1 else f"{kind} ({most})" for kind, most in self.apart.items())
        parts = [f"seniors: {self.seniors}" if self.seniors else "", f"apart: {apart}" if apart else ""]
        soft = ", ".join(f"{rule} {weight:g}" for rule, weight in self.soft.items())
        parts += ["no cycles" if self.no_cycles else "", f"soft: {soft}" if soft else ""]
        return "; ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class AssignOptions:
    """How to assign.

    Attributes:
        method: one of `retriever.assignment.methods.METHODS`.
        demand: reviews per paper, or of each role.
        most: the greatest load of a reviewer, or of each role; the role `""` is everybody else.
        least: the least load of a reviewer, or of each role.
        cap: the greatest probability of a pair, where pairs are drawn; None: 1.
        quality: the part of the greatest total that `perturbed` keeps.
        seed: of a draw.
        senior: the least number of senior reviewers of a paper.
        apart: the largest number of a paper's reviewers of the same institution or region, or who wrote a submission
            together, by kind.
        no_cycles: nobody reviews a paper of somebody who reviews theirs, nor do three people in a circle.
        soft: rules (`RULES`) that are given up for a paper where keeping them would cost more score than this, by rule.
        exact: keep rules that cross one another by an exact MILP; small problems only.
        keep: keep as many pairs of the existing assignment as possible, whatever that costs.
        prefer_old: what is added to the score of each of those pairs instead.
        allow_short: where reviews are missing, leave them out evenly instead of failing.
        allow_unscored: take pairs without a score where demands cannot be met otherwise.
        possible: whether pairs with a possible conflict, which nobody dismissed, are avoided or allowed.
        weights: what scores count, by their names; 1 where nothing is said.
    """

    method: str = "fair"
    _: KW_ONLY
    demand: Numbers = 3
    most: Numbers = 6
    least: Numbers = 0
    cap: float | None = None
    quality: float = 0.95
    seed: int = 0
    senior: int = 0
    apart: Mapping[str, int] = field(default_factory=dict)
    no_cycles: bool = False
    soft: Mapping[str, float] = field(default_factory=dict)
    exact: bool = False
    keep: bool = False
    prefer_old: float = 0.0
    allow_short: bool = False
    allow_unscored: bool = False
    possible: Possible = "avoid"
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("demand", "most", "least"):
            for value in by_role(getattr(self, name)).values():
                if not 0 <= value <= MOST:
                    raise OptionError(f"`{name}` must be 0 or more and at most {MOST:,}, received {value}")
        if self.cap is not None and not 0 < self.cap <= 1:
            raise OptionError(f"`cap` is a probability above 0 and at most 1, received {self.cap}")
        if not 0 < self.quality <= 1:
            raise OptionError(f"`quality` is above 0 and at most 1, received {self.quality}")
        for name in ("seed", "senior"):
            if getattr(self, name) < 0:
                raise OptionError(f"`{name}` must be 0 or more, received {getattr(self, name)}")
        for kind, most in self.apart.items():
            if kind not in KINDS:
                raise OptionError(f"`apart` knows {', '.join(KINDS)}, received '{kind}'")
            if most < 1:
                raise OptionError(f"`apart` {kind}={most}: at least 1 is possible")
        for rule, weight in self.soft.items():
            if rule not in RULES:
                raise OptionError(f"`soft` knows {', '.join(RULES)}, received '{rule}'")
            if not weight >= 0:
                raise OptionError(f"`soft` {rule}: the weight must be 0 or more, received {weight}")
            if not (self.senior if rule == "senior" else self.no_cycles if rule == "cycle" else rule in self.apart):
                raise OptionError(f"`soft` {rule}: there is no such rule; give `senior`, `apart` or `no_cycles`, too")
        if self.possible not in ("avoid", "allow"):
            raise OptionError(f"`possible` is avoid or allow, received '{self.possible}'")
        if self.keep and self.prefer_old:
            raise OptionError("`keep` keeps whatever it costs, `prefer_old` weighs it: give one of them")
        if not math.isfinite(self.prefer_old) or abs(self.prefer_old) > LARGEST:
            raise OptionError(f"`prefer_old` must be a number of at most {LARGEST:g}, received {self.prefer_old}")
        for name, weight in self.weights.items():
            if not math.isfinite(weight):
                raise OptionError(f"`weights` must be numbers, received {weight} of {name}")

    @property
    def rules(self) -> Rules:
        """What holds for the reviewers of every paper."""
        return Rules(self.senior, self.apart, self.no_cycles, self.soft)

    @property
    def changed(self) -> frozenset[str]:
        """The fields that are not at their defaults."""
        names = (option.name for option in fields(self))
        return frozenset(name for name in names if getattr(self, name) != getattr(_DEFAULT, name))

    def solving(self, problem: AssignOptions) -> AssignOptions:
        """These options for a problem that was made with others: what shapes a problem is taken from those."""
        for name in self.changed.intersection(_SHAPING):
            if getattr(self, name) != getattr(problem, name):
                raise OptionError(f"`{name}` shapes the problem: make the problem with it")
        return replace(self, **{name: getattr(problem, name) for name in _SHAPING})


def by_role(numbers: Numbers, everybody: str = "") -> dict[str, int]:
    """A number for each role; one number alone is for the role `everybody`."""
    by_name = {everybody: numbers} if isinstance(numbers, int) else numbers
    return {role_name(role): value for role, value in by_name.items()}


def role_name(text: str) -> str:
    """A role as it is compared: `Area_Chair` is `area chair`."""
    return " ".join(text.lower().replace("_", " ").replace("-", " ").split())


_DEFAULT = AssignOptions()
