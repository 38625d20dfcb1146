"""Tables of reviews in the systems' own forms, with the columns `paper,reviewer,score,text` of Panelist's own."""

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from panelist.corpus.systems.columns import RECOMMENDATIONS, REVIEWS, plain_header, position
from panelist.words import counted

_log = logging.getLogger(__name__)

T = TypeVar("T")

_VALUE = re.compile(r"q\d+ \((.*) - value\)")  # CMT: a question with choices has a column of words, and one of numbers
_QUESTION = re.compile(r"q\d+ \(.*\)")
_OVERALL = re.compile(r"overall|rating|recommendation|score")
_PRIVATE = re.compile(r"confidential|comments? (?:for|to) (?:the )?(?:pc|editor|chair|program)")
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_CHOICE = re.compile(rf"{_NUMBER.pattern}(?:\. .{{0,80}})?")  # a number, or an answer such as `2. Some familiarity`


def native_reviews(
    header: Sequence[str], rows: Iterable[tuple[T, list[str]]], *, scored: bool
) -> tuple[list[str], Iterable[tuple[T, list[str]]]]:
    """The header and the rows with Panelist's names of columns; both unchanged where they have these already.

    Answers to several questions become one `text`, those that are confidential left out. Of several versions of a
    review (EasyChair) the last counts. With `scored`, reviews without a score are left out, and counted. Each row has
    a mark that tells where it stands, and the cells.
    """
    names = plain_header(header)
    hotcrp, version = "reviewername" in names, position(names, ("version",))
    positions = {field: position(names, aliases) for field, aliases in REVIEWS.items()}
    values = {name: index for index, name in enumerate(names) if _VALUE.fullmatch(name)}
    if {"paper", "reviewer", "score"} <= set(names) if scored else positions["text"] >= 0 > version and not hotcrp:
        return list(header), rows
    if hotcrp:  # its column 'review' is a number such as 12A
        positions |= {"id": position(names, ("review",)), "text": -1}
    if positions["score"] < 0 and values:
        overall = (index for name, index in values.items() if _OVERALL.search(name))
        positions["score"] = next(overall, min(values.values()))
    texts: list[int] = []
    if positions["text"] < 0:
        twins = {name.replace(" - value)", ")") for name in values}
        used = {*positions.values(), *(names.index(name) for name in ("title", "reviewername") if name in names)}
        texts = [
            index
            for index, name in enumerate(names)
            if (hotcrp or _QUESTION.fullmatch(name))
            and index not in used
            and name not in {*values, *twins}
            and not _PRIVATE.search(name)
        ]
    if positions["paper"] < 0 or (positions["score"] < 0 and positions["text"] < 0 and not texts):
        return list(header), rows
    renamed = {index: field for field, index in positions.items() if index >= 0}
    native = [renamed.get(index, name) for index, name in enumerate(header)] + (["text"] if texts else [])
    return native, _converted(rows, positions | {"version": version}, texts, scored, len(header))


def _converted(
    rows: Iterable[tuple[T, list[str]]], positions: dict[str, int], texts: list[int], scored: bool, width: int
) -> Iterator[tuple[T, list[str]]]:
    latest: dict[tuple[str, str], tuple[T, list[str]]] = {}
    unscored, version = 0, positions["version"]
    for number, (mark, row) in enumerate(rows):
        if len(row) != width:
            yield mark, row  # the reader says what is wrong with it
            continue
        cells = list(row)
        if positions["score"] >= 0:
            cells[positions["score"]] = score = score_of(row[positions["score"]])
            if scored and not score:
                unscored += 1
                continue
        if texts:
            answers = (row[index].strip() for index in texts)
            cells.append("\n\n".join(answer for answer in answers if answer and not _CHOICE.fullmatch(answer)))
        reviewer = row[positions["reviewer"]] if positions["reviewer"] >= 0 else str(number)
        key = (row[positions["paper"]], reviewer if version >= 0 else f"{reviewer} {number}")
        if version < 0 or key not in latest or _version(row, version) >= _version(latest[key][1], version):
            latest[key] = mark, cells
    yield from latest.values()
    if unscored:
        _log.warning("%s without a score left out", counted(unscored, "review"))


def score_of(text: str) -> str:
    """The number that a cell gives: the first one in it (`4. Accept`), or that of a journal's recommendation."""
    word = " ".join(text.lower().split())
    if word in RECOMMENDATIONS:
        return str(RECOMMENDATIONS[word])
    match = _NUMBER.search(text)
    return match[0] if match else ""


def _version(row: Sequence[str], index: int) -> int:
    return int(row[index]) if row[index].strip().isdecimal() else 0
