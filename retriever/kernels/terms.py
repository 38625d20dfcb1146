"""The kernels of shared terms: texts as bytes are cut into chunks, and terms are found among the numbers of stems.

A chunk is what stands between blanks. Its words are worked out once, in Python, and remembered by its hash
(`retriever.terms`).
"""

import numpy as np
from numpy.typing import NDArray

from indexing.kernels import Written, helper, kernel

NONE = -1
NO_STEM = 0
"""The number of the empty stem, which matches nothing."""

# A slot of the table holds the high bits of a chunk's hash and, in the low ones, its number.
NUMBER = np.uint64((1 << 24) - 1)
FREE = np.uint64((1 << 64) - 1)


@helper
def _blank(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13  # as `bytes.split` has it


@kernel
def cut_chunks(
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
    count, position = 0, 0
    for number in range(len(ends)):
        end = min(ends[number], len(text))
        while True:
            while position < end and _blank(text[position]):
                position += 1
            if position >= end:
                break
            begins[count] = position
            key = np.uint64(14695981039346656037)  # FNV-1a
            while position < end and (text[position] > 32 or not _blank(text[position])):
                key = (key ^ np.uint64(text[position])) * np.uint64(1099511628211)
                position += 1
            hashes[count], stops[count] = key ^ (key >> np.uint64(32)), position  # its low bits are its slot
            count += 1
        cuts[number + 1] = count
    return hashes[:count], begins[:count], stops[:count], cuts


@kernel
def find_chunks(table: NDArray[np.uint64], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """The numbers of the chunks with these hashes, `NONE` where they are not known, and how many are not."""
    numbers = np.empty(len(hashes), dtype=np.int32)
    missing = 0
    mask = np.uint64(len(table) - 1)
    for chunk in range(len(hashes)):  # a loop of its own: the processor waits for many reads of memory at once
        slot = hashes[chunk] & mask
        while table[slot] != FREE and (table[slot] ^ hashes[chunk]) > NUMBER:
            slot = (slot + np.uint64(1)) & mask
        numbers[chunk] = NONE if table[slot] == FREE else table[slot] & NUMBER
        missing += table[slot] == FREE
    return numbers, missing


@kernel
def insert_chunks(table: Written[np.uint64], hashes: NDArray[np.uint64], first: int) -> None:
    """Insert the chunks from this one on into the table, which has room for them."""
    mask = np.uint64(len(table) - 1)
    for chunk in range(first, len(hashes)):
        slot = hashes[chunk] & mask
        while table[slot] != FREE:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = (hashes[chunk] & ~NUMBER) | np.uint64(chunk)


@kernel
def words_of_chunks(
    chunks: NDArray[np.int32], cuts: NDArray[np.int64], starts: NDArray[np.int64], stems: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """The words of chunks: the stem of each, its chunk and its turn in the chunk; and where those of each text end."""
    total = 0
    for chunk in chunks:
        total += starts[chunk + 1] - starts[chunk]
    stream, owners = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    turns = np.empty(total, dtype=np.int32)
    ends = np.zeros(len(cuts), dtype=np.int64)
    position = 0
    for text in range(len(cuts) - 1):
        for chunk in chunks[cuts[text] : cuts[text + 1]]:
            for turn in range(starts[chunk + 1] - starts[chunk]):
                stream[position], owners[position], turns[position] = stems[starts[chunk] + turn], chunk, turn
                position += 1
        ends[text + 1] = position
    return stream, owners, turns, ends


@kernel
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
        For each stem its number among those of the submission, or `NONE`. For each of these the first of the terms that
        begin with it, and for each term the next of them, or `NONE`. The first word of each term, and its second, or
        `NONE`. All terms, by weight.
    """
    local = np.full(len(rarities), NONE, dtype=np.int32)
    most = len(title) + len(abstract)
    own, times = np.empty(most, dtype=np.int32), np.zeros(most, dtype=np.int64)
    seen = 0
    for part, counted in ((title, in_title), (abstract, 1)):
        for stem in part:
            if stem != NO_STEM:
                if local[stem] < 0:
                    local[stem] = seen
                    own[seen] = stem
                    seen += 1
                times[local[stem]] += counted
    weights = rarities[own[:seen]] * np.sqrt(times[:seen])

    heads, nexts = np.full(seen, NONE, dtype=np.int32), np.empty(2 * most, dtype=np.int32)
    firsts, seconds = np.empty(2 * most, dtype=np.int32), np.empty(2 * most, dtype=np.int32)
    worth = np.empty(2 * most, dtype=np.float64)
    count = 0
    for position in range(seen):
        if weights[position] >= telling:
            firsts[count], seconds[count], worth[count] = position, NONE, weights[position]
            heads[position], nexts[count] = count, NONE
            count += 1
    for part in (title, abstract):
        for position in range(len(part) - 1):
            if part[position] == NO_STEM or part[position + 1] == NO_STEM:
                continue
            first, second = local[part[position]], local[part[position + 1]]
            term = heads[first]
            while term >= 0 and seconds[term] != second:
                term = nexts[term]
            if term < 0 and weights[first] + weights[second] >= telling_phrase:
                firsts[count], seconds[count], worth[count] = first, second, weights[first] + weights[second]
                heads[first], nexts[count] = count, heads[first]
                count += 1
    order = np.argsort(-worth[:count], kind="mergesort")
    return local, heads, nexts[:count], firsts[:count], seconds[:count], order


@kernel
def shared_terms(
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
    """The weightiest terms of each text: where each is first, whether it is a phrase, and how many a text has."""
    texts = len(ends) - 1
    positions, phrases = np.empty(texts * shown, dtype=np.int64), np.empty(texts * shown, dtype=np.bool_)
    counts = np.zeros(texts, dtype=np.int64)
    first_positions, said = np.empty(len(order), dtype=np.int64), np.empty(len(heads), dtype=np.bool_)
    total = 0
    for text in range(texts):
        first_positions[:] = NONE
        for position in range(ends[text], ends[text + 1]):
            first = local[stems[position]]
            if first < 0:
                continue
            second = local[stems[position + 1]] if position + 1 < ends[text + 1] else NONE
            alone, term = NONE, heads[first]
            while term >= 0:
                if seconds[term] < 0:
                    alone = term
                elif seconds[term] == second:
                    break
                term = nexts[term]
            term = alone if term < 0 else term
            if term >= 0 and first_positions[term] < 0:
                first_positions[term] = position
        said[:] = False
        for term in order:
            first, second = firsts[term], seconds[term]
            if first_positions[term] < 0 or (said[first] and (second < 0 or said[second])):
                continue  # a word is said once, in its phrase
            said[first] = True
            if second >= 0:
                said[second] = True
            positions[total], phrases[total] = first_positions[term], second >= 0
            total += 1
            counts[text] += 1
            if counts[text] == shown:
                break
    return positions[:total], phrases[:total], counts
