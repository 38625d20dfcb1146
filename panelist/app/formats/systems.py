"""Assignments, conflicts and scores in the files that conference systems take: docs/reference/formats.md lists them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, NamedTuple
from xml.sax.saxutils import quoteattr

from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.tables import read_cells
from panelist.corpus.systems.columns import CONFLICT, PEOPLE
from panelist.corpus.systems.pairs import named_rows, native_table
from panelist.errors import InputError
from panelist.spreadsheet import csv_text

System = Literal["easychair", "cmt", "hotcrp", "openreview"]
Kind = Literal["assignment", "conflicts", "scores"]
Triples = Iterable[tuple[str, str, float]]  # paper, reviewer, score

_ROOTS = {"assignment": "assignments", "conflicts": "conflicts", "scores": "reviewermatching"}


def for_system(
    system: System, kind: Kind, triples: Triples, names: Mapping[str, str] | None = None, *, meta: bool = False
) -> bytes:
    """The file that a system takes; `names` of reviewers by id are for EasyChair, whose files have them.

    `meta`: reviews are those of people above reviewers, which HotCRP calls metareviews.
    """
    pairs = list(triples)
    if system != "openreview":
        people = (reviewer for _, reviewer, _ in pairs)
        if strange := next((key for key in people if not (key.isdigit() if system == "easychair" else "@" in key)), ""):
            told = f"{system} knows people by {known_by(system)}, received the reviewer '{strange}'"
            raise InputError(f"{told}: 'panelist export {system}' takes the addresses as --committee FILE")
    match system, kind:
        case "cmt", _:
            return "".join(_xml(pairs, kind)).encode()
        case "openreview", "conflicts":
            return csv_text((paper, reviewer, -1) for paper, reviewer, _ in pairs).encode()
        case "openreview", _:
            return csv_text((paper, reviewer, repr(score)) for paper, reviewer, score in pairs).encode()
        case "hotcrp", "assignment" | "conflicts":
            action = CONFLICT if kind == "conflicts" else "metareview" if meta else "primary"
            return csv_text(
                [("paper", "action", "email"), *((paper, action, user) for paper, user, _ in pairs)]
            ).encode()
        case "easychair", "assignment" | "conflicts":
            bid, more = (("bid",), (CONFLICT,)) if kind == "conflicts" else ((), ())
            header = ("member #", "member name", "submission #", *bid)
            rows = ((reviewer, (names or {}).get(reviewer, ""), paper, *more) for paper, reviewer, _ in pairs)
            return csv_text([header, *rows]).encode()
    raise InputError(f"{system} takes no file of {kind}: give its reviewers' bids or an assignment instead")


def names_in(path: Path) -> dict[str, str]:
    """The names of a committee by id, from a system's file or Panelist's own."""
    rows = native_table(read_cells(path, ReadReport()), ("reviewer", "name"), path)
    header = [name.strip().lower() for name in next(rows, (0, [""]))[1]]
    if not {"reviewer", "name"} <= set(header):
        raise InputError(f"'{path}' has no names of reviewers: give the committee as the system exports it")
    return {row[header.index("reviewer")]: row[header.index("name")] for _, row in rows if len(row) == len(header)}


class Contact(NamedTuple):
    """How a system knows somebody: the key (EasyChair's member number, an address elsewhere), and the address."""

    key: str
    email: str


def read_contacts(path: Path) -> list[Contact]:
    """A committee as a system exports it, or a table of `reviewer` and `email`."""
    keys = {"reviewer": ("reviewer", *PEOPLE["reviewer"]), "email": PEOPLE["email"]}
    header, rows = named_rows(read_cells(path, ReadReport()), keys, path=path)
    if header is None:
        raise InputError(
            f"'{path}' has no addresses: give the committee as the system exports it, or reviewer and email"
        )
    return [Contact(row["reviewer"], row["email"]) for _, row in rows]


def known_by(system: System) -> str:
    """What a system knows people by, in words."""
    return "member number" if system == "easychair" else "e-mail address"


def known_as(system: System, addresses: Mapping[str, str], contacts: Sequence[Contact]) -> dict[str, str]:
    """What a system knows people by, by id, as far as that is certain: nobody is found by a name.

    Args:
        system: `easychair` knows numbers, others know addresses.
        addresses: of people by id, empty where none is known.
        contacts: the system's own committee, or addresses by id.
    """
    stated = {contact.key: contact.email for contact in contacts if contact.email}
    emails = {id_: stated.get(id_) or email for id_, email in addresses.items()}
    if system == "easychair":
        # Without EasyChair's committee, ids that are numbers are those of its own files.
        people = contacts or [Contact(key, "") for key in addresses]
        numbers = {
            name.casefold(): contact.key for contact in people if contact.key.isdigit() for name in contact if name
        }
        keys = {id_: numbers.get(id_.casefold()) or numbers.get(email.casefold(), "") for id_, email in emails.items()}
    else:
        keys = {id_: email if "@" in email else "" for id_, email in emails.items()}
    times = Counter(key.casefold() for key in keys.values())
    return {id_: key for id_, key in keys.items() if key and times[key.casefold()] == 1}


def committee_names(path: Path | None) -> dict[str, str]:
    """The names of a committee as far as a file has them: without a file, or names in it, there are none."""
    with suppress(InputError):
        return {} if path is None else names_in(path)
    return {}


def _xml(pairs: Triples, kind: Kind) -> Iterator[str]:
    """CMT's templates, and the file of the Toronto paper matching system for scores."""
    papers: dict[str, list[tuple[str, float]]] = {}
    for paper, email, score in pairs:
        papers.setdefault(paper, []).append((email, score))
    yield f'<?xml version="1.0" encoding="utf-8"?>\n<{_ROOTS[kind]}>\n'
    for paper, people in papers.items():
        yield f"  <submission submissionId={quoteattr(paper)}>\n"
        for email, score in people:
            if kind == "scores":
                yield f'    <reviewer email={quoteattr(email)} score="{score!r}" source="Panelist" />\n'
            else:
                yield f"    <user email={quoteattr(email)} />\n"
        yield "  </submission>\n"
    yield f"</{_ROOTS[kind]}>\n"
