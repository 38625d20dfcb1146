"""What a conference's files allow to ask for: roles, seniors, rules of who is kept apart, bids."""

from __future__ import annotations

from msgspec import Struct

from panelist.app.desk.conference.assignment.inputs import SCORES
from panelist.app.desk.conference.store import StoredConference
from retriever.assignment.options import REVIEWER, role_name
from retriever.assignment.reading.lines import read_table
from retriever.assignment.reading.people import COLUMNS


class Known(Struct, frozen=True):
    """What there is.

    Attributes:
        scores: whether there are scores.
        roles: of the committee.
        about: which of seniority, institution, country and authored are known of somebody.
        bids: whether there are bids.
        quotas: whether reviewers have quotas of their own.
        demands: whether papers have demands of their own.
    """

    scores: bool
    roles: list[str]
    about: list[str]
    bids: bool
    quotas: bool
    demands: bool


def known(conference: StoredConference) -> Known:
    """What there is in a conference.

    Raises:
        InputError: `reviewers.csv` cannot be read.
    """
    roles, about = {REVIEWER: None}, set[str]()
    if (path := conference.path / "reviewers.csv").exists():
        roles = {}
        for _, values in read_table(path, COLUMNS):
            roles[role_name(values.get("role", "")) or REVIEWER] = None
            about |= {name for name, value in values.items() if value}
    return Known(
        scores=(conference.path / SCORES).exists(),
        roles=sorted(roles, key=lambda role: (role != REVIEWER, role)),
        about=[name for name in ("seniority", "institution", "country", "authored") if name in about],
        bids=(conference.path / "bids.csv").exists(),
        quotas=(conference.path / "quotas.csv").exists(),
        demands=(conference.path / "demands.csv").exists(),
    )
