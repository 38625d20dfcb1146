"""The tables of a generation, joined through files, against the same made in memory: equal to the last byte."""

import numpy as np
import pytest
from indexing_support import SHARD_SIZE, load_hashing, make_papers
from msgspec.structs import replace
from tables_support import affiliations_of, ownership_of, save_table

from indexing.jobs import join as joining
from indexing.jobs.join import join_shards
from indexing.jobs.shards import Job, ShardFile, process_shard, shard_path
from indexing.tables import external
from indexing.tables.affiliations import institution_key
from indexing.tables.arrays import StringTable
from indexing.tables.units import Units
from panelist.records import Institution


def employed(papers):
    """The same papers, whose authors work somewhere."""
    rors, countries = [None, "ror:1", "ror:2"], [None, "XA"]
    institutions = [Institution(f"Place {n % 7}", rors[n % 3], countries[n % 2]) for n in range(20)]
    return [
        replace(
            paper,
            authorships=tuple(
                replace(one, institutions=tuple(institutions[(row + position) % 20] for position in range(row % 3)))
                for position, one in enumerate(paper.authorships)
            ),
        )
        for row, paper in enumerate(papers)
    ]


def join_in_memory(before, shards, target):
    """What `join` does, with lists and dictionaries."""
    ids, numbers, years, citations, rows, employers = before.ids.all(), [], [], [], [], []
    digests = [before.digests]
    for shard in shards:
        new = iter(range(len(ids), len(ids) + len(shard.strings("ids"))))
        ids += shard.strings("ids")
        digests.append(shard.array("digests"))
        own = [unit if unit >= 0 else next(new) for unit in shard.array("units").tolist()]
        numbers += own
        years += shard.array("years").tolist()
        citations += shard.array("citations").tolist()
        names, local = shard.strings("author_ids"), iter(shard.array("authors").tolist())
        known, named = shard.institutions(), iter(shard.array("employers").tolist())
        counts = iter(shard.array("employer_counts").tolist())
        for unit, length in zip(own, shard.array("author_counts").tolist(), strict=True):
            authors = [names[next(local)] for _ in range(length)]
            rows.append(authors)
            employers += [(author, unit, known[next(named)]) for author in authors for _ in range(next(counts))]
    author_ids = sorted({author for row in rows for author in row})
    units = Units(
        StringTable.of(ids),
        np.concatenate(digests),
        np.zeros(len(ids), np.bool_),
        np.concatenate([before.years, np.zeros(len(ids) - len(before), np.int16)]),
        np.concatenate([before.citations, np.zeros(len(ids) - len(before), np.int32)]),
    )
    units.live[numbers], units.years[numbers], units.citations[numbers] = True, years, citations
    save_table(units, target / "units")
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    flat = np.array([author_ids.index(author) for row in rows for author in row], dtype=np.int64)
    save_table(ownership_of(author_ids, len(ids), np.array(numbers), lengths, flat), target / "ownership")
    first, countries = {}, {}
    for _, _, institution in employers:
        first.setdefault(institution_key(institution), institution)
        if institution.country:
            countries.setdefault(institution_key(institution), []).append(institution.country)
    known = [
        replace(one, country=min(countries.get(key, []), key=lambda c: (-countries[key].count(c), c), default=None))
        for key, one in first.items()
    ]
    affiliations = affiliations_of(
        known,
        len(author_ids),
        np.array([author_ids.index(author) for author, _, _ in employers], dtype=np.int64),
        np.array([unit for _, unit, _ in employers], dtype=np.int64),
        np.array([list(first).index(institution_key(one)) for _, _, one in employers], dtype=np.int64),
    )
    save_table(affiliations, target / "affiliations")


def files(directory):
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*.npy")}


@pytest.mark.parametrize("memory", ["little", "enough"])
def test_joining_through_files_is_joining_in_memory(tmp_path, monkeypatch, memory):
    if memory == "little":
        monkeypatch.setattr(external, "ROWS", 40)
        monkeypatch.setattr(joining, "_AUTHORS", 30)
    papers = employed(make_papers(200))

    base = None
    for name, some in (("build", papers), ("add", papers[20:] + employed(make_papers(70, seed=3, first=190)))):
        work = tmp_path / name
        work.mkdir()
        job = Job(work, "hashing", load_hashing, base, renumber=base is None)
        for number, start in enumerate(range(0, len(some), SHARD_SIZE)):
            process_shard(job, number, some[start : start + SHARD_SIZE])
        shards = [ShardFile(shard_path(work, number)) for number in range(-(-len(some) // SHARD_SIZE))]
        before = Units.empty() if base is None else Units.open(base / "units")
        assert join_shards(before, shards, work / "joined", work / "scratch") == sum(
            not (p.title or p.abstract) for p in some
        )
        join_in_memory(before, shards, work / "expected")
        joined, expected = files(work / "joined"), files(work / "expected")
        others = ("names/", "references/")  # have twins of their own, in tests/indexing/tables
        assert {name: data for name, data in joined.items() if not name.startswith(others)} == expected
        assert not (work / "scratch").exists()
        base = work / "joined"
