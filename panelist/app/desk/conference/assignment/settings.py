"""How to assign: the settings that a page or a program gives, checked once, and kept beside what came out of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from retriever.assignment.assignment import Options
from retriever.assignment.rules import KINDS, Rules
from retriever.assignment.solve import check_support

_LARGEST_DEMAND, _LARGEST_LOAD = 100, 1_000
_QUALITY, _MOST = 0.95, 6

Role = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Demand = Annotated[int, Field(ge=0, le=_LARGEST_DEMAND)]
_Load = Annotated[int, Field(ge=0, le=_LARGEST_LOAD)]
Demand = _Demand | Annotated[dict[Role, _Demand], Field(min_length=1, max_length=20)]
Load = _Load | Annotated[dict[Role, _Load], Field(min_length=1, max_length=20)]


class AssignmentSettings(BaseModel):
    """What holds for every assignment, whatever its files are; numbers may be given by role."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    demand: Annotated[Demand, Field(description="Reviews per paper, or of each role.")] = 3
    most: Annotated[Load, Field(description="Greatest load of a reviewer, or of each role.")] = _MOST
    least: Annotated[Load, Field(description="Least load of a reviewer, or of each role.")] = 0
    method: Literal["total", "fair", "leximin", "envy", "random", "perturbed"] = "fair"
    cap: Annotated[float | None, Field(gt=0, le=1, description="Greatest probability of a pair.")] = None
    quality: Annotated[float | None, Field(gt=0, le=1, description="Part of the greatest total to keep.")] = None
    seed: Annotated[int | None, Field(ge=0, le=2**32 - 1)] = None
    senior: Annotated[int, Field(ge=0, le=_LARGEST_DEMAND, description="At least this many seniors per paper.")] = 0
    apart: Annotated[
        tuple[Literal["institution", "coauthors", "region"], ...],
        Field(max_length=len(KINDS), description="At most one of each per paper."),
    ] = ()
    no_cycles: Annotated[bool, Field(description="Nobody reviews a paper of somebody who reviews theirs.")] = False
    only_scored: Annotated[bool, Field(description="Never take a pair without a score.")] = False
    allow_short: Annotated[bool, Field(description="Where reviews are missing, spread the shortage evenly.")] = False
    alternates: Annotated[int, Field(ge=0, le=10, description="Alternates per paper.")] = 0

    def check(self) -> None:
        """Refuse what does not go together.

        Raises:
            InputError: a setting does not work with the method.
        """
        said: Mapping[str, Any] = {
            "--cap": self.cap,
            "--quality": self.quality,
            "--seed": self.seed is not None,
            "--senior": self.senior,
            "--apart": self.apart,
            "--no-cycles": self.no_cycles,
            "--allow-short": self.allow_short,
        }
        check_support(self.method, {option for option, value in said.items() if value})

    def options(self) -> Options:
        """How the solver is to work."""
        return Options(
            method=self.method,
            quality=_QUALITY if self.quality is None else self.quality,
            seed=self.seed or 0,
            rules=Rules(self.senior, dict.fromkeys(self.apart, 1), self.no_cycles),
            allow_short=self.allow_short,
        )


class ConferenceSettings(AssignmentSettings):
    """The same for a conference, whose files hold quotas and demands of their own."""

    alternates: Annotated[int, Field(ge=0, le=10)] = 3
    bid_weight: Annotated[float, Field(ge=0, le=1_000, description="What bids count beside scores.")] = 1.0
    quota_floor: Annotated[int, Field(ge=0, le=_LARGEST_LOAD, description="Own quotas below it are raised to it.")] = 0
    demand_ceiling: Annotated[
        int, Field(ge=0, le=_LARGEST_DEMAND, description="Own demands above it are lowered to it.")
    ] = _LARGEST_DEMAND

    def loads(self) -> int | dict[str, int]:
        """The greatest loads; those of roles of which nothing is said are raised, too."""
        if isinstance(self.most, int):
            return self.most
        return {"": max(_MOST, self.quota_floor), **self.most}

    def cured(self, change: Mapping[str, Any]) -> ConferenceSettings:
        """These settings with what would help (`Cure.change`), as far as it is a setting."""
        fields: dict[str, Any] = dict(change.get("rules", {}))
        for name in ("only_scored", "allow_short", "cap"):
            if name in change:
                fields[name] = change[name]
        if "most" in change:
            fields |= {"most": _at_least(self.most, change["most"]), "quota_floor": change["most"]}
        if "least" in change:
            fields["least"] = _at_most(self.least, change["least"])
        if "demand" in change:
            fields |= {"demand": _at_most(self.demand, change["demand"]), "demand_ceiling": change["demand"]}
        return type(self).model_validate(self.model_dump() | fields)


def _at_least(numbers: int | dict[str, int], low: int) -> int | dict[str, int]:
    if isinstance(numbers, int):
        return max(numbers, low)
    return {role: max(number, low) for role, number in numbers.items()}


def _at_most(numbers: int | dict[str, int], high: int) -> int | dict[str, int]:
    if isinstance(numbers, int):
        return min(numbers, high)
    return {role: min(number, high) for role, number in numbers.items()}
