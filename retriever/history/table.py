"""Who reviewed and edited which papers before, as arrays beside an index.

A paper of the index has its vector there, others are encoded once. What was matched with people lies in a file beside
the index, and is matched again where an event, the corpus or the index has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import date
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
import orjson
from numpy.typing import NDArray

from indexing.index import Index
from indexing.jobs.manifest import NAME
from indexing.tables.ownership import NumberedPeople
from indexing.text import Text
from panelist.corpus.history import MATCHED
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.files import replacing
from panelist.keyed_file import key_of
from panelist.records import HistoryEvent, HistoryRole, Outcome
from retriever.conference.people import IndexSource

NEVER = np.iinfo(np.int32).max
"""The day of what has not happened, or of which no day is known."""
UNDATED = NEVER - 1
"""The day of what has happened nobody knows when: it counts only where no day is asked for."""

REVIEWED, EDITED, OVERSAW = 0, 1, 2
_KINDS = {HistoryRole.REVIEWER: REVIEWED, HistoryRole.SENIOR_EDITOR: OVERSAW}

FILE = "history.npz"
"""Vectors of papers outside of the index, under digests of their texts."""
_FORMAT = "2"
"""To be raised where the same events would be matched differently, or stored so."""


VectorsOf = Callable[[dict[str, Text]], NDArray[np.float32]]
"""Gives (papers, dimension) the vectors of papers by id, zeros where nothing is known of what a paper is about."""


class PeopleNumbers(Protocol):
    """Who knows people by number: an index with its corpus, or the directory of a conference."""

    def numbers(self, keys: Sequence[str]) -> list[list[int]]:
        """For each id, ORCID or e-mail address, in any form, the people who have it."""

    def people_named(self, names: Sequence[str]) -> list[list[int]]:
        """For each name everybody who has it, up to case, accents, spacing and titles."""


@dataclass(frozen=True, eq=False)
class History(NumberedPeople):
    """Events of people (numbers of authors in an index, or of reviewers in a committee), person after person."""

    persons: NDArray[np.int64]  # (events) positions in `authors`, ascending
    papers: NDArray[np.int64]  # (events) rows of `vectors`
    # (events) `REVIEWED`, `EDITED`, or `OVERSAW` for senior editors, who see papers of every kind
    kinds: NDArray[np.int8]
    since: NDArray[np.int32]  # (events) int32, the day from which it is evidence; `NEVER` where it is none
    begun: NDArray[np.int32]  # (events) int32, the day on which a review was asked for or promised
    ended: NDArray[np.int32]  # (events) int32, the day on which it was written or declined, or the paper was published
    # (papers, dimension) of unit length; zeros where nothing is known of what the paper is about
    vectors: NDArray[np.float32]
    rows: dict[str, int]  # the row of each paper by its id

    @classmethod
    def of(cls, source: PeopleNumbers, events: Iterable[HistoryEvent], vectors_of: VectorsOf) -> History:
        """What is known of these events, of the people whom the source knows."""
        all_events = list(events)
        owner, authors = _people(source, all_events)
        matched = [all_events[row] for row in owner.tolist()]
        texts = {event.paper: Text(event.title.strip(), event.abstract.strip()) for event in matched}
        rows = {paper: row for row, paper in enumerate(texts)}
        people, persons = np.unique(authors, return_inverse=True)
        order = np.argsort(persons, kind="stable")
        matched = [matched[row] for row in order.tolist()]
        days = np.array([_days(event) for event in matched], np.int32).reshape(-1, 3)
        return cls(
            people,
            persons[order],
            np.array([rows[event.paper] for event in matched], np.int64),
            np.array([_KINDS.get(event.role, EDITED) for event in matched], np.int8),
            days[:, 0],
            days[:, 1],
            days[:, 2],
            vectors_of(texts),
            rows,
        )

    @classmethod
    def read(cls, index: Index, source: IndexSource, corpus: CorpusStore, fingerprint: str) -> History:
        """What the index knows of a corpus' events, of which this is the fingerprint; matched once."""
        directory = index.path.parent.parent
        key = key_of(_FORMAT, fingerprint, corpus.fingerprint(), (index.path / NAME).read_text()).hex()
        arrays = _read_arrays(directory / MATCHED)
        if str(arrays.pop("key", "")) == key:
            papers = orjson.loads(arrays.pop("rows").tobytes())
            return cls(**arrays, rows={paper: row for row, paper in enumerate(papers)})
        history = cls.of(source, corpus.history(), vectors_in(index))
        if corpus.history_fingerprint() == fingerprint:  # nobody was forgotten meanwhile
            arrays = {field.name: getattr(history, field.name) for field in fields(cls)}
            arrays["rows"] = np.frombuffer(orjson.dumps([*history.rows]), np.uint8)
            _write_arrays(directory / MATCHED, key=np.array(key), **arrays)
        return history

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """(people) where the events of each begin."""
        return np.searchsorted(self.persons, np.arange(len(self.authors)))


def vectors_in(index: Index, path: Path | None = None, *, prune: bool = True) -> VectorsOf:
    """Vectors of an index, and of papers outside of it by its encoder, each once: they are kept in a file beside it."""
    return partial(_vectors, index, path=path or index.path.parent.with_name(FILE), prune=prune)


def _people(source: PeopleNumbers, events: Sequence[HistoryEvent]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every (row of an event, author whose it is): by id, ORCID or address, else by a name that one person has."""
    certain = [
        () if event.possible else tuple(filter(None, (event.person, event.orcid, event.email))) for event in events
    ]
    keys = list(dict.fromkeys(key for event_keys in certain for key in event_keys))
    numbers = dict(zip(keys, source.numbers(keys), strict=True))
    people = [{number for key in event_keys for number in numbers[key]} for event_keys in certain]
    unknown = [row for row, same in enumerate(people) if not same and events[row].name]
    names = list(dict.fromkeys(events[row].name for row in unknown))
    namesakes = dict(zip(names, source.people_named(names), strict=True))
    for row in unknown:
        people[row] = {*same} if len(same := namesakes[events[row].name]) == 1 else set()
    pairs = [(row, number) for row, same in enumerate(people) for number in sorted(same)]
    rows, authors = np.array(pairs, np.int64).reshape(-1, 2).T
    return rows, authors


def _days(event: HistoryEvent) -> tuple[int, int, int]:
    """From when it is evidence, when it was begun, and when it was ended."""
    done, declined = event.outcome is Outcome.DONE, event.outcome is Outcome.DECLINED
    begun = _day(event.invited, event.answered)
    ended = _day(event.submitted, event.published, event.answered if declined else None)
    if ended == NEVER and event.outcome is not Outcome.ACCEPTED:  # nobody waits for it any longer
        ended = begun
    since = _day(event.evidence_since)
    return (UNDATED if since == NEVER else since) if done else NEVER, begun, ended


def _day(*days: date | None) -> int:
    """The earliest of those that are known."""
    return min((day.toordinal() for day in days if day is not None), default=NEVER)


def _vectors(index: Index, texts: dict[str, Text], path: Path, prune: bool) -> NDArray[np.float32]:
    """The vectors of these papers; zeros where no text is known, or where the paper was retracted."""
    papers = [*texts]
    units = index.units.find(papers)
    indexed = (units >= 0) & index.units.evidence[units]
    missing = [row for row in np.flatnonzero(units < 0).tolist() if texts[papers[row]] != Text("")]
    vectors = np.zeros((len(papers), index.manifest.encoder.dimension), np.float32)
    vectors[indexed] = index.vectors[units[indexed]]
    vectors[missing] = _encoded(index, [texts[papers[row]] for row in missing], path, prune=prune)
    return vectors


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a file by name; none where there is no whole file, and the work is done again."""
    with suppress(OSError, EOFError, ValueError, KeyError, BadZipFile), path.open("rb") as file:
        return dict(np.load(file))
    return {}


def _write_arrays(path: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays for this user alone, where anything can be written."""
    with suppress(InputError), replacing(path, 0o600) as unfinished:
        np.savez(unfinished, **arrays)  # type: ignore[arg-type]  # an option of its own is among the names


def _encoded(index: Index, texts: Sequence[Text], path: Path, prune: bool) -> NDArray[np.float32]:
    """The vectors of texts, read from a file as far as it has them; then it has these, and with `prune` no others."""
    encoder = index.manifest.encoder
    keys = [key_of(encoder.name, encoder.revision, *text).hex() for text in texts]
    stored = _read_arrays(path)
    vector_of = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True)) if stored else {}
    missing = [row for row, key in enumerate(keys) if key not in vector_of]
    if missing:
        encoded = index.encoder().encode([texts[row] for row in missing])
        vector_of |= {keys[row]: vector for row, vector in zip(missing, encoded, strict=True)}
    vectors = np.array([vector_of[key] for key in keys], np.float32).reshape(-1, encoder.dimension)
    if missing or (prune and len(vector_of) > len(set(keys))):
        stored = dict(zip(keys, vectors, strict=True)) if prune else vector_of
        _write_arrays(path, keys=np.array([*stored], str), vectors=np.array([*stored.values()], np.float32))
    return vectors
