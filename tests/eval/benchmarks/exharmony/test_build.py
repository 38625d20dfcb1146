"""Building an exHarmony benchmark: the split by year, the six gold standards, and its files."""

import json
from dataclasses import replace

import msgspec
import pymongo
import pytest
from indexing_support import load_hashing

from eval.benchmarks.exharmony.benchmark import QRELS, ExHarmony, Inventory, SimilarityChoice
from eval.benchmarks.exharmony.build import GoldRules, build_benchmark
from panelist.corpus.readers.openalex import to_work
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper


def paper(name, year, title, *authors, cites=(), cited=0, at="Harbour"):
    places = (Institution(at, "https://ror.example/1", "NZ"),) if at else ()
    people = tuple(Authorship(Author(one, one.title()), places) for one in authors)
    return Paper(name, title, f"All about {title}.", year, people, "Letters", None, cites, cited, ("x",))


PAPERS = [
    paper("p0", None, "undated coral", "ann"),
    paper("p1", 2015, "coral reef bleaching", "ann", "bob", cited=5),
    paper("p2", 2016, "larvae of coral", "ann", "cid", cited=1),
    paper("p3", 2017, "formation of stars", "dan"),
    paper("p4", 2019, "neural networks", "ann", "eve"),
    paper("p5", 2018, "stars and larvae", "cid", "dan"),
    paper("q1", 2020, "bleaching of coral reefs", "ann", "fay", cites=("p1", "p3", "unknown", "q2")),
    paper("q2", 2021, "larvae settle on coral", "dan", cites=("p2", "p3")),
    paper("q3", 2021, "by newcomers only", "gus", cites=("p1",)),
    paper("q4", 2022, "coral again", "bob"),
]
RECIPE = GoldRules(2020, established=2, similar=1)


def quiet(stage, done, total):
    pass


@pytest.fixture
def make(tmp_path):
    """A benchmark of some papers."""

    def make(papers=PAPERS, recipe=RECIPE, name="benchmark"):
        with SqliteStore(tmp_path / f"{name}.sqlite") as corpus:
            corpus.upsert(papers)
            build_benchmark(corpus, tmp_path / name, recipe, quiet, load_hashing)
        return ExHarmony.read(tmp_path / name)

    return make


def pairs(benchmark, name):
    judged = benchmark.qrels[name]
    return {
        query: [judged.documents[doc] for doc in judged.docs[judged.offsets[row] : judged.offsets[row + 1]]]
        for row, query in enumerate(judged.queries)
    }


def test_the_six_gold_standards_are_those_made_by_hand(make):
    benchmark = make()
    assert {name: pairs(benchmark, name) for name in QRELS} == {
        "authors": {"q1": ["ann"], "q2": ["dan"], "q4": ["bob"]},  # fay wrote nothing before
        "authors-established": {"q1": ["ann"], "q2": ["dan"]},  # bob has one paper
        "cite": {"q1": ["bob", "dan"], "q2": ["ann", "cid"]},  # without the queries' own authors
        "cite-established": {"q1": ["dan"], "q2": ["ann", "cid"]},
        "simcite": {"q1": ["bob"], "q2": ["ann", "cid"]},  # p1 is nearer to q1 than p3, p2 nearer to q2
        "simcite-established": {"q2": ["ann", "cid"]},
    }


def test_the_manifest_says_what_there_is_and_what_was_dropped(make):
    manifest = make().manifest
    assert (manifest.collection.papers, manifest.collection.authorships, manifest.collection.authors) == (5, 9, 5)
    assert (manifest.queries.papers, manifest.queries.authorships, manifest.queries.authors) == (3, 4, 4)
    assert manifest.established_authors == 3
    assert manifest.judged["cite"] == {"queries": 2, "pairs": 4}
    assert list(manifest.dropped.values()) == [1, 0, 1, 1, 2]
    assert manifest.not_available == {}
    assert manifest.similarity == SimilarityChoice("bm25")


def test_the_collection_comes_back_as_it_was_and_queries_withhold_what_models_must_not_see(make):
    benchmark = make()
    assert benchmark.collection() == [one for one in PAPERS if one.year and one.year < 2020]
    assert [query.id for query in benchmark.queries] == ["q1", "q2", "q4"]
    assert benchmark.queries[0].references == ()
    assert [author.id for author in benchmark.queries[0].authors] == ["ann", "fay"]


def test_the_same_corpus_gives_the_same_bytes(make, tmp_path):
    make(name="one")
    make(list(reversed(PAPERS)), name="two")
    for file in sorted((tmp_path / "one").iterdir()):
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_what_a_corpus_does_not_support_is_not_available_with_the_reason(make, tmp_path):
    bare = [msgspec.structs.replace(one, references=(), cited_by_count=0) for one in PAPERS]
    bare = [
        msgspec.structs.replace(one, authorships=tuple(Authorship(who.author) for who in one.authorships))
        for one in bare
    ]
    benchmark = make(bare, replace(RECIPE, established=4))
    assert set(benchmark.qrels) == {"authors"}
    reasons = benchmark.manifest.not_available
    assert set(reasons) == {*QRELS, "sigma_cite", "institutions"} - {"authors"}
    assert reasons["cite"] == reasons["simcite-established"] == "the corpus has no references"
    assert "4 papers" in reasons["authors-established"]
    assert "has a citation count" in reasons["sigma_cite"]
    assert "known of 0% of the candidates" in reasons["institutions"]
    assert sorted(path.name for path in (tmp_path / "benchmark").glob("qrels*")) == ["qrels.authors.txt"]


def test_references_that_lead_nowhere_are_another_reason(make):
    papers = [msgspec.structs.replace(one, references=("elsewhere",) if one.references else ()) for one in PAPERS]
    assert "no query cites" in make(papers).manifest.not_available["cite"]


def test_an_encoder_can_choose_the_most_similar_and_is_named(make, monkeypatch, tmp_path):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    benchmark = make(recipe=replace(RECIPE, similarity="hashing"))
    assert benchmark.manifest.similarity == SimilarityChoice("hashing", "1")
    assert benchmark.manifest.similarity.favours("hashing", "9")
    assert benchmark.manifest.similarity.favours("the same under another name", "1")
    assert not benchmark.manifest.similarity.favours("other", "2")
    assert pairs(benchmark, "simcite")["q2"] == ["ann", "cid"]


@pytest.mark.parametrize(
    ("since", "message"),
    [
        (2015, r"before 2015.* 2015 to 2022"),
        (2023, r"2023 or later.*no queries"),
        (2022, r"1 papers since 2022.* author.*another year"),
    ],
)
def test_a_year_that_leaves_nothing_is_refused_and_leaves_nothing_behind(make, tmp_path, since, message):
    papers = [one for one in PAPERS if one.id != "q4"] + [paper("q5", 2022, "newcomers", "zoe")]
    with pytest.raises(InputError, match=message):
        make(papers, replace(RECIPE, since=since))
    assert [path.name for path in tmp_path.iterdir() if "sqlite" not in path.name] == []


def test_a_corpus_without_years_is_refused(make):
    with pytest.raises(InputError, match=r"no paper .* year"):
        make(PAPERS[:1])


@pytest.mark.parametrize("field", ["established", "similar"])
def test_numbers_below_one_are_refused(field):
    with pytest.raises(InputError, match=f"{field} is 0"):
        GoldRules(2020, **{field: 0})


def test_a_benchmark_is_replaced_and_anything_else_is_left_alone(make, tmp_path):
    make()
    assert make(recipe=replace(RECIPE, since=2021)).manifest.since == 2021
    other = tmp_path / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="no exHarmony benchmark in"):
        make(name="other")
    assert [path.name for path in other.iterdir()] == ["thesis.txt"]
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="no exHarmony benchmark in"):
        make(name="file")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_damaged_benchmark_is_refused(make, tmp_path):
    benchmark = make()
    qrels = tmp_path / "benchmark" / "qrels.cite.txt"
    qrels.write_text("q9 0 ann 1\n")
    with pytest.raises(InputError, match="judges queries"):
        ExHarmony.read(tmp_path / "benchmark")
    (tmp_path / "benchmark" / "collection.jsonl.gz").write_bytes(b"")
    with pytest.raises(InputError, match="damaged, build it again"):
        benchmark.collection()
    manifest = tmp_path / "benchmark" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 99}))
    with pytest.raises(InputError, match=r"damaged.*another version.*build.* again"):
        Inventory.read(tmp_path / "benchmark")


def test_a_sample_is_drawn_once_and_judged_by_its_own_qrels(make):
    benchmark = make()
    sample = benchmark.sample(2, seed=1)
    assert [one.id for one in sample.queries] == [one.id for one in benchmark.sample(2, seed=1).queries]
    assert len(sample.queries) == 2
    chosen = {query.id for query in sample.queries}
    assert pairs(sample, "authors") == {q: who for q, who in pairs(benchmark, "authors").items() if q in chosen}
    assert benchmark.sample(9) is benchmark
    with pytest.raises(InputError, match="at least 1"):
        benchmark.sample(0)


def test_a_collection_of_works_in_mongodb_gives_the_same_benchmark(
    tmp_path, panelist, mongo_uri, mongo_database, monkeypatch
):
    works = [to_work(paper) for paper in PAPERS]
    (tmp_path / "works.jsonl").write_text("\n".join(json.dumps(work) for work in works))
    with pymongo.MongoClient(mongo_uri) as client:
        client[mongo_database]["works"].insert_many(works)
    options = ("--since", "2020", "--established", "2", "--similar", "1", "--json")
    monkeypatch.delenv("PANELIST_MONGO_URI", raising=False)
    code, _, said = panelist("eval", "exharmony", "build", tmp_path / "none", "--mongo", "a.b", *options)
    assert (code, "set it, mongodb://HOST:PORT" in said) == (2, True)
    code, files, _ = panelist(
        "eval", "exharmony", "build", tmp_path / "a", "--works", tmp_path / "works.jsonl", *options
    )
    assert code == 0
    monkeypatch.setenv("PANELIST_MONGO_URI", mongo_uri)
    name = f"{mongo_database}.works"
    code, collection, said = panelist("eval", "exharmony", "build", tmp_path / "b", "--mongo", name, *options)
    assert (code, json.loads(collection)) == (0, json.loads(files)), said
    code, _, said = panelist("eval", "exharmony", "build", tmp_path / "c", "--mongo", "works", *options)
    assert (code, "write DATABASE.COLLECTION" in said) == (2, True)
