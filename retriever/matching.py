"""Shared terms, compiled: what `retriever.terms` says in Python, word for word, at a tenth of its time.

Papers are looked at as bytes. Each chunk between blanks is hashed, and its number and stems are looked up; only chunks
that nobody has seen yet are read in Python. The terms of the submission and those it shares with a paper are then found
among the numbers of stems, and only what is shown is spelled.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import Any

import numba
import numpy as np
from numpy.typing import DTypeLike, NDArray

from indexing.text import Text
from retriever.terms import IN_TITLE, SHOWN, TELLING, TELLING_PHRASE, Rarity
from retriever.words import Word, words_of

_REMEMBERED = 200_000  # chunks: some 40 MB where words are parted by blanks
_NONE = -1
_NO_STEM = 0  # the number of the empty stem, which matches nothing
# A place of the table holds the high bits of a chunk's hash and, in the low ones, its number.
_NUMBER = np.uint64((1 << 24) - 1)
_FREE = np.uint64((1 << 64) - 1)


class Matcher:
    """Finds the terms that papers share with submissions. Safe to share between threads, which take turns."""

    def __init__(self, rarity: Rarity) -> None:
        self._rarity = rarity
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._words: list[tuple[Word, ...]] = []  # of each chunk
        self._hashes = _Column(np.uint64)  # of each chunk
        self._table = np.full(1 << 12, _FREE)  # chunks, at the places that their hashes point to, or behind
        self._starts = _Column(np.int64, [0])  # where the stems of each chunk begin and end
        self._stems = _Column(np.int32)  # of all words of all chunks
        self._numbers = {"": _NO_STEM}  # of stems
        self._rarities = _Column(np.float64, [0.0])  # of stems

    def shared_terms(self, submission: Text, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """The telling words and phrases of each text that the submission has too, as the text spells them."""
        with self._lock:
            if len(self._words) > _REMEMBERED:
                self._forget()
            chunks, cuts = self._read([submission.title, submission.abstract, *texts])
            stems, owners, turns, ends = unfold(chunks, cuts, self._starts.values, self._stems.values)
            highest = self._rarity.highest
            terms = rank_terms(
                *(stems[: ends[1]], stems[ends[1] : ends[2]], self._rarities.values),
                *(IN_TITLE, TELLING * highest, TELLING_PHRASE * highest),
            )
            places, phrases, counts = choose(stems, ends[2:], *terms, SHOWN)
            words = self._spelled(owners[places], turns[places])
            seconds = iter(self._spelled(owners[places[phrases] + 1], turns[places[phrases] + 1]))
        spelled = (
            f"{word} {next(seconds)}" if phrase else word for word, phrase in zip(words, phrases.tolist(), strict=True)
        )
        return [tuple(islice(spelled, count)) for count in counts.tolist()]

    def _spelled(self, owners: NDArray[np.int32], turns: NDArray[np.int32]) -> list[str]:
        """Words of these chunks, by their turn there, as they stand in the text."""
        return [self._words[owner][turn][0] for owner, turn in zip(owners.tolist(), turns.tolist(), strict=True)]

    def _read(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of all chunks of these texts, and where those of each begin and end."""
        encoded = [text.encode() for text in texts]
        blob = b" ".join(encoded)
        ends = np.fromiter(accumulate([len(text) + 1 for text in encoded]), np.int64, len(encoded))
        hashes, begins, stops, cuts = cut(np.frombuffer(blob, np.uint8), ends)
        chunks, missing = look_up(self._table, hashes)
        if missing:
            unknown = np.flatnonzero(chunks == _NONE)
            _, first, which = np.unique(hashes[unknown], return_index=True, return_inverse=True)
            known = len(self._words)
            new = unknown[first]
            self._learn(
                [blob[a:b] for a, b in zip(begins[new].tolist(), stops[new].tolist(), strict=True)], hashes[new]
            )
            chunks[unknown] = known + which
        return chunks, cuts

    def _learn(self, chunks: list[bytes], hashes: NDArray[np.uint64]) -> None:
        """Add chunks that are not known, with these hashes."""
        words = [words_of(chunk) for chunk in chunks]
        stems = [stem for own in words for _, stem in own]
        new = [stem for stem in dict.fromkeys(stems) if stem not in self._numbers]
        self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
        self._rarities.extend([self._rarity[stem] for stem in new])
        self._starts.extend(len(self._stems.values) + np.cumsum([len(own) for own in words]))
        self._stems.extend([self._numbers[stem] for stem in stems])
        first = len(self._words)
        self._words += words
        self._hashes.extend(hashes)
        if 2 * len(self._words) > len(self._table):
            self._table = np.full(1 << (4 * len(self._words)).bit_length(), _FREE)
            first = 0
        insert(self._table, self._hashes.values, first)


class _Column:
    """An array with room to grow."""

    def __init__(self, kind: DTypeLike, values: Sequence[Any] = ()) -> None:
        self._room = np.zeros(1 << 10, dtype=kind)
        self._length = 0
        self.extend(values)

    @property
    def values(self) -> NDArray[Any]:
        return self._room[: self._length]

    def extend(self, values: Sequence[Any] | NDArray[Any]) -> None:
        length = self._length + len(values)
        if length > len(self._room):
            self._room = np.concatenate([self.values, np.zeros(2 * length, dtype=self._room.dtype)])
        self._room[self._length : length] = values
        self._length = length


@numba.njit(nogil=True, cache=True)
def cut(
    text: NDArray[np.uint8], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Cut texts into chunks.

    Args:
        text: the bytes of all texts, one after the other, with a blank between two.
        ends: where each of them ends, that blank included.

    Returns:
        For each chunk its hash, and where it begins and ends; and (texts + 1) where the chunks of each text begin and
        end.
    """
    most = len(text) // 2 + 1
    hashes = np.empty(most, dtype=np.uint64)
    begins, stops = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    cuts = np.zeros(len(ends) + 1, dtype=np.int64)
    count, place = 0, 0
    for number in range(len(ends)):
        end = min(ends[number], len(text))
        while True:
            while place < end and _blank(text[place]):
                place += 1
            if place >= end:
                break
            begins[count] = place
            key = np.uint64(14695981039346656037)  # FNV-1a
            while place < end and (text[place] > 32 or not _blank(text[place])):
                key = (key ^ np.uint64(text[place])) * np.uint64(1099511628211)
                place += 1
            hashes[count], stops[count] = key ^ (key >> np.uint64(32)), place  # its low bits point to a place
            count += 1
        cuts[number + 1] = count
    return hashes[:count], begins[:count], stops[:count], cuts


@numba.njit(nogil=True, cache=True, inline="always")
def _blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13  # as `bytes.split` has it


@numba.njit(nogil=True, cache=True)
def look_up(table: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """The numbers of the chunks with these hashes, `_NONE` where they are not known, and how many are not."""
    found = np.empty(len(hashes), dtype=np.int32)
    missing = 0
    mask = np.uint64(len(table) - 1)
    for chunk in range(len(hashes)):  # a loop of its own: the processor waits for many places of memory at once
        slot = hashes[chunk] & mask
        while table[slot] != _FREE and (table[slot] ^ hashes[chunk]) > _NUMBER:
            slot = (slot + np.uint64(1)) & mask
        found[chunk] = _NONE if table[slot] == _FREE else table[slot] & _NUMBER
        missing += table[slot] == _FREE
    return found, missing


@numba.njit(nogil=True, cache=True)
def insert(table: NDArray[np.uint64], hashes: NDArray[np.uint64], first: int) -> None:
    """Enter the chunks from this one on into the table, which has room."""
    mask = np.uint64(len(table) - 1)
    for chunk in range(first, len(hashes)):
        slot = hashes[chunk] & mask
        while table[slot] != _FREE:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = (hashes[chunk] & ~_NUMBER) | np.uint64(chunk)


@numba.njit(nogil=True, cache=True)
def unfold(
    chunks: NDArray[np.int32], cuts: NDArray[np.int64], starts: NDArray[np.int64], stems: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """The words of chunks: the stem of each, its chunk and its turn in that; and where those of each text end."""
    total = 0
    for chunk in chunks:
        total += starts[chunk + 1] - starts[chunk]
    stream, owners = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    turns = np.empty(total, dtype=np.int32)
    ends = np.zeros(len(cuts), dtype=np.int64)
    place = 0
    for text in range(len(cuts) - 1):
        for chunk in chunks[cuts[text] : cuts[text + 1]]:
            for turn in range(starts[chunk + 1] - starts[chunk]):
                stream[place], owners[place], turns[place] = stems[starts[chunk] + turn], chunk, turn
                place += 1
        ends[text + 1] = place
    return stream, owners, turns, ends


@numba.njit(nogil=True, cache=True)
def rank_terms(
    title: NDArray[np.int32],
    abstract: NDArray[np.int32],
    rarities: NDArray[np.float64],
    in_title: int,
    telling: float,
    telling_phrase: float,
) -> tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]
]:
    """The telling words and phrases of a submission.

    Returns:
        For each stem its place among those of the submission, or `_NONE`. For each of these the first of the terms that
        begin with it, and for each term the next of them, or `_NONE`. The first word of each term, and its second, or
        `_NONE`. All terms, the weightiest first.
    """
    local = np.full(len(rarities), _NONE, dtype=np.int32)
    most = len(title) + len(abstract)
    own, times = np.empty(most, dtype=np.int32), np.zeros(most, dtype=np.int64)
    seen = 0
    for part, counted in ((title, in_title), (abstract, 1)):
        for stem in part:
            if stem != _NO_STEM:
                if local[stem] < 0:
                    local[stem] = seen
                    own[seen] = stem
                    seen += 1
                times[local[stem]] += counted
    weights = rarities[own[:seen]] * np.sqrt(times[:seen])

    heads, nexts = np.full(seen, _NONE, dtype=np.int32), np.empty(2 * most, dtype=np.int32)
    firsts, seconds = np.empty(2 * most, dtype=np.int32), np.empty(2 * most, dtype=np.int32)
    worth = np.empty(2 * most, dtype=np.float64)
    count = 0
    for place in range(seen):
        if weights[place] >= telling:
            firsts[count], seconds[count], worth[count] = place, _NONE, weights[place]
            heads[place], nexts[count] = count, _NONE
            count += 1
    for part in (title, abstract):
        for place in range(len(part) - 1):
            if part[place] == _NO_STEM or part[place + 1] == _NO_STEM:
                continue
            first, second = local[part[place]], local[part[place + 1]]
            term = heads[first]
            while term >= 0 and seconds[term] != second:
                term = nexts[term]
            if term < 0 and weights[first] + weights[second] >= telling_phrase:
                firsts[count], seconds[count], worth[count] = first, second, weights[first] + weights[second]
                heads[first], nexts[count] = count, heads[first]
                count += 1
    order = np.argsort(-worth[:count], kind="mergesort")
    return local, heads, nexts[:count], firsts[:count], seconds[:count], order


@numba.njit(nogil=True, cache=True)
def choose(
    stems: NDArray[np.int32],
    ends: NDArray[np.int64],
    local: NDArray[np.int32],
    heads: NDArray[np.int32],
    nexts: NDArray[np.int32],
    firsts: NDArray[np.int32],
    seconds: NDArray[np.int32],
    order: NDArray[np.int64],
    shown: int,
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
    """The weightiest terms of each text, where they stand first, whether each is a phrase, and how many a text has."""
    texts = len(ends) - 1
    places, phrases = np.empty(texts * shown, dtype=np.int64), np.empty(texts * shown, dtype=np.bool_)
    counts = np.zeros(texts, dtype=np.int64)
    found, said = np.empty(len(order), dtype=np.int64), np.empty(len(heads), dtype=np.bool_)
    total = 0
    for text in range(texts):
        found[:] = _NONE
        for place in range(ends[text], ends[text + 1]):
            first = local[stems[place]]
            if first < 0:
                continue
            second = local[stems[place + 1]] if place + 1 < ends[text + 1] else _NONE
            alone, term = _NONE, heads[first]
            while term >= 0:
                if seconds[term] < 0:
                    alone = term
                elif seconds[term] == second:
                    break
                term = nexts[term]
            term = alone if term < 0 else term
            if term >= 0 and found[term] < 0:
                found[term] = place
        said[:] = False
        for term in order:
            first, second = firsts[term], seconds[term]
            if found[term] < 0 or (said[first] and (second < 0 or said[second])):
                continue  # a word is said once, in its phrase
            said[first] = True
            if second >= 0:
                said[second] = True
            places[total], phrases[total] = found[term], second >= 0
            total += 1
            counts[text] += 1
            if counts[text] == shown:
                break
    return places[:total], phrases[:total], counts
