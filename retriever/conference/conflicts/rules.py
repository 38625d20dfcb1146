"""Rules of conflict of interest by venue, and from a file; docs/how/conflicts.md compares them.

An institution of the latest paper counts as the present one, however old the paper is: so 0 years means now.
"""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from panelist.errors import InputError

_MOST_YEARS = 10_000

Handling = Literal["hide", "flag", "ignore"]
"""How conflicts are handled: hide certain ones and flag possible ones, flag both, or ignore them."""


def check_handling(handling: str) -> None:
    """Refuse what is not a `Handling`."""
    if handling not in get_args(Handling):
        raise InputError(f"unknown conflict handling '{handling}': use hide, flag or ignore")


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """What counts as a conflict: authors, co-authors and colleagues. A number of years of None switches that kind off.

    `advisors` and `email_domains` are what some venues ask for and no corpus has: they are announced as not checked.
    """

    own_authors: bool = True
    coauthor_years: int | None = 3
    institution_years: int | None = 3
    advisors: bool = False
    email_domains: bool = False

    def __post_init__(self) -> None:
        for years in (self.coauthor_years, self.institution_years):
            if years is not None and not 0 <= years <= _MOST_YEARS:
                raise InputError(
                    f"conflicts of the last {years} years make no sense: give a number from 0 to {_MOST_YEARS:,}"
                )

    def unchecked(self) -> tuple[str, ...]:
        """What these rules ask for that cannot be checked, in words."""
        rules = (("advisors and students", self.advisors), ("e-mail domains", self.email_domains))
        return tuple(name for name, required in rules if required)


EVER = 200
"""More years than any career has."""

RULES = {
    "panelist": ConflictRules(),
    # https://nips.cc/Conferences/2020/PaperInformation/ConflictsOfInterest: "recent" is the last three years, for
    # employment as for collaboration; advisors and advisees; domains of institutions.
    "neurips": ConflictRules(coauthor_years=3, institution_years=3, advisors=True, email_domains=True),
    # https://acl-org.github.io/policies/conference-coi: students, supervisors and co-authors of the previous five
    # years; employed at the same institution.
    "acl": ConflictRules(coauthor_years=5, institution_years=0, advisors=True),
    # https://docs.openreview.net/getting-started/using-the-api/profiles: direct relationships, co-authors and common
    # domains of affiliations, without a limit of years.
    "openreview": ConflictRules(coauthor_years=EVER, institution_years=EVER, advisors=True, email_domains=True),
}

_KINDS = {field.name: type(field.default) for field in fields(ConflictRules)}
"""The type of each rule; a number of years may be False as well."""


def conflict_rules(name: str) -> ConflictRules:
    """The rules of a venue by name, or of a TOML file.

    A file has any of the keys `own_authors`, `coauthor_years`, `institution_years`, `advisors` and `email_domains`; a
    number of years of `false` switches that kind off, and what is not mentioned is as in the default.
    """
    if name in RULES:
        return RULES[name]
    if not name.endswith(".toml"):
        raise InputError(f"unknown conflict rules '{name}': use one of {', '.join(RULES)}, or a file FILE.toml")
    try:
        given = tomllib.loads(Path(name).read_bytes().decode())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot read conflict rules from '{name}': {error}") from error
    for key, value in given.items():
        kind = _KINDS.get(key)
        if kind is None:
            raise InputError(f"'{name}' has the unknown key '{key}': use {', '.join(_KINDS)}")
        if type(value) is not kind and value is not False:
            raise InputError(
                f"'{name}': {key} = {value} makes no sense: give {'a number' if kind is int else 'a boolean'}"
            )
    values: dict[str, Any] = {
        key: None if value is False and _KINDS[key] is int else value for key, value in given.items()
    }
    return ConflictRules(**values)
