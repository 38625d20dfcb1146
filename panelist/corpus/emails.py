"""E-mail addresses that papers print. They are shown to people who ask, and are in no export for machines."""

from collections.abc import Iterable
from dataclasses import dataclass

from panelist.records import Paper


@dataclass(frozen=True, slots=True)
class Email:
    """Somebody's address, with the paper that printed it."""

    address: str
    paper: str
    year: int | None


def latest_email(person: str, papers: Iterable[Paper]) -> Email | None:
    """The address in the newest of somebody's papers that has one; of one year that in the last paper by id."""
    printed = (
        Email(authorship.author.email, paper.id, paper.year)
        for paper in papers
        for authorship in paper.authorships
        if authorship.author.id == person and authorship.author.email
    )
    return max(printed, key=lambda email: (email.year or 0, email.paper), default=None)
