"""Learning a ranker from judged queries: halves, differences, and who is suggested."""

import json
from functools import partial

import numpy as np
import pytest
from tiny_model import make_tiny_model

from eval.benchmarks import lookup
from eval.benchmarks.exharmony.build import GoldRules, build_benchmark
from eval.benchmarks.ranker import Judged, citations_within, compared, cross_scores, predict, suggested
from eval.runs import Qrels
from panelist.app import demo
from panelist.progress import silent
from panelist.records import Submission
from panelist.workspace import Workspace
from retriever.ranking.features import FEATURES
from retriever.ranking.model import Ranker, RankerSettings, fit_ranker

SMALL = RankerSettings(leaves=4, rounds=10)


@pytest.fixture(scope="module")
def judged(demo_finder, tmp_path_factory):
    """Later papers of the demo as queries; the authors of what they cite are right."""
    papers = {paper.id: paper for paper in demo.corpus()}
    later = [paper for paper in papers.values() if paper.year >= 2022 and paper.references][:60]
    queries = [
        Submission(p.id, p.title, p.abstract, tuple(a.author for a in p.authorships), year=p.year) for p in later
    ]
    pairs = [
        (row, author)
        for row, paper in enumerate(later)
        for author in {a.author.id for one in paper.references for a in papers[one].authorships}
    ]
    people = sorted({author for _, author in pairs})
    query = np.array([row for row, _ in pairs])
    doc = np.array([people.index(author) for _, author in pairs])
    qrels = Qrels.of([one.id for one in queries], people, query, doc, np.ones(len(pairs), dtype=np.int64))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANELIST_CACHE", str(tmp_path_factory.mktemp("cache")))
        return Judged.collect(demo_finder, queries, qrels)


def test_own_authors_are_no_examples_and_the_right_people_are_marked(judged):
    ids = judged.index.ownership.author_ids.all()
    right = {
        query: {judged.qrels.documents[doc] for doc in judged.qrels.docs[start:end]}
        for query, start, end in zip(judged.qrels.queries, judged.qrels.offsets, judged.qrels.offsets[1:], strict=False)
    }
    assert judged.examples.relevant.any()
    for row, person, relevant in zip(judged.examples.query, judged.people, judged.examples.relevant, strict=True):
        query = judged.queries[row]
        assert ids[person] not in {author.id for author in query.authors}
        assert relevant == (ids[person] in right[query.id])


def test_halves_are_years_and_each_is_ranked_by_a_model_of_the_other(judged):
    later = judged.halves()
    years = np.array([query.year for query in judged.queries])
    assert 0 < later.sum() < len(later)
    assert years[later].min() > years[~later].max()
    scores = cross_scores(judged, SMALL)
    model = fit_ranker(judged.examples.of(later), SMALL)
    tested = ~later[judged.examples.query]
    assert np.array_equal(scores[tested], predict(model, judged.examples)[tested])


def test_the_plain_order_compared_with_itself_differs_nowhere(judged):
    found = compared(judged, -np.arange(len(judged.people), dtype=np.float64))
    for name, figure in found["learned"].items():
        assert figure["value"] == pytest.approx(found["plain"][name])
        assert figure["delta"] == pytest.approx(0, abs=1e-9)
    assert found["suggested"]["plain"] == found["suggested"]["learned"]


def test_the_same_people_everywhere_are_a_concentration(judged):
    varied = suggested(judged.index, judged.run(None, "plain"))
    same = suggested(judged.index, judged.run(-judged.people.astype(np.float64), "by number"))
    assert 0 < varied["concentration"] < same["concentration"] <= 1
    assert same["people"] < varied["people"]


def test_citations_are_counted_within_the_collection_only(judged):
    papers = demo.corpus()
    counts = citations_within(judged.index, papers)
    known = {paper.id for paper in papers}
    for paper in papers[:40]:
        unit = judged.index.units.find([paper.id])[0]
        assert counts[unit] == sum(paper.id in set(one.references) for one in papers if one.id in known)


@pytest.fixture
def benchmark(tmp_path, monkeypatch):
    """The demo as an exHarmony benchmark, indexed without Java and without the default model."""
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    model = str(make_tiny_model(tmp_path / "model"))
    monkeypatch.setattr(lookup, "prepare", partial(lookup.prepare, engine="bm25s", encoder=model))
    with Workspace.at(tmp_path / "corpus").open_corpus(create=True) as corpus:
        corpus.upsert(demo.corpus())
        build_benchmark(corpus, tmp_path / "demo.exharmony", GoldRules(since=2022, established=2), silent)
    return tmp_path / "demo.exharmony"


@pytest.fixture
def command(panelist):
    return partial(panelist, "train", "ranker")


def test_the_command_learns_from_a_benchmark_and_measures_elsewhere(benchmark, tmp_path, command):
    model = tmp_path / "model.txt"
    asked = [benchmark, "--task", "cite", "--elsewhere", f"{benchmark}:authors", "--rounds", 10]
    code, out, _ = command(*asked, "--out", model, "--json")
    assert code == 0
    figures = json.loads(out)
    assert figures["trained_on"]["task"] == "cite"
    assert figures["across_halves"]["queries"] == figures["trained_on"]["queries"]
    assert set(figures["elsewhere"]) == {"demo.exharmony:authors"}
    assert 0 < figures["elsewhere"]["demo.exharmony:authors"]["plain"]["recall@100"] <= 1
    ranker = Ranker.load(str(model))
    code, out, _ = command(*asked[:-1], 5, "--sample", 12, "--out", tmp_path / "few.txt", "--json")
    assert code == 0
    few = json.loads(out)
    assert few["trained_on"]["queries"] == few["across_halves"]["queries"] == 12 < figures["trained_on"]["queries"]
    assert (
        few["elsewhere"]["demo.exharmony:authors"]["plain"] == figures["elsewhere"]["demo.exharmony:authors"]["plain"]
    )
    assert ranker.provenance["settings"]["rounds"] == 10
    assert len(ranker.columns) == len(FEATURES)


@pytest.mark.parametrize(
    ("elsewhere", "message"),
    [("cite", "DIRECTORY:TASK"), ("absent:cite", "no such directory"), ("{}:fame", "no judgements 'fame'")],
)
def test_where_else_to_measure_is_checked_before_the_work(
    benchmark, tmp_path, command, monkeypatch, elsewhere, message
):
    monkeypatch.setattr(lookup, "prepare", None)  # nothing is indexed, so nothing is learned
    asked = [benchmark, "--task", "cite", "--elsewhere", elsewhere.format(benchmark), "--out", tmp_path / "model.txt"]
    code, out, err = command(*asked)
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "model.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["absent", "--without", "fame"], "unknown feature 'fame'"),
        (["absent"], "no such directory"),
        (["absent", "--queries", "absent.jsonl"], "absent"),
    ],
)
def test_bad_input_ends_in_one_line(tmp_path, command, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, error = command(*arguments, "--out", "model.txt")
    assert code == 2
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "model.txt").exists()


def test_the_shipped_provenance_is_json_with_figures():
    figures = json.loads(json.dumps(Ranker.load("reviewers").provenance))["across_halves"]
    assert figures["learned"]["recall@10"]["delta_interval"][0] > 0
