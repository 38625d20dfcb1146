"""How to assign: the settings that a page or a program gives, checked once, and kept beside what came out of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from retriever.assignment.building.records import BIDS
from retriever.assignment.methods import check_method
from retriever.assignment.options import KINDS, REVIEWER, AssignOptions, OptionError, by_role, role_name
from retriever.conference.conflicts.table import Possible

_LARGEST_DEMAND, _LARGEST_LOAD = 100, 1_000
_DEFAULT = AssignOptions()
_ENDS = {"minimum": "min", "exclusiveMinimum": "above", "maximum": "max"}

Role = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Demand = Annotated[int, Field(ge=0, le=_LARGEST_DEMAND)]
_Load = Annotated[int, Field(ge=0, le=_LARGEST_LOAD)]
Demand = _Demand | Annotated[dict[Role, _Demand], Field(min_length=1, max_length=20)]
Load = _Load | Annotated[dict[Role, _Load], Field(min_length=1, max_length=20)]


class AssignmentSettings(BaseModel):
    """What holds for every assignment, whatever its files are; numbers may be given by role."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    demand: Annotated[Demand, Field(description="Reviews per paper, or of each role.")] = _DEFAULT.demand
    most: Annotated[Load, Field(description="Greatest load of a reviewer, or of each role.")] = _DEFAULT.most
    least: Annotated[Load, Field(description="Least load of a reviewer, or of each role.")] = _DEFAULT.least
    method: Literal["total", "fair", "leximin", "envy", "random", "perturbed"] = _DEFAULT.method  # type: ignore[assignment]  # a str
    cap: Annotated[float | None, Field(gt=0, le=1, description="Greatest probability of a pair.")] = _DEFAULT.cap
    quality: Annotated[float, Field(gt=0, le=1, description="Part of the greatest total to keep.")] = _DEFAULT.quality
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = _DEFAULT.seed
    senior: Annotated[int, Field(ge=0, le=_LARGEST_DEMAND, description="At least this many seniors per paper.")] = (
        _DEFAULT.senior
    )
    apart: Annotated[
        tuple[Literal["institution", "coauthors", "region"], ...],
        Field(max_length=len(KINDS), description="At most one of each per paper."),
    ] = ()
    no_cycles: Annotated[bool, Field(description="Nobody reviews a paper of somebody who reviews theirs.")] = False
    allow_unscored: Annotated[bool, Field(description="Take pairs without a score as a last resort.")] = False
    possible: Annotated[Possible, Field(description="Pairs with a possible conflict.")] = _DEFAULT.possible
    allow_short: Annotated[bool, Field(description="Where reviews are missing, spread the shortage evenly.")] = False
    alternates: Annotated[int, Field(ge=0, le=10, description="Alternates per paper.")] = 0

    def options(self) -> AssignOptions:
        """How the solver is to work; a setting that does not work with the method is refused."""
        options = AssignOptions(**self.model_dump(include=_SHARED) | {"apart": dict.fromkeys(self.apart, 1)})
        check_method(options)
        return options


_SHARED = AssignmentSettings.model_fields.keys() & {field.name for field in fields(AssignOptions)}


class ConferenceSettings(AssignmentSettings):
    """The same for a conference, whose files hold quotas and demands of their own."""

    alternates: Annotated[int, Field(ge=0, le=10)] = 3
    levels: Annotated[
        tuple[Role, ...],
        Field(max_length=20, description="Roles to assign in stages, the highest first; others join the last stage."),
    ] = ()
    together: Annotated[float, Field(ge=0, le=1_000, description="What a further chair over a person costs.")] = 0.0
    bid_weight: Annotated[float, Field(ge=0, le=1_000, description="What bids count beside scores.")] = 1.0
    quota_floor: Annotated[int, Field(ge=0, le=_LARGEST_LOAD, description="Own quotas below it are raised to it.")] = 0
    demand_ceiling: Annotated[
        int, Field(ge=0, le=_LARGEST_DEMAND, description="Own demands above it are lowered to it.")
    ] = _LARGEST_DEMAND

    def options(self) -> AssignOptions:
        """How the solver is to work; the greatest loads of roles of which nothing is said are raised, too."""
        options, names = super().options(), [role_name(role) for role in self.levels]
        if names and (len({*names}) < max(len(names), 2) or not by_role(self.demand, REVIEWER).keys() >= {*names}):
            raise OptionError("`levels` are two or more roles, each once and with a `demand`")
        weights = {BIDS: self.bid_weight} if self.bid_weight != 1 else {}
        if isinstance(options.most, int):
            return replace(options, weights=weights)
        usual = by_role(_DEFAULT.most)[""]
        return replace(options, weights=weights, most={"": max(usual, self.quota_floor), **options.most})

    def pools(self) -> list[str]:
        """The roles beside the lowest level."""
        levels = {role_name(role) for role in self.levels}
        return [role for role in by_role(self.demand, REVIEWER) if role not in levels]

    def cured(self, change: Mapping[str, Any]) -> ConferenceSettings:
        """These settings with what would help (`Cure.change`), as far as it is a setting."""
        changed = dict(change)
        if "apart" in change:
            changed["apart"] = tuple(change["apart"])
        if "most" in change:
            changed |= {"most": _bounded(max, self.most, change["most"]), "quota_floor": change["most"]}
        if "least" in change:
            changed["least"] = _bounded(min, self.least, change["least"])
        if "demand" in change:
            changed |= {"demand": _bounded(min, self.demand, change["demand"]), "demand_ceiling": change["demand"]}
        return type(self).model_validate(self.model_dump() | changed)


def _bounded(bound: Callable[[int, int], int], numbers: int | dict[str, int], end: int) -> int | dict[str, int]:
    if isinstance(numbers, int):
        return bound(numbers, end)
    return {role: bound(number, end) for role, number in numbers.items()}


def limits_of(settings: type[AssignmentSettings]) -> dict[str, dict[str, float]]:
    """The smallest and the largest value of each setting that is a number."""
    limits = {}
    for name, schema in settings.model_json_schema()["properties"].items():
        kinds: list[dict[str, Any]] = schema.get("anyOf", [schema])
        number = next((kind for kind in kinds if kind.get("type") in ("integer", "number")), {})
        if ends := {end: number[key] for key, end in _ENDS.items() if key in number}:
            limits[name] = ends
    return limits
