"""What an index of N papers costs: bytes, machines, hours and seconds per query, by measured constants.

docs/guides/scale.md says where each constant comes from. Everything is linear in the papers, except that a query is
spread over the machines that serve the index.
"""

import math
from typing import Any

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


def estimate_costs(papers: int, memory: float, cores: int, hourly: float, dimension: int) -> dict[str, Any]:
    """The costs of an index of this many papers with vectors of this length, by name; `lines` says what each is.

    A machine has this many gigabytes of memory and cores, and costs so much an hour, in any currency.
    """
    sizes = {}
    for component, bytes_per_paper in BYTES.items():
        scale = dimension / _DIMENSION if "vectors" in component or "dense" in component else 1
        sizes[component] = tuple(papers * size * scale / 1e9 for size in bytes_per_paper)
    in_memory = sum(sizes[component][1] for component in ("lexical, Lucene", "dense, IVF of 8-bit codes"))
    machines = max(1, math.ceil(in_memory / memory))
    core_seconds = papers * POSTINGS_PER_PAPER / POSTINGS_PER_CORE_SECOND
    rare = papers >= TERMS_FROM
    core_hours = papers / TEXTS_PER_CORE_SECOND / 3600
    slow, fast = (papers / rate / 3600 for rate in TEXTS_PER_GPU_SECOND)
    return {
        "papers": papers,
        "sizes": sizes,
        "shards": math.ceil(papers / _SHARD),
        "machines": machines,
        "encoding_core_hours": core_hours,
        "encoding_gpu_hours": (fast, slow),
        "building_hours": core_hours / (machines * cores),
        "query_core_seconds": core_seconds,
        "query_seconds": core_seconds * (SHARE_OF_RARE_WORDS if rare else 1) / (machines * cores),
        "rare_words": rare,
        "monthly": 730 * machines * hourly,  # hours of a month
    }


def describe_costs(estimate: dict[str, Any], memory: float, cores: int, hourly: float) -> list[str]:
    """The costs as lines for people."""
    words = f"its {TERMS} rarest words" if estimate["rare_words"] else "all its words"
    return [
        *(f"{_range(*size):>14} GB  {component}" for component, size in estimate["sizes"].items()),
        f"{estimate['shards']:>14,}     shards of {_SHARD:,} papers (--shard-size {_SHARD})",
        f"{estimate['machines']:>14,}     machines of {memory:g} GB have the lexical index and 8-bit codes in memory",
        f"{estimate['encoding_core_hours']:>14,.1f} h   of one core to encode all papers",
        f"{_range(*estimate['encoding_gpu_hours']):>14} h   of one graphics processor, at "
        f"{TEXTS_PER_GPU_SECOND[0]:,} to {TEXTS_PER_GPU_SECOND[1]:,} texts per second (assumed)",
        f"{estimate['building_hours']:>14,.1f} h   to encode on all {cores} cores of all machines",
        f"{estimate['query_core_seconds']:>14,.3f} s   of one core to score an abstract by all its words",
        f"{estimate['query_seconds']:>14,.3f} s   for an abstract on all cores, found by {words}",
        f"{estimate['monthly']:>14,.0f}     per month, at {hourly:g} per machine and hour",
    ]


def _range(low: float, high: float) -> str:
    return f"{low:,.1f}" if round(low, 1) == round(high, 1) else f"{low:,.1f}–{high:,.1f}"
