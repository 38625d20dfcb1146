"""What references add, step by step: on a collection in which everybody who reviews is cited."""

import gzip
import json

import numpy as np
import pytest
from panel_support import at, make_finder, paper

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.references import LEARNED, PLAIN, STEPS, TEXT, by_print, half, measured, older, write_cited
from eval.benchmarks.ranker import citations_within
from eval.runs import Qrels
from indexing.tables.names import name_code
from panelist.app.bibliographies import references_of
from panelist.progress import silent
from panelist.records import Reference

WORDS = "coral reef algae sediment plankton tide storm salt kelp shell".split()  # noqa: SIM905
LETTERS = "ABCDEFGHIJ"
ENTRIES = (
    Reference("Of tides and of storms in winter", ("A Lovelace", "C Babbage"), 2017, "10.1/a"),
    Reference("Of salt and of kelp in summer", ("M Somerville",), 2019, "10.1/b"),
    Reference("Undated works of the sea", ("É. du Châtelet",), None, None),
)


@pytest.fixture(scope="module")
def benchmark():
    collection = [
        paper(
            f"old{n}",
            at(f"a{n}", name=f"{LETTERS[n % 10]}nne Person{n}"),
            title=" ".join(WORDS[n % 9 :]),
            year=2015,
        )
        for n in range(30)
    ]
    queries = [paper(f"new{n:02}", "own", title=" ".join(WORDS[n % 7 :]), year=2019 + n % 2) for n in range(12)]
    cited = {one.id: (29 - number) for number, one in enumerate(queries)}
    entries = {
        one: (Reference("Elsewhere", (f"{LETTERS[n % 10]}. Person{n}",), 2010), Reference("Else", (), 2018))
        for one, n in cited.items()
    }
    ids = [one.id for one in queries]
    people = sorted({f"a{n}" for n in cited.values()})
    docs = np.array([people.index(f"a{cited[one]}") for one in ids])
    qrels = Qrels.of(ids, people, np.arange(len(ids)), docs, np.ones(len(ids), dtype=np.int64))
    return ELife.split([*collection, *queries], {"reviewers": qrels}, references=True, bibliographies=entries)


def test_cited_people_are_found_and_every_row_says_what_it_is_compared_with(benchmark, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    with make_finder(tmp_path, benchmark.collection) as finder:
        rows = measured(benchmark, finder, citations_within(finder.index, benchmark.collection), silent)
    assert list(rows) == [*STEPS, LEARNED]
    assert rows[PLAIN]["figures"]["recall@10"].value == 1.0
    assert rows[TEXT]["figures"]["recall@10"].value < 1.0
    assert rows[TEXT]["against"] is None
    assert rows[LEARNED]["against"] == PLAIN
    nameless, shared = rows["… without printed names"]["figures"], rows["+ shared references"]["figures"]
    assert nameless["recall@10"].value == shared["recall@10"].value  # nobody cited is in the corpus
    assert rows["… only references at least 3 years older"]["figures"]["recall@10"].value == 1.0  # of 2010


def test_references_are_thinned_out_and_read_back(benchmark, tmp_path):
    query = benchmark.queries[0]
    whole = type(query)("q", "Tides", year=2020, bibliography=ENTRIES)
    assert older(whole, 2) == ENTRIES[:1]
    assert half(whole) == half(whole) != ENTRIES
    write_cited(whole, tmp_path / "cited.bib")
    back = references_of(tmp_path / "cited.bib")
    assert [(one.title, one.authors, one.year, one.doi) for one in back] == [
        (one.title, one.authors, one.year, one.doi) for one in ENTRIES
    ]
    write_cited(whole, tmp_path / "cited.pdf")
    assert [one.title for one in references_of(tmp_path / "cited.pdf")] == [one.title for one in ENTRIES]
    printed = by_print(whole)
    assert [one.title for one in printed] == [one.title for one in ENTRIES]
    assert [name_code(name).key for name in printed[0].authors] == ["a lovelace", "c babbage"]


def test_the_data_give_keys_to_papers_and_entries_to_queries(tmp_path):
    works = [
        {"id": "old1", "title": "Old", "publication_year": 2015, "doi": "https://doi.org/10.1/O1", "authorships": []},
        {"id": "old2", "title": "Older", "publication_year": 2014, "authorships": []},
        {"id": "new1", "title": "New", "publication_year": 2019, "authorships": []},
    ]
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "part_000.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works))
    for task in ("reviewers", "authors", "cite"):
        (tmp_path / f"qrels.dev.{task}.txt").write_text("new1 0 ann 1\n")
    for name, lines in (
        ("references", [{"id": "old2", "references": ["doi:10.1/o1", "title:outside"]}]),
        ("bibliographies", [{"id": "new1", "references": [{"title": "T", "year": "2001a", "authors": ["A B"]}]}]),
    ):
        with gzip.open(tmp_path / f"{name}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    plain, cited = ELife.read(tmp_path), ELife.read(tmp_path, references=True)
    assert {one.id: one.references for one in plain.collection} == {"old1": (), "old2": ("old1", "title:outside")}
    assert plain.queries[0].bibliography == ()
    assert cited.queries[0].bibliography == (Reference("T", ("A B",), 2001),)
    assert "cite" in plain.qrels
    assert "cite" not in cited.qrels
