"""SimCite's choice by the engine against BM25 written out; the pool of candidates against the index."""

import numpy as np
from bm25_twin import slow_bm25
from indexing_support import make_papers
from panel_support import make_finder

from eval.benchmarks.exharmony.benchmark import Pool
from eval.benchmarks.exharmony.build import most_similar
from indexing.lexical.tokens import Vocabulary
from panelist.corpus.sqlite import SqliteStore
from panelist.records import Author, Authorship, Institution, Paper
from retriever.careers import Careers


def test_the_most_similar_cited_papers_are_those_of_the_plain_formula(tmp_path):
    papers = sorted((one for one in make_papers(150) if one.title or one.abstract), key=lambda one: one.id)
    collection, later = papers[:120], {one.id: one for one in papers[120:130]}
    dice = np.random.default_rng(0)
    cited = {query: [collection[i].id for i in dice.choice(120, 15, replace=False)] for query in later}
    with SqliteStore(tmp_path / "corpus.sqlite") as corpus:
        corpus.upsert(papers)
        chosen, _ = most_similar(corpus, [one.id for one in collection], later, cited, 6, "bm25")
    vocabulary = Vocabulary()
    words = {one.id: vocabulary.learn(f"{one.title}\n{one.abstract}") for one in papers}
    documents = [words[one.id] for one in collection]
    for query, candidates in cited.items():
        scores = dict(zip((one.id for one in collection), slow_bm25(documents, words[query]).round(4), strict=True))
        assert list(chosen[query]) == sorted(candidates, key=lambda one: (-scores[one], one))[:6]


def test_a_cited_paper_that_shares_no_word_comes_last_but_counts(tmp_path):
    texts = {"a": "stars", "b": "coral reefs", "c": "galaxies", "q": "coral"}
    papers = {name: Paper(name, title, year=2000) for name, title in texts.items()}
    with SqliteStore(tmp_path / "corpus.sqlite") as corpus:
        corpus.upsert(papers.values())
        arguments = (corpus, ["a", "b", "c"], {"q": papers["q"]}, {"q": ["c", "b", "a"]})
        assert most_similar(*arguments, 2, "bm25")[0] == {"q": ("b", "a")}
        assert most_similar(*arguments, 3, "bm25")[0] == {"q": ("a", "b", "c")}


def test_the_pool_knows_careers_and_workplaces_as_the_index_does(tmp_path):
    dice = np.random.default_rng(1)
    papers = []
    for number in range(60):
        people = []
        for author in dice.choice(25, 3, replace=False).tolist():
            institutions = [
                Institution(f"Place {number}") for number in dice.choice(9, int(dice.integers(0, 3)), replace=False)
            ]
            people.append(Authorship(Author(f"a{author}", f"A {author}"), tuple(institutions)))
        year = int(dice.integers(2000, 2006))
        papers.append(Paper(f"p{number:02}", f"title {number}", "", year, tuple(people), cited_by_count=number % 7))
    pool = Pool.of_papers(papers)
    with make_finder(tmp_path, papers) as finder:
        index = finder.index
        ids = list(pool.number)
        numbers = index.ownership.author_ids.find(ids)
        careers = Careers.of(index, numbers)
        np.testing.assert_array_equal(careers.papers, pool.papers)
        np.testing.assert_array_equal(careers.citations, pool.citations)
    current = careers.institutions
    same = {(int(a), int(b)) for a, b in zip(current, pool.institutions, strict=True)}
    assert len(same) == len(set(current.tolist())) == len(set(pool.institutions.tolist()))  # the same up to numbering
    assert all((a < 0) == (b < 0) for a, b in same)
