"""Assignments, conflicts and scores in the files that conference systems take: docs/reference/formats.md lists them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import quoteattr

from panelist.corpus.systems.columns import CONFLICT
from panelist.errors import InputError
from panelist.spreadsheet import csv_text

System = Literal["easychair", "cmt", "hotcrp", "openreview"]
Kind = Literal["assignment", "conflicts", "scores"]
Triples = Iterable[tuple[str, str, float]]  # paper, reviewer, score

_ROOTS = {"assignment": "assignments", "conflicts": "conflicts", "scores": "reviewermatching"}


def for_system(system: System, kind: Kind, triples: Triples, names: Mapping[str, str] | None = None) -> bytes:
    """The file that a system takes; `names` of reviewers by id are for EasyChair, whose files have them."""
    pairs = list(triples)
    if system in ("cmt", "hotcrp"):
        strange = next((who for _, who, _ in pairs if "@" not in who), None)
        if strange is not None:
            raise InputError(f"{system} knows people by e-mail address, received the reviewer '{strange}': use its ids")
    match system, kind:
        case "cmt", _:
            return "".join(_xml(pairs, kind)).encode()
        case "openreview", "conflicts":
            return csv_text((paper, who, -1) for paper, who, _ in pairs).encode()
        case "openreview", _:
            return csv_text((paper, who, repr(score)) for paper, who, score in pairs).encode()
        case "hotcrp", "assignment" | "conflicts":
            action = CONFLICT if kind == "conflicts" else "primary"
            return csv_text([("paper", "action", "email"), *((paper, action, who) for paper, who, _ in pairs)]).encode()
        case "easychair", "assignment" | "conflicts":
            bid, more = (("bid",), (CONFLICT,)) if kind == "conflicts" else ((), ())
            header = ("member #", "member name", "submission #", *bid)
            rows = ((who, (names or {}).get(who, ""), paper, *more) for paper, who, _ in pairs)
            return csv_text([header, *rows]).encode()
    raise InputError(f"{system} takes no file of {kind}: give its reviewers' bids or an assignment instead")


def names_in(path: Path) -> dict[str, str]:
    """The names of a committee by id, from a system's file or Panelist's own."""
    from panelist.corpus.readers.report import ReadReport
    from panelist.corpus.readers.tables import read_cells
    from panelist.corpus.systems.pairs import native_table

    rows = native_table(read_cells(path, ReadReport()), ("reviewer", "name"))
    header = [name.strip().lower() for name in next(rows, (0, [""]))[1]]
    if not {"reviewer", "name"} <= set(header):
        raise InputError(f"'{path}' has no names of reviewers: give the committee as the system exports it")
    return {row[header.index("reviewer")]: row[header.index("name")] for _, row in rows if len(row) == len(header)}


def committee_names(path: Path | None) -> dict[str, str]:
    """The names of a committee as far as a file has them: without a file, or names in it, there are none."""
    with suppress(InputError):
        return {} if path is None else names_in(path)
    return {}


def _xml(pairs: Triples, kind: Kind) -> Iterator[str]:
    """CMT's templates, and the file of the Toronto paper matching system for scores."""
    papers: dict[str, list[tuple[str, float]]] = {}
    for paper, who, score in pairs:
        papers.setdefault(paper, []).append((who, score))
    yield f'<?xml version="1.0" encoding="utf-8"?>\n<{_ROOTS[kind]}>\n'
    for paper, people in papers.items():
        yield f"  <submission submissionId={quoteattr(paper)}>\n"
        for who, score in people:
            if kind == "scores":
                yield f'    <reviewer email={quoteattr(who)} score="{score!r}" source="Panelist" />\n'
            else:
                yield f"    <user email={quoteattr(who)} />\n"
        yield "  </submission>\n"
    yield f"</{_ROOTS[kind]}>\n"
