"""Authors of real papers on the committee of their own papers, under forms of ids and names: who is found, how surely.

For every form, everybody sits on the committee under that form alone. Papers identify their authors by what the
committee has (`by_id`), as a system with accounts does, or name them only (`by_name`). E-mail addresses, ORCIDs and ids
of OpenReview are invented.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from panelist.records import Author, Paper, Submission
from retriever.conference.committee import Committee, Member
from retriever.conference.conference import Conference
from retriever.conference.conflicts.rules import ConflictRules

PAPERS = 200
_OWN = ConflictRules(coauthor_years=None, institution_years=None)

Placed = tuple[str, Member, Author | str]
"""The id on the committee, what its table says, and how a paper gives the author."""


@dataclass(frozen=True, slots=True)
class AuthorCounts:
    """Pairs of a paper and its author by what was found, and pairs of others that were flagged."""

    certain: int
    possible: int
    missed: int
    false_flags: int
    strangers: int


def planted_authors(papers: Iterable[Paper]) -> dict[str, dict[str, AuthorCounts]]:
    """For every form of ids, and for papers that identify their authors or name them only, what was found."""
    chosen = list(islice((paper for paper in papers if len(paper.authorships) > 1), PAPERS))
    people = list(dict.fromkeys(authorship.author for paper in chosen for authorship in paper.authorships))
    forms: dict[str, Callable[[int, Author], Placed]] = {
        "OpenReview id": _openreview,
        "e-mail": _email,
        "ORCID": _orcid,
        "name": lambda number, author: (f"p{number}", Member(author.name), author.name),
        "initials": lambda number, author: (f"p{number}", Member(_initials(author.name)), author.name),
    }
    counts = {}
    for name, form_of in forms.items():
        placed = {author.id: form_of(number, author) for number, author in enumerate(people)}
        counts[name] = {
            form: _find(chosen, placed, named=form == "by_name")
            for form in ("by_id", "by_name")
            if form == "by_name" or isinstance(next(iter(placed.values()))[2], Author)
        }
    return counts


def _find(papers: Sequence[Paper], placed: dict[str, Placed], *, named: bool) -> AuthorCounts:
    submissions, right = [], set()
    for paper in papers:
        team = [authorship.author for authorship in paper.authorships]
        printed = [author.name if named else placed[author.id][2] for author in team]
        identified = tuple(author for author in printed if isinstance(author, Author))
        names = tuple(name for name in printed if isinstance(name, str))
        submissions.append(Submission(f"s:{paper.id}", paper.title, "", identified, names, year=paper.year))
        right |= {(f"s:{paper.id}", placed[author.id][0]) for author in team}
    members = {key: member for key, member, _ in placed.values()}
    committee = Committee(tuple(members), ((),) * len(members)).with_members(members)
    table = Conference(submissions, committee).conflicts(_OWN)
    certain = {key for key, pair in table.pairs.items() if pair.certain}
    marked = {*table.pairs}
    strangers = len(submissions) * len(members) - len(right)
    possible, missed, false_flags = right & marked - certain, right - marked, marked - right
    return AuthorCounts(len(right & certain), len(possible), len(missed), len(false_flags), strangers)


def _openreview(number: int, author: Author) -> Placed:
    key = f"~{'_'.join(author.name.split())}{number}"
    return key, Member(), Author(f"https://openreview.net/profile?id={key}", author.name)


def _email(number: int, author: Author) -> Placed:
    address = f"Author{number}@Example.org"
    return address, Member(), Author(address.lower(), author.name, None, address.lower())


def _orcid(number: int, author: Author) -> Placed:
    digits = f"0000000{number:08d}"
    total = 0
    for digit in digits:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    digits_of_orcid = digits + ("X" if check == 10 else str(check))
    orcid = "-".join(digits_of_orcid[start : start + 4] for start in range(0, 16, 4))
    return f"https://orcid.org/{orcid}", Member(), Author(f"a{number}", author.name, orcid)


def _initials(name: str) -> str:
    *given, family = name.split()
    return " ".join([*(f"{word[0]}." for word in given), family])
