"""From a submission to a panel: what always holds, whatever is asked, on the demo corpus and on larger arrays."""

import dataclasses
import math
import random
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from indexing_support import HashingEncoder
from panel_support import at, ids, make_finder, paper, scored

from eval.measures.agreement import difference
from indexing.dense.flat import ExactIndex
from indexing.jobs.build import IndexJobs
from indexing.tables.affiliations import Affiliations
from indexing.tables.arrays import StringTable
from indexing.tables.ownership import Ownership
from indexing.tables.units import Units, text_digests
from indexing.text import Text
from panelist.app.demo import corpus, submissions
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from panelist.records import Author, Submission
from panelist.workspace import Workspace
from retriever.aggregate import EXPERT, Aggregation
from retriever.filters import Filters
from retriever.finder import Finder
from retriever.lookup import Lookup
from retriever.pooling import RULES
from retriever.search import Search, search

DEMO = corpus()
SAMPLES = submissions()
PEOPLE = sorted({one.author for work in DEMO for one in work.authorships}, key=lambda author: author.id)
MODES = st.sampled_from(["hybrid", "lexical", "dense"])

lookups = st.builds(
    Lookup,
    size=st.integers(1, 40),
    search=st.builds(Search, MODES, st.sampled_from([5, 50, 1000]), fusion=st.sampled_from(["weighted", "rrf"])),
    aggregation=st.sampled_from(["expert", *RULES]).map(Aggregation.named),
    conflicts=st.sampled_from(["hide", "flag", "ignore"]),
    diversity=st.sampled_from([0.0, 0.3, 1.0]),
    diversity_algorithm=st.sampled_from(["mmr", "coverage"]),
    contenders=st.sampled_from([10, 100]),
    papers=st.integers(0, 3),
)
asked = st.sampled_from(SAMPLES)
some = settings(max_examples=40)


@some
@given(submission=asked, lookup=lookups)
def test_a_smaller_panel_is_a_prefix_of_a_larger_one(demo_finder, submission, lookup):
    panel = demo_finder.find(submission, lookup)
    smaller = demo_finder.find(submission, dataclasses.replace(lookup, size=max(1, lookup.size // 2)))
    assert scored(smaller) == scored(panel)[: max(1, lookup.size // 2)]


@some
@given(submission=asked, lookup=lookups)
def test_the_same_question_has_the_same_answer(demo_finder, submission, lookup):
    assert demo_finder.find(submission, lookup) == demo_finder.find(submission, lookup)


@some
@given(submission=asked, lookup=lookups)
def test_without_diversity_the_panel_is_the_plain_ranking(demo_finder, submission, lookup):
    plain = dataclasses.replace(lookup, diversity=0.0)
    panel = demo_finder.find(submission, plain)
    assert scored(panel) == next(demo_finder.rank([submission], lookup))
    assert [-match.score for match in panel.matches] == sorted(-match.score for match in panel.matches)
    assert panel.relevance_cost == 0
    keys = [(-match.score, match.author.id) for match in panel.matches]
    if lookup.aggregation.pooling.rule != "max":  # whose ties go to the one with more papers
        assert keys == sorted(keys)


@some
@given(submission=asked, lookup=lookups)
def test_a_panel_is_coherent(demo_finder, submission, lookup):
    panel = demo_finder.find(submission, lookup)
    assert len(set(ids(panel))) == len(panel.matches) <= lookup.size
    assert [match.rank for match in panel.matches] == list(range(1, len(panel.matches) + 1))
    assert 0 <= panel.relevance_cost <= 1
    for match in panel.matches:
        own = [work for work in DEMO if match.author.id in {one.author.id for one in work.authorships}]
        assert match.paper_count == len(own)
        assert match.citation_count == sum(work.cited_by_count for work in own)
        assert (match.first_year, match.last_year) == (min(w.year for w in own), max(w.year for w in own))
        assert set(match.found_by) <= {"lexical", "dense"}
        assert match.found_by
        assert len(match.papers) <= lookup.papers
        shares = [matched.share for matched in match.papers]
        assert shares == sorted(shares, reverse=True)
        assert sum(shares) <= 1 + 1e-6
        for matched in match.papers:
            assert matched.paper in own
            assert matched.found_by
            assert set(matched.found_by) <= set(match.found_by)
    places = [place for match in panel.matches for place in match.institutions]
    assert panel.diversity.institutions == len({place.ror or place.name for place in places})
    assert panel.diversity.countries == len({place.country for place in places} - {None})
    if panel.matches:
        assert math.isclose(panel.diversity.sigma_papers, np.std([match.paper_count for match in panel.matches]))
        assert math.isclose(panel.diversity.sigma_citations, np.std([m.citation_count for m in panel.matches]))


@some
@given(lookup=lookups)
def test_given_hits_many_at_once_are_the_same_as_one_by_one(demo_finder, lookup):
    """To the last bit: from the hits on, no submission knows of the others."""

    def given_hits(index, texts, settings, *, allowed=None, vectors=None):
        return [search(index, [text], settings, allowed=allowed)[0] for text in texts]

    panels = list(demo_finder.find_many(SAMPLES, lookup, search=given_hits))
    assert panels == [demo_finder.find(one, lookup, search=given_hits) for one in SAMPLES]


def test_batches_do_not_matter(demo_finder, monkeypatch):
    """Large batches are cut, and some engines answer them by other code; texts are compared to a tolerance."""
    many = [Submission(f"s{n}", work.title, work.abstract) for n, work in enumerate(DEMO[:40])]
    whole = list(demo_finder.rank(many))
    monkeypatch.setattr("retriever.finder.BATCH", 17)
    for ranking, cut, one in zip(whole, demo_finder.rank(many), many, strict=True):
        alone = next(demo_finder.rank([one]))
        assert difference(ranking, alone, sharpness=EXPERT.sharpness) is None
        assert difference(ranking, cut, sharpness=EXPERT.sharpness) is None
    assert list(demo_finder.rank([])) == list(demo_finder.find_many([])) == []


@pytest.mark.parametrize("mode", ["dense", "hybrid"])
@some
@given(seed=st.integers(0, 2**32))
def test_only_those_within_the_tolerance_change_places_where_vectors_are_a_little_off(demo_finder, mode, seed):
    """Vectors of a text differ by up to 1e-7 with its batch and with the processor."""
    lookup = Lookup(size=300, search=Search(mode=mode))
    vectors = demo_finder.index.encoder().encode([Text(one.title, one.abstract) for one in SAMPLES])
    noise = np.random.default_rng(seed).uniform(-1e-7, 1e-7, vectors.shape).astype(np.float32)
    rankings = (
        demo_finder.rank(SAMPLES, lookup, vectors=vectors),
        demo_finder.rank(SAMPLES, lookup, vectors=vectors + noise),
    )
    for exact, jittered in zip(*rankings, strict=True):
        assert difference(exact, jittered, sharpness=EXPERT.sharpness) is None


def test_vectors_that_are_far_off_make_a_difference(demo_finder):
    vectors = demo_finder.index.encoder().encode([Text(one.title, one.abstract) for one in SAMPLES])
    exact, moved = (list(demo_finder.rank(SAMPLES, vectors=given)) for given in (vectors, np.roll(vectors, 1, axis=1)))
    assert all(difference(*pair, sharpness=EXPERT.sharpness) for pair in zip(exact, moved, strict=True))


def test_the_order_of_insertion_does_not_matter(tmp_path, demo_finder):
    shuffled = random.Random(7).sample(DEMO, len(DEMO))
    with make_finder(tmp_path, shuffled) as other:
        for lookup in (Lookup(), Lookup(diversity=0.5), Lookup(aggregation=Aggregation.named("max"), size=40)):
            assert list(other.find_many(SAMPLES, lookup)) == list(demo_finder.find_many(SAMPLES, lookup))


@pytest.mark.parametrize("algorithm", ["mmr", "coverage"])
def test_diversity_varies_the_panel_and_tells_its_price(demo_finder, algorithm):
    plain = demo_finder.find(SAMPLES[0], Lookup())
    varied = demo_finder.find(SAMPLES[0], Lookup(diversity=0.7, diversity_algorithm=algorithm))
    assert varied.diversity.institutions > plain.diversity.institutions
    assert math.isclose(
        varied.relevance_cost,
        # A sum of fifth powers is compared on the scale of what was summed.
        1 - sum(match.score**0.2 for match in varied.matches) / sum(match.score**0.2 for match in plain.matches),
    )
    assert varied.relevance_cost > 0


@pytest.mark.parametrize("begun", [1, 4])
@pytest.mark.parametrize("diversity", [0, 0.5])
def test_a_panel_that_has_members_is_completed(demo_finder, diversity, begun):
    lookup = Lookup(size=8, diversity=diversity)
    whole = ids(demo_finder.find(SAMPLES[0], lookup))
    rest = dataclasses.replace(lookup, size=8 - begun, members=tuple(whole[:begun]))
    assert ids(demo_finder.find(SAMPLES[0], rest)) == whole[begun:]
    own = tuple(author.id for author in SAMPLES[0].authors)  # hidden for a conflict, yet on the panel
    assert not set(ids(demo_finder.find(SAMPLES[0], dataclasses.replace(rest, members=(*own, "nobody"))))) & set(own)


def test_namesakes_stay_apart(tmp_path):
    papers = [paper("p1", at("wei1", name="Wei Wang")), paper("p2", at("wei2", name="Wei Wang"))]
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(Submission("s", "coral"))
    assert [(match.author.id, match.author.name, match.paper_count) for match in panel.matches] == [
        ("wei1", "Wei Wang", 1),
        ("wei2", "Wei Wang", 1),
    ]


def test_ties_go_by_id(tmp_path):
    papers = [paper(f"p{n}", author) for n, author in enumerate(["zoe", "amy", "Zed", "mia"])]
    with make_finder(tmp_path, papers) as finder:
        assert ids(finder.find(Submission("s", "coral"), Lookup(search=Search(mode="lexical")))) == [
            "Zed",
            "amy",
            "mia",
            "zoe",
        ]


def test_every_author_of_every_paper_can_be_found(demo_finder):
    for work in DEMO[::40]:
        for one in work.authorships:
            lookup = Lookup(pool=(one.author.id,), conflicts="ignore")  # for its own paper
            panel = demo_finder.find(Submission("s", work.title, work.abstract), lookup)
            assert ids(panel) == [one.author.id]
            assert work.id in {matched.paper.id for matched in panel.matches[0].papers}


def test_the_explanation_says_what_matched(demo_finder):
    work = next(one for one in DEMO if one.abstract)
    panel = demo_finder.find(Submission("s", work.title, work.abstract), Lookup(sentences=True, conflicts="ignore"))
    best = next(m for match in panel.matches for m in match.papers if m.paper.id == work.id)
    assert best.score == 1
    assert set(best.found_by) == {"lexical", "dense"}
    assert best.terms
    assert all(term.casefold() in f"{work.title} {work.abstract}".casefold() for term in best.terms)
    assert best.sentence in f"{work.title}\n{work.abstract}"
    silent = demo_finder.find(Submission("s", work.title, work.abstract))
    assert all(matched.sentence is None for match in silent.matches for matched in match.papers)


def test_authors_who_are_not_indexed_are_noted(demo_finder):
    stranger = msgspec.structs.replace(SAMPLES[2], authors=(Author("a:stranger", "Nobody At All"),))
    panel = demo_finder.find(stranger)
    assert any("a:stranger" in note for note in panel.notes)
    assert scored(panel) == scored(demo_finder.find(SAMPLES[2]))


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_a_pool_is_applied_before_the_depth_is_cut(demo_finder, mode):
    ranking = next(demo_finder.rank([SAMPLES[2]], Lookup(size=500, search=Search(mode=mode))))
    pool = tuple(reviewer for reviewer, _ in ranking[-6:])
    panel = demo_finder.find(SAMPLES[2], Lookup(size=6, pool=pool, search=Search(mode=mode, depth=20)))
    assert set(ids(panel)) == set(pool)


class ManyAuthors:
    """An index of a hundred thousand papers by as many authors, in arrays."""

    def __init__(self, count, dimension=8):
        dice = np.random.default_rng(3)
        self.words = [f"w{number}" for number in range(200)]
        encoder = HashingEncoder("hashing", dimension, "1")
        words = encoder.encode([Text(word) for word in self.words])
        vectors = words[dice.integers(0, 200, count)] + words[dice.integers(0, 200, count)]
        self.vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        texts = [Text("x")] * count
        self.units = Units(
            StringTable.of([f"p{number}" for number in range(count)]),
            np.repeat(text_digests(texts[:1]), count, axis=0),
            np.ones(count, np.bool_),
            np.full(count, 2020, np.int16),
            np.zeros(count, np.int32),
        )
        ones = np.ones(count, np.int64)
        names = [f"a{number}" for number in range(count)]
        self.ownership = Ownership.of(names, count, np.arange(count), ones, np.arange(count))
        nothing = np.zeros(0, np.int64)
        self.affiliations = Affiliations.of([], count, nothing, nothing, nothing)
        self.live = self.units.live
        self.encoder = lambda: encoder
        self.dense = lambda: ExactIndex(self.vectors)
        self.close = lambda: None


def test_a_pool_of_50_among_100_000_authors_fills_the_panel(tmp_path):
    index = ManyAuthors(100_000)
    pool = tuple(f"a{number}" for number in range(7, 100_000, 2_000))
    assert len(pool) == 50
    with Finder(index, SqliteStore(tmp_path / "corpus.sqlite")) as finder:
        submission, search = Submission("s", "w1 w2 w3"), Search(mode="dense", depth=1000)
        panel = finder.find(submission, Lookup(size=10, pool=pool, search=search))
        # Cosines below zero make nobody an expert: the panel has all members of the pool with one above.
        vector = index.encoder().encode([Text("w1 w2 w3")])[0]
        above = [author for author in pool if index.vectors[int(author[1:])] @ vector > 0]
        whole = finder.find(submission, Lookup(size=50, pool=pool, search=search))
        unrestricted = next(finder.rank([submission], Lookup(size=1000, search=search)))
    assert len(panel.matches) == 10
    assert set(ids(whole)) == set(above)
    assert ids(panel) == ids(whole)[:10]
    assert len({author for author, _ in unrestricted} & set(pool)) < 5  # cut first, the pool would be nearly empty


def test_those_of_the_pool_who_are_not_indexed_are_noted(demo_finder):
    pool = ("ghost", *(reviewer for reviewer, _ in next(demo_finder.rank([SAMPLES[2]]))))
    panel = demo_finder.find(SAMPLES[2], Lookup(pool=pool))
    assert len(panel.matches) == 10
    assert any("1 of the 11 reviewers of the pool" in note and "ghost" in note for note in panel.notes)


@pytest.mark.parametrize("pool", [(), ("ghost", "spectre")])
def test_a_pool_of_nobody_is_refused(demo_finder, pool):
    with pytest.raises(InputError, match="of the pool is in the index"):
        demo_finder.find(SAMPLES[2], Lookup(pool=pool))


def test_too_few_reviewers_are_noted(demo_finder):
    panel = demo_finder.find(SAMPLES[2], Lookup(size=50, search=Search(depth=3, mode="dense")))
    assert 0 < len(panel.matches) < 50
    assert any(f"only {len(panel.matches)} of 50 reviewers" in note for note in panel.notes)


@pytest.mark.parametrize("diversity", [0, 0.5])
def test_nobody_at_all_is_an_answer(demo_finder, diversity):
    panel = demo_finder.find(SAMPLES[0], Lookup(filters=Filters(countries=("ZZ",)), diversity=diversity))
    assert panel.matches == ()
    assert panel.diversity.institutions == panel.diversity.countries == panel.relevance_cost == 0
    assert any("only 0 of 10" in note for note in panel.notes)


@pytest.mark.parametrize(
    "text",
    [
        "自然言語処理による査読者の推薦",
        "خوارزمية لاختيار المراجعين",
        "Автоматический подбор рецензентов",
        "control\x00char\x07acters\x1b[31m in\x9f\tthe\r\ntext",
        "🙂 🙃",
        "?!",
        "the of and",
        'AND OR NOT (coral* ~2 title:reef "unbalanced',
        "ﬁne ligatures ½ and ﷺ",
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_any_text_has_an_answer(demo_finder, text, mode):
    panel = demo_finder.find(Submission("s", text), Lookup(search=Search(mode=mode)))
    assert len(panel.matches) == 10 or panel.notes


def test_an_abstract_of_a_megabyte_has_an_answer(demo_finder):
    words = " ".join(f"{work.title} {work.abstract}" for work in DEMO)
    long = (words * (1 + 1_000_000 // len(words)))[:1_000_000]
    panel = demo_finder.find(Submission("s", "Everything", long), Lookup(sentences=True))
    assert len(panel.matches) == 10


def test_control_characters_separate_words(demo_finder):
    plain = demo_finder.find(Submission("s", "visual cortex neurons"))
    assert scored(demo_finder.find(Submission("s", "visual\x00cortex\x07neurons\x1f"))) == scored(plain)


@pytest.mark.parametrize(
    ("title", "abstract", "message"),
    [
        ("", "", "submission 's' has neither title nor abstract"),
        (" \t", "\n\x00\x1b", "submission 's' has neither title nor abstract"),
        ("half of a \ud83d pair", "", "submission 's' is no Unicode text"),
    ],
)
def test_what_is_no_text_is_refused(demo_finder, title, abstract, message):
    with pytest.raises(InputError) as error:
        demo_finder.find(Submission("s", title, abstract))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 0}, "a panel of 0"),
        ({"size": -3}, "a panel of -3"),
        ({"diversity": 2}, "diversity weight 2 is out of range"),
        ({"diversity": -0.1}, "diversity weight -0.1 is out of range"),
        ({"diversity": math.nan}, "diversity weight nan is out of range"),
        ({"diversity_algorithm": "dice"}, "unknown diversity algorithm 'dice': use one of mmr, coverage"),
        ({"conflicts": "deny"}, "unknown conflict handling 'deny': use hide, flag or ignore"),
        ({"papers": -1}, "-1 papers"),
        ({"contenders": 0}, "0 contenders"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong, message):
    with pytest.raises(InputError) as error:
        Lookup(**wrong)
    assert message in str(error.value)


def test_vectors_that_do_not_fit_are_refused(demo_finder):
    with pytest.raises(InputError, match="2 submissions, but 3 vectors"):
        list(demo_finder.rank(SAMPLES[:2], vectors=np.zeros((3, 16), np.float32)))
    with pytest.raises(InputError, match="do not fit vectors of 16 dimensions"):
        list(demo_finder.rank(SAMPLES[:2], vectors=np.zeros((2, 7), np.float32)))


@pytest.fixture(scope="module")
def lucene_finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("lucene"), DEMO, "lucene") as finder:
        yield finder


@pytest.mark.java
def test_lucene_finds_nearly_whom_bm25s_finds(lucene_finder, demo_finder):
    """Their scores differ by a little: Lucene keeps the length of a text in one byte."""
    for submission in SAMPLES:
        lookup = Lookup(size=20, search=Search(mode="lexical"))
        assert (
            len(set(ids(lucene_finder.find(submission, lookup))) & set(ids(demo_finder.find(submission, lookup)))) >= 17
        )


@pytest.mark.java
def test_lucene_answers_many_as_one_by_one_within_a_pool_and_expanded(lucene_finder):
    pool = tuple(one.id for one in PEOPLE[::4])
    for lookup in (
        Lookup(),
        Lookup(pool=pool, search=Search(depth=5)),
        Lookup(search=Search(mode="lexical", expand=True)),
    ):
        for panel, one in zip(lucene_finder.find_many(SAMPLES, lookup), SAMPLES, strict=True):
            alone = lucene_finder.find(one, lookup)
            assert panel.matches
            assert difference(scored(panel), scored(alone), sharpness=EXPERT.sharpness) is None


@pytest.mark.model
def test_the_demo_panels_are_the_golden_ones(tmp_path):
    """Whom the default model and settings find: exactly where the gap to the next is wide, scores with tolerance."""
    golden = yaml.safe_load((Path(__file__).parents[1] / "golden" / "demo_panels.yaml").read_text())
    workspace = Workspace.at(tmp_path)
    with workspace.open_corpus(create=True) as store:
        store.upsert(DEMO)
        IndexJobs(workspace.index_path).build(store, engine="bm25s")
    with Finder.open(workspace) as finder:
        for submission, panel in zip(SAMPLES, finder.find_many(SAMPLES), strict=True):
            expected = golden["panels"][submission.id]
            found = dict(scored(panel))
            wide = [one for one in expected if one["gap"] > golden["gap"]]
            assert wide
            for one in expected:
                assert one["reviewer"] in found or one["gap"] <= golden["gap"]
                if one["reviewer"] in found:
                    assert math.isclose(found[one["reviewer"]], one["score"], rel_tol=golden["tolerance"])
            # The order is that of the golden panel wherever two neighbours are far apart.
            order = ids(panel)
            for above, below in pairwise(expected):
                if above["gap"] > golden["gap"] and below["reviewer"] in found:
                    assert order.index(above["reviewer"]) < order.index(below["reviewer"])
