"""The affinity models on texts and vectors of our own making, against slow twins, and on the gold standard."""

import json
import math
import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from indexing_support import HashingEncoder

from eval.benchmarks.elife.affinity import collection_profiles, rank
from eval.benchmarks.elife.benchmark import ELife
from eval.runs import Qrels
from indexing.text import Text
from panelist.app.cli.main import main
from panelist.errors import InputError, ModelError
from panelist.records import Author, Authorship, Paper, Submission
from retriever.affinity.model import MODELS, affinity_model, parse_model
from retriever.affinity.models.bm25 import Bm25Model
from retriever.affinity.models.dense import DenseModel
from retriever.affinity.models.hybrid import HybridModel
from retriever.affinity.models.tpms import TpmsModel
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles, most_recent
from retriever.pooling import Pooling

RULES = ["max", "mean", "sum", "combmnz", "top:3", "top:1", "percentile:75", "percentile:20", "discounted"]

ANIMALS, VERBS = ("bees", "ants", "wasps", "flies", "moths"), ("dance", "sing", "dig")
PAPERS = {
    "nets": Paper("p1", "Training neural networks", "Deep neural networks are trained with gradients."),
    "bees": Paper("p2", "Dances of honey bees", "Honey bees dance to tell where flowers are."),
    "ants": Paper("p3", "Trails of ants", "Ants follow trails to their nest."),
    "empty": Paper("p4", ""),
}
SUBMISSIONS = [
    Submission("s1", "Neural networks with gradients", "We train deep networks."),
    Submission("s2", "How bees find flowers", "Bees dance."),
]


class WordEncoder(HashingEncoder):
    """Knows nothing but words, in whatever case and beside whatever punctuation."""

    def encode(self, texts, progress=None):
        return super().encode([Text(" ".join(re.findall(r"\w+", text.plain().lower()))) for text in texts], progress)


def load_words(name):
    return WordEncoder(name, 512, "1")


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))


def models():
    return {
        "tpms": TpmsModel(),
        "bm25": Bm25Model(),
        "dense": DenseModel("words", load=load_words),
        "hybrid": HybridModel("words", load=load_words),
    }


# Pooling


@pytest.mark.parametrize("rule", RULES)
@given(
    scores=st.integers(1, 40).flatmap(
        lambda n: arrays(np.float32, (n, 5), elements=st.floats(-1, 1, width=32, allow_subnormal=False))
    )
)
@settings(max_examples=25, deadline=None)
def test_the_kernel_agrees_with_the_rule_of_look_up(rule, scores):
    n, columns = scores.shape
    pooled = ProfilePooling.parse(rule).plan(n)(scores)
    ordered = -np.sort(-scores.T, axis=1)
    expected = Pooling.parse(rule).pool(ordered.ravel(), np.arange(columns + 1, dtype=np.int64) * n, mean=True)
    np.testing.assert_allclose(pooled, expected, rtol=1e-5, atol=1e-5)  # the kernel adds up in float32


def test_only_the_exchanges_that_matter_are_made():
    assert len(ProfilePooling.parse("max").plan(16).steps) == 15
    assert len(ProfilePooling.parse("mean").plan(16).steps) == 0
    assert len(ProfilePooling.parse("discounted").plan(16).steps) == 25  # Batcher's merging of two sorted eights


def test_breadth_leads_from_the_mean_to_the_sum():
    scores = np.array([[0.5], [0.3], [0.1]], dtype=np.float32)
    mean = (0.5 + 0.15 + 0.1 / 3) / (1 + 1 / 2 + 1 / 3)
    full = sum(1 / i for i in range(1, 21))
    for breadth in (0.0, 0.5, 1.0):
        pooled = ProfilePooling.parse("discounted", breadth).plan(3)(scores).item()
        assert pooled == pytest.approx(mean * ((1 + 1 / 2 + 1 / 3) / full) ** breadth)


@pytest.mark.parametrize(
    ("rule", "breadth", "fill"),
    [("votes", 0.0, 0), ("median", 0.0, 0), ("top:0", 0.0, 0), ("max", 1.5, 0), ("max", 0.0, -1), ("max", 0.0, 2.5)],
)
def test_rules_that_make_no_sense_are_refused(rule, breadth, fill):
    with pytest.raises(InputError, match=r"pooling|breadth|filled up"):
        ProfilePooling.parse(rule, breadth, fill)


def test_a_short_profile_is_filled_up_and_a_long_one_is_not():
    plan = ProfilePooling.parse("discounted", fill=5).plan(2)
    full = 1 + 1 / 2 + 1 / 3 + 1 / 4 + 1 / 5
    scores = np.array([[0.2], [0.6]], dtype=np.float32)
    assert plan(scores).item() == pytest.approx((0.6 + 0.1) / full)
    assert plan.missing == pytest.approx((1 / 3 + 1 / 4 + 1 / 5) / full)
    assert ProfilePooling.parse("discounted", fill=5).plan(5).missing == 0
    assert ProfilePooling.parse("max", fill=5).plan(1).missing == 0  # only the best paper counts


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid"])
def test_filling_up_agrees_with_loops_whatever_the_order_of_reviewers(name):
    papers = [Paper(f"p{n}", f"{animal} {verb}") for n, (animal, verb) in enumerate(product(ANIMALS, VERBS))]
    profiles = [papers[:1], papers[1:4], papers[4:12], papers[12:13]]
    submissions = [Submission("s", "bees dance and sing"), Submission("t", "ants dig")]

    def make(**parameters):
        return (
            Bm25Model(**parameters) if name == "bm25" else type(models()[name])("words", load=load_words, **parameters)
        )

    def similarities(documents):
        """(documents, papers), rarity of terms learned from the same papers as below."""
        rest = [[paper] for paper in papers[:13]]
        return make(pooling="max", fill=0).score(documents, rest)

    among = similarities([Submission(paper.id, paper.title) for paper in papers[:13]])
    background = np.median(among[~np.eye(13, dtype=bool)])
    scores = make(fill=5).score(submissions, profiles)
    for row, near in enumerate(similarities(submissions)):
        for column, rows in enumerate((slice(0, 1), slice(1, 4), slice(4, 12), slice(12, 13))):
            best = np.sort(near[rows])[::-1]
            filled = np.append(best, np.full(max(0, 5 - len(best)), background))
            discounts = 1 / np.arange(1, len(filled) + 1)
            assert scores[row, column] == pytest.approx(filled @ discounts / discounts.sum(), abs=1e-5)
    turned = make(fill=5).score(submissions, profiles[::-1])
    np.testing.assert_allclose(turned[:, ::-1], scores, atol=1e-6)


def test_filling_up_does_not_change_the_order_of_one_reviewers_submissions():
    submissions = [Submission(paper.id, paper.title, paper.abstract) for paper in PAPERS.values()]
    plain, filled = (
        HybridModel("words", load=load_words, fill=fill).score(submissions, [[PAPERS["bees"]], [PAPERS["ants"]]])
        for fill in (0, 5)
    )
    assert (plain.argsort(axis=0, kind="stable") == filled.argsort(axis=0, kind="stable")).all()


# Profiles


def test_profiles_are_the_most_recent_papers_by_year_then_id_each_once():
    papers = [
        Paper("b", "B", year=2020),
        Paper("a", "A", year=2020),
        Paper("c", "C", year=2021),
        Paper("d", "D"),
        Paper("e", " ", year=2022),
        Paper("f", "C ", year=2019),
    ]
    assert [paper.id for paper in most_recent(papers)] == ["c", "a", "b", "d"]
    assert [paper.id for paper in most_recent(papers, 2)] == ["c", "a"]


def test_profiles_become_arrays_without_empty_and_double_papers():
    profiles = Profiles.of([[PAPERS["nets"], PAPERS["empty"], PAPERS["nets"]], [], [PAPERS["bees"], PAPERS["nets"]]])
    assert [paper.id for paper in profiles.papers] == ["p1", "p2"]
    assert profiles.starts.tolist() == [0, 1, 1, 3]
    assert profiles.members.tolist() == [0, 1, 0]
    assert profiles.joined().members.tolist() == [0, 2]


# All models


@pytest.mark.parametrize("name", models())
def test_models_tell_topics_apart_and_stand_what_they_are_given(name):
    model = models()[name]
    profiles = [
        [PAPERS["nets"]],
        [PAPERS["bees"], PAPERS["ants"]],
        [],
        [PAPERS["empty"]],
        [PAPERS["bees"], PAPERS["ants"], PAPERS["bees"], Paper("copy", PAPERS["ants"].title, PAPERS["ants"].abstract)],
        [Paper("p5", "Über die Bienen", "Die Tänze der Bienen. 蜜蜂的舞蹈 и пчёлы")],
    ]
    scores = model.score([*SUBMISSIONS, Submission("s3", "Танец пчёл 蜜蜂"), Submission("s4", "")], profiles)
    assert scores.shape == (4, 6)
    assert np.isfinite(scores).all()
    assert scores[0, 0] > scores[0, 1]
    assert scores[1, 1] > scores[1, 0]
    np.testing.assert_allclose(scores[:, 1], scores[:, 4], rtol=1e-6)  # duplicates count once
    np.testing.assert_array_equal(scores[:, 2:4], 0)  # nothing to go by
    assert scores[3].max() < min(scores[0, 0], scores[1, 1])  # no text: not above the background


@pytest.mark.parametrize("name", models())
def test_models_stand_no_submissions_and_no_reviewers(name):
    model = models()[name]
    assert model.score([], [[PAPERS["nets"]]]).shape == (0, 1)
    assert model.score(SUBMISSIONS, []).shape == (2, 0)
    np.testing.assert_array_equal(model.score(SUBMISSIONS, [[], [PAPERS["empty"]]]), np.zeros((2, 2)))


@pytest.mark.parametrize("name", ["bm25", "dense", "hybrid"])
def test_a_score_does_not_depend_on_the_other_submissions(name):
    profiles = [[PAPERS["nets"]], [PAPERS["bees"], PAPERS["ants"]]]
    together = models()[name].score(SUBMISSIONS, profiles)
    alone = models()[name].score(SUBMISSIONS[1:], profiles)
    np.testing.assert_allclose(together[1:], alone, rtol=1e-5)


@pytest.mark.parametrize("name", ["bm25", "hybrid", "tpms"])
def test_a_paper_is_nearest_to_itself(name):
    papers = [[PAPERS["nets"]], [PAPERS["bees"]], [PAPERS["ants"]]]
    scores = models()[name].score([Submission(p.id, p.title, p.abstract) for [p] in papers], papers)
    assert scores.argmax(axis=1).tolist() == [0, 1, 2]
    assert scores.max() < 1 + 1e-6


def test_every_model_is_made_by_name():
    for name in MODELS:
        assert affinity_model(name) is not None
    with pytest.raises(InputError, match="unknown affinity model 'magic'"):
        affinity_model("magic")


# Single models


def test_bm25_is_the_formula():
    profiles = [[PAPERS["nets"]], [PAPERS["bees"], PAPERS["ants"]]]
    texts = {"nets": "train neural network deep neural network train gradient".split()}  # noqa: SIM905
    texts["bees"] = "danc honei bee honei bee danc tell where flower".split()  # noqa: SIM905
    texts["ants"] = "trail ant ant follow trail nest".split()  # noqa: SIM905
    query = Counter("how bee find flower bee danc".split())  # noqa: SIM905
    k1, b = 0.9, 0.4
    mean = sum(map(len, texts.values())) / 3

    def rarity(term):
        frequency = sum(term in text for text in texts.values())
        return math.log(1 + (3 - frequency + 0.5) / (frequency + 0.5))

    def score(text):
        total = 0.0
        for term, times in query.items():
            count = text.count(term)
            total += times * rarity(term) * count / (count + k1 * (1 - b + b * len(text) / mean))
        return total / sum(times * rarity(term) for term, times in query.items())

    found = Bm25Model(pooling="max").score(SUBMISSIONS[1:], profiles)
    assert found[0, 0] == pytest.approx(score(texts["nets"]), abs=1e-6)
    assert found[0, 1] == pytest.approx(score(texts["bees"]), rel=1e-5)
    with pytest.raises(InputError, match="BM25 needs k1"):
        Bm25Model(k1=-1)


def test_hybrid_is_the_weighted_sum_of_its_parts():
    profiles = [[PAPERS["nets"]], [PAPERS["bees"]]]

    def score(weight):
        return HybridModel("words", pooling="max", breadth=0, weight=weight, load=load_words).score(
            SUBMISSIONS, profiles
        )

    dense = DenseModel("words", pooling="max", load=load_words).score(SUBMISSIONS, profiles)
    np.testing.assert_allclose(score(0), dense, atol=1e-6)
    np.testing.assert_allclose(score(0.25), 0.75 * dense + 0.25 * score(1), atol=1e-6)
    with pytest.raises(InputError, match="weight of the lexical part"):
        HybridModel(weight=2)


def test_two_encoders_score_the_mean_of_their_cosines():
    encoders = {"words": WordEncoder("words", 512, "1"), "few": HashingEncoder("few", 16, "1")}
    profiles = [[PAPERS["nets"]], [PAPERS["bees"], PAPERS["ants"]]]
    one, other, both = (
        DenseModel(name, load=encoders.__getitem__, pooling="max").score(SUBMISSIONS, profiles[:1])
        for name in ("words", "few", "words+few")
    )
    np.testing.assert_allclose(both, (one + other) / 2, atol=1e-6)
    hybrid = HybridModel("few+words", load=encoders.__getitem__).score(SUBMISSIONS, profiles)
    assert hybrid.shape == (2, 2)
    for name in ("words+", "words+words"):
        with pytest.raises(InputError, match="encoders are written a"):
            DenseModel(name)


def test_texts_are_encoded_once():
    encoder = HashingEncoder("words", 16, "1")
    profiles = [[PAPERS["nets"], PAPERS["bees"]], [PAPERS["bees"]]]
    for _ in range(2):
        DenseModel("words", load=lambda name: encoder).score(SUBMISSIONS, profiles)
    assert encoder.encoded == 4


def test_an_encoder_that_returns_nonsense_is_named():
    class Broken(HashingEncoder):
        def encode(self, texts, progress=None):
            return np.full((len(texts), self.dimension), np.nan, dtype=np.float32)

    with pytest.raises(ModelError, match="encoder 'broken' returned"):
        DenseModel("broken", load=lambda name: Broken(name, 16, "1")).score(SUBMISSIONS, [[PAPERS["nets"]]])


# Full texts


def write_lines(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def test_full_texts_find_what_abstracts_do_not_say(tmp_path):
    path = write_lines(
        tmp_path / "full.jsonl", {"id": "p3", "text": "All day long. " * 120 + "We also watched how bees dance."}
    )
    profiles = [[PAPERS["nets"]], [PAPERS["ants"]]]
    for kind in (DenseModel, HybridModel):
        short = kind("words", load=load_words).score(SUBMISSIONS, profiles)
        long = kind("words", full_text=path, passages=3, load=load_words).score(SUBMISSIONS, profiles)
        assert long[1, 1] > short[1, 1]
        np.testing.assert_allclose(long[:, 0], short[:, 0], atol=1e-6)
    assert TpmsModel(full_text=path).score(SUBMISSIONS, profiles)[1, 1] > 0


def test_word_counts_stand_for_texts(tmp_path):
    text = write_lines(tmp_path / "text.jsonl", {"id": "p3", "text": "Bees, bees, ants!"})
    counts = write_lines(tmp_path / "counts.jsonl", {"ssId": "p3", "counts": {"bees": 2, "ants": 1}})
    profiles = [[PAPERS["nets"]], [PAPERS["ants"]]]
    one, other = (TpmsModel(full_text=path).score(SUBMISSIONS, profiles) for path in (text, counts))
    np.testing.assert_allclose(one, other, atol=1e-7)
    assert one[1, 1] > TpmsModel().score(SUBMISSIONS, profiles)[1, 1] == 0


@pytest.mark.parametrize(
    "record", [{"id": "p3"}, {"text": "x"}, {"id": "p3", "counts": {"a": 0}}, {"id": 3, "text": "x"}]
)
def test_bad_full_texts_are_refused_with_their_line(tmp_path, record):
    path = write_lines(tmp_path / "full.jsonl", {"id": "p1", "text": "fine"}, record)
    with pytest.raises(InputError, match=r"full\.jsonl:2: expected 'id' and 'text'"):
        TpmsModel(full_text=path).score(SUBMISSIONS, [[PAPERS["nets"]]])
    with pytest.raises(InputError, match="the file of full texts does not exist"):
        TpmsModel(full_text=str(tmp_path / "none")).score(SUBMISSIONS, [[PAPERS["nets"]]])


# Benchmarks


def test_elife_ranks_all_authors_and_sees_the_reward_of_length():
    papers = []
    for number in range(12):
        authors = [Authorship(Author(f"a{author}", "")) for author in range(number + 1)]
        papers.append(
            Paper(f"c{number:02}", f"Topic {number}", f"Words{number} of {number}", 2000 + number, tuple(authors))
        )
    query = Paper("q", "Topic 3", "words3", 2019)
    qrels = Qrels.of(["q"], ["a3"], np.array([0]), np.array([0]), np.array([1]))
    benchmark = ELife.split([*papers, query], {"reviewers": qrels})
    profiles = collection_profiles(benchmark.collection, 5)
    assert {author: len(profile) for author, profile in profiles.items()}["a0"] == 5
    assert [paper.id for paper in profiles["a9"]] == ["c11", "c10", "c09"]
    ranked = rank(benchmark, Bm25Model(breadth=1), benchmark.queries)
    assert len(ranked.run.docs) == 12
    assert ranked.length_correlation > 0


def figures(capsys, *arguments):
    with pytest.raises(SystemExit) as exit_:
        main(["eval", "goldstandard", *arguments, "--json"])
    assert not exit_.value.code
    return json.loads(capsys.readouterr().out)


@pytest.mark.data
def test_tpms_reproduces_the_published_losses(capsys):
    assert figures(capsys, "--model", "tpms")["loss"] == pytest.approx(0.2811, abs=0.005)
    full = figures(capsys, "--model", "tpms", "--dataset", "d_full_20", "--regime", "f")
    assert full["loss"] == pytest.approx(0.24, abs=0.01)


def test_a_model_is_written_with_its_parameters():
    assert parse_model("dense") == ("dense", {})
    written = "hybrid:pooling=top:3,fill=0,weight=0.25,encoder=a+b"
    assert parse_model(written) == ("hybrid", {"pooling": "top:3", "fill": 0, "weight": 0.25, "encoder": "a+b"})
    with pytest.raises(InputError, match="NAME=VALUE, received 'fill'"):
        parse_model("dense:fill")
    with pytest.raises(InputError, match="unknown affinity model 'magic'"):
        parse_model("magic:fill=0")
