"""How many: the reviews that papers need, and the least and the most that reviewers give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retriever.assignment.building.ids import Ids
from retriever.assignment.building.records import RecordError, Records
from retriever.assignment.options import MOST, AssignOptions, OptionError, by_role, role_name
from retriever.assignment.problem import Committee, Ints

_DEFAULT = AssignOptions()


def quotas(records: Records, options: AssignOptions, ids: Ids, roles: list[str]) -> tuple[Ints, Ints]:
    """(reviewers) the most and the least that each gives: their own, else those of their role, else the options'.

    Raises:
        RecordError: somebody is unknown, or a number out of range.
        OptionError: a minimum is above its maximum.
    """

    def numbers(name: str) -> Ints:
        given, otherwise = by_role(getattr(options, name)), by_role(getattr(_DEFAULT, name))[""]
        return np.array([given.get(role, given.get("", otherwise)) for role in roles], dtype=np.int64)

    most, least = numbers("most"), numbers("least")
    for who, quota in records.quotas.items():
        key = (who,)
        at = ids.reviewer("quotas", key, who)
        _check("quotas", key, quota.most, "quota")
        most[at] = quota.most
        if quota.least is not None:
            _check("quotas", key, quota.least, "minimum")
            least[at] = quota.least
            if quota.least > quota.most:
                raise RecordError("quotas", key, f"the minimum {quota.least} is above the maximum {quota.most}")
        else:  # a smaller quota of one's own is meant to be below what is asked of everybody
            least[at] = min(least[at], most[at])
    if (least > most).any():
        at = int(np.flatnonzero(least > most)[0])
        raise OptionError(f"`least` {least[at]} is above `most` {most[at]}: give `least` at most as large as `most`")
    return most, least


def demands(records: Records, ids: Ids, wanted: Mapping[str, int]) -> Ints:
    """(rows) how many reviews each paper needs in each role: its own number, else that of `wanted`.

    Raises:
        RecordError: a paper or role is unknown, or a number out of range.
    """
    roles = list(wanted)
    demand = np.tile(np.array(list(wanted.values()), dtype=np.int64), len(ids.papers))
    for (paper, given), number in records.demands.items():
        key, name = (paper, given), role_name(given) or roles[0]
        at = ids.paper("demands", key, paper)
        if name not in wanted:
            raise RecordError("demands", key, f"role '{name}' has no demand: give one for all papers, too")
        _check("demands", key, number, "demand")
        demand[at * len(roles) + roles.index(name)] = number
    return demand


def locked_pairs(records: Records, ids: Ids, people: Committee, demand: Ints, most: Ints) -> Ints:
    """(locks, 2) row and reviewer.

    Raises:
        RecordError: there are more locks than a demand or a quota allows, or nobody wants that role.
    """
    rows, load, pool = demand.copy(), most.copy(), len(demand) // max(len(ids.papers), 1)
    locked = []
    for pair in records.locked:
        paper, who = ids.pair("locked", pair)
        if people.role[who] < 0:
            raise RecordError("locked", pair, f"{pair[1]} is locked, but their role has no demand")
        row = paper * pool + int(people.role[who])
        rows[row] -= 1
        load[who] -= 1
        if rows[row] < 0:
            raise RecordError("locked", pair, f"{pair[0]} has more locks than its demand of {demand[row]}")
        if load[who] < 0:
            raise RecordError("locked", pair, f"{pair[1]} has more locks than their quota of {most[who]}")
        locked.append((row, who))
    return np.array(locked, dtype=np.int64).reshape(-1, 2)


def _check(name: str, key: tuple[str, ...], number: int, what: str) -> None:
    if number < 0:
        raise RecordError(name, key, f"{what} {number} is negative")
    if number > MOST:
        raise RecordError(name, key, f"{what} {number} is more than {MOST:,}")
