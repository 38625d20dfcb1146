"""What an index of N papers costs: bytes, machines, hours and seconds per query, by measured constants.

docs/guides/scale.md says where each constant comes from. Everything is linear in the papers, except that a query is
spread over the machines that hold the index.
"""

import math
from dataclasses import dataclass

from indexing.lexical import TERMS, TERMS_FROM

BYTES = {
    "tables": (166, 166),
    "references, where papers have them": (0, 700),
    "exact vectors": (1_536, 1_536),
    "exact vectors, half precision": (768, 768),
    "lexical, Lucene": (500, 880),
    "dense, IVF of 8-bit codes": (420, 420),
    "dense, HNSW": (656, 1_800),
    "dense, product quantisation": (56, 104),
}
"""Bytes per paper, lowest and highest: abstracts of English papers, 384 dimensions."""

TEXTS_PER_CORE_SECOND = 13.0
TEXTS_PER_GPU_SECOND = (1_000, 4_000)
POSTINGS_PER_PAPER = 10.8  # that a query of 82 words touches
POSTINGS_PER_CORE_SECOND = 2.7e8
SHARE_OF_RARE_WORDS = 0.12  # of the postings, that the `TERMS` rarest words touch

_DIMENSION = 384
_SHARD = 50_000


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that serves: gigabytes of memory, processors, and what an hour costs in any currency."""

    memory: float
    cores: int
    hourly: float


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of an index; `lines` says what each number is."""

    papers: int
    sizes: dict[str, tuple[float, float]]
    shards: int
    machines: int
    encoding_core_hours: float
    encoding_gpu_hours: tuple[float, float]
    building_hours: float
    query_core_seconds: float
    query_seconds: float
    rare_words: bool
    monthly: float


def costs(papers: int, machine: Machine, dimension: int) -> Costs:
    """The costs of an index of this many papers, with vectors of this length, on machines of this kind."""
    sizes = {}
    for part, (low, high) in BYTES.items():
        scale = dimension / _DIMENSION if "vectors" in part or "dense" in part else 1
        sizes[part] = papers * low * scale / 1e9, papers * high * scale / 1e9
    held = sum(sizes[part][1] for part in ("lexical, Lucene", "dense, IVF of 8-bit codes"))
    machines = max(1, math.ceil(held / machine.memory))
    core_seconds = papers * POSTINGS_PER_PAPER / POSTINGS_PER_CORE_SECOND
    rare = papers >= TERMS_FROM
    core_hours = papers / TEXTS_PER_CORE_SECOND / 3600
    slow, fast = (papers / rate / 3600 for rate in TEXTS_PER_GPU_SECOND)
    return Costs(
        papers=papers,
        sizes=sizes,
        shards=math.ceil(papers / _SHARD),
        machines=machines,
        encoding_core_hours=core_hours,
        encoding_gpu_hours=(fast, slow),
        building_hours=core_hours / (machines * machine.cores),
        query_core_seconds=core_seconds,
        query_seconds=core_seconds * (SHARE_OF_RARE_WORDS if rare else 1) / (machines * machine.cores),
        rare_words=rare,
        monthly=730 * machines * machine.hourly,  # hours of a month
    )


def lines(found: Costs, machine: Machine) -> list[str]:
    """The costs as lines for people."""
    words = f"its {TERMS} rarest words" if found.rare_words else "all its words"
    sizes = [f"{_range(low, high):>14} GB  {part}" for part, (low, high) in found.sizes.items()]
    low, high = found.encoding_gpu_hours
    return [
        *sizes,
        f"{found.shards:>14,}     shards of {_SHARD:,} papers (shard_size {_SHARD})",
        f"{found.machines:>14,}     machines of {machine.memory:g} GB hold the lexical index and 8-bit codes in memory",
        f"{found.encoding_core_hours:>14,.1f} h   of one core to encode all papers",
        f"{_range(low, high):>14} h   of one graphics processor, at {TEXTS_PER_GPU_SECOND[0]:,} to "
        f"{TEXTS_PER_GPU_SECOND[1]:,} texts per second (assumed)",
        f"{found.building_hours:>14,.1f} h   to encode on all {machine.cores} cores of all machines",
        f"{found.query_core_seconds:>14,.3f} s   of one core to score an abstract by all its words",
        f"{found.query_seconds:>14,.3f} s   for an abstract on all cores, found by {words}",
        f"{found.monthly:>14,.0f}     per month, at {machine.hourly:g} per machine and hour",
    ]


def _range(low: float, high: float) -> str:
    return f"{low:,.1f}" if round(low, 1) == round(high, 1) else f"{low:,.1f}–{high:,.1f}"
