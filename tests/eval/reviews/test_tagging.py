"""The tagger's parts: features, two layers, decisions, its file, and training on a little made-up data."""

import gzip
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexing_support import WordEncoder

from eval.reviews.reading.files import review_of
from eval.reviews.reading.sentences import already_split, split
from eval.reviews.tagging import decisions
from eval.reviews.tagging.datasets import ASPECTS, EVIDENCE, POLARITIES, PRAGMATICS, LabelledReview, load_data_sets
from eval.reviews.tagging.decisions import fit_presence, per_review, presence
from eval.reviews.tagging.features import SHAPE, Features, encode_in_context
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import (
    REACH,
    SHIPPED_TASKS,
    Task,
    columns,
    inputs,
    positions,
    probabilities,
    standardised,
    targets,
)
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.training.crossvalidation import TaggerTraining
from eval.reviews.training.heldout import calibration, exclusive_figures
from eval.reviews.training.layers import Labelled, fit_softmax, fit_vectors
from eval.reviews.training.networks import fit_network
from eval.reviews.training.report import tagger_report
from panelist.errors import InputError, ModelError

ENCODER = WordEncoder("words", 32, "1")
PHRASES = {
    ("CLA",): {"positive": "The paper is clearly written", "negative": "The writing is unclear and confusing"},
    ("NOV",): {"positive": "The idea is novel and original", "negative": "The novelty is very limited"},
    ("CMP",): {"positive": "The comparison with baselines is complete", "negative": "Baselines are missing here"},
}


def made_up(count=60, seed=0):
    """Reviews whose labels follow from their words."""
    rng = np.random.default_rng(seed)
    reviews = []
    for number in range(count):
        texts, aspects, polarity = ["This paper presents a model of things"], [()], ["none"]
        for _ in range(rng.integers(3, 7)):
            aspect = list(PHRASES)[rng.integers(len(PHRASES))]
            sign = ["positive", "negative"][rng.integers(2)]
            texts.append(f"{PHRASES[aspect][sign]} in part {rng.integers(9)}")
            aspects.append(aspect)
            polarity.append(sign)
        reviews.append(
            LabelledReview(
                f"r{number}", f"p{number // 2}", tuple(already_split(texts)),
                {"aspects": tuple(aspects), "polarity": tuple(polarity)},
            )
        )  # fmt: skip
    return reviews


TASKS = (Task("aspects", ("CLA", "NOV", "CMP"), exclusive=False, context=False), Task("polarity", POLARITIES))


@pytest.fixture(scope="module")
def trained():
    return TaggerTraining(folds=3).train(made_up(), TASKS, ENCODER, {"data": []})


def test_features_of_unseen_text_have_the_fitted_columns():
    reviews = [split("The paper is good. The paper is clear."), split("The paper is bad. It is not clear.")] * 3
    features = Features().fit(reviews)
    found = features.transform([split("A wholly unseen text?"), []])
    assert found.shape == (1, sum(map(len, features.vocabularies_.values())) + len(SHAPE))
    assert found[0, -len(SHAPE) :].toarray()[0, SHAPE.index("question")] > 0


@settings(max_examples=30)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 9))
def test_inputs_agree_with_a_loop(lengths, seed):
    rng = np.random.default_rng(seed)
    starts = np.cumsum([0, *lengths])
    parts = [rng.normal(size=(starts[-1], 3)).astype(np.float32) for _ in range(2)]
    found = inputs(parts, starts)
    mean = sum(6 * np.tanh(part / 6) for part in parts) / 2
    for review, length in enumerate(lengths):
        for number in range(length):
            row = starts[review] + number
            beside = [
                mean[row + step] if 0 <= number + step < length else np.zeros(3)
                for step in (0, *range(-REACH, 0), *range(1, REACH + 1))
            ]
            np.testing.assert_allclose(found[row, :15], np.concatenate(beside), atol=1e-5)
            np.testing.assert_allclose(found[row, 15], number / length, atol=1e-6)
            np.testing.assert_allclose(found[row, -6:-3], 6 * np.tanh(parts[0][row] / 6), atol=1e-5)


def test_probabilities_of_exclusive_tasks_sum_to_one():
    found = probabilities(TASKS, np.random.default_rng(0).normal(size=(7, 6)).astype(np.float32) * 9)
    np.testing.assert_allclose(found["polarity"].sum(axis=1), 1, atol=1e-5)
    assert ((found["aspects"] >= 0) & (found["aspects"] <= 1)).all()


def test_targets_leave_unlabelled_sentences_open():
    review = LabelledReview("r", "p", tuple(already_split(["A b.", "C d."])), {"polarity": ("negative", None)})
    found = targets([review], TASKS)
    assert np.isnan(found[:, columns(TASKS)["aspects"]]).all()
    np.testing.assert_array_equal(found[0, columns(TASKS)["polarity"]], [0, 1, 0])
    assert np.isnan(found[1]).all()


def test_training_learns_calibrates_and_measures_on_held_out_papers(trained):
    for kind in ("linear", "full"):
        figures = trained.card["held_out"][kind]
        assert figures["aspects"]["macro_f1"] > 0.95
        assert figures["aspects"]["presence"]["micro_f1"] > 0.95
        assert figures["polarity"]["macro_f1"] > 0.95
        assert figures["polarity"]["calibration"]["error"] < 0.15


def test_a_model_is_the_same_after_saving_and_loading(trained, tmp_path):
    trained.save(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["tagger.json", "tagger.safetensors"]
    sentences = [review.sentences for review in made_up(5, seed=9)]
    before = Tagger(trained, ENCODER).chances(sentences)
    after = Tagger(TaggerModel.load(tmp_path / "model"), ENCODER).chances(sentences)
    for name, found in before.items():
        np.testing.assert_allclose(after[name], found, atol=0.01)  # weights are kept in 16 bits


def test_a_tagger_that_reads_another_one_is_kept_with_it(trained, tmp_path):
    task = (Task("polarity", POLARITIES),)
    upper = TaggerTraining(folds=3).train(made_up(), task, ENCODER, {"data": []}, trained)
    assert upper.card["held_out"]["full"]["polarity"]["macro_f1"] > 0.95
    upper.save(tmp_path / "model")
    sentences = [review.sentences for review in made_up(5, seed=9)]
    before = Tagger(upper, ENCODER).chances(sentences)
    after = Tagger(TaggerModel.load(tmp_path / "model"), ENCODER).chances(sentences)
    np.testing.assert_allclose(after["polarity"], before["polarity"], atol=0.01)


def test_the_network_reads_a_review_and_not_the_ones_beside_it(trained):
    reviews = [review.sentences for review in made_up(4, seed=3)]
    vectors = encode_in_context(reviews, ENCODER)
    starts = np.cumsum([0, *map(len, reviews)])
    together = trained.network(vectors, starts)
    for start, end in itertools.pairwise(starts):
        np.testing.assert_allclose(
            trained.network(vectors[start:end], np.array([0, end - start])), together[start:end], atol=1e-4
        )


def test_the_trained_network_is_what_torch_computes():
    torch = pytest.importorskip("torch")
    reviews = made_up(6)
    sentences = [review.sentences for review in reviews]
    vectors, starts = encode_in_context(sentences, ENCODER), np.cumsum([0, *map(len, sentences)])
    data = Labelled(sentences, starts, vectors, 32, targets(reviews, TASKS), TASKS, np.zeros(starts[-1], int))
    network = fit_network(data, np.arange(6), epochs=1)
    rows = torch.from_numpy(standardised(vectors, network.center, network.spread))

    def hidden(layer, part):
        return torch.relu(part @ torch.from_numpy(layer.weights) + torch.from_numpy(layer.bias))

    near = hidden(network.near, rows[:, :32])
    first = torch.cat(
        [hidden(network.sentence, rows[:1, :32]), torch.zeros(1, 96), near[1:2], near[2:3],
         hidden(network.heading, rows[:1, -4:]), torch.from_numpy(positions(starts)[:1])], 1,
    )  # fmt: skip
    expected = first @ torch.from_numpy(network.output.weights) + torch.from_numpy(network.output.bias)
    np.testing.assert_allclose(network(vectors, starts)[:1], expected.numpy(), atol=1e-4)


def test_training_twice_gives_the_same_model(trained):
    again = TaggerTraining(folds=3).train(made_up(), TASKS, ENCODER, {"data": []})
    np.testing.assert_allclose(again.linear.weights, trained.linear.weights, atol=1e-6)
    assert again.decisions == trained.decisions


def test_too_few_papers_for_the_folds_are_refused():
    with pytest.raises(InputError, match=r"3 folds .*fewer folds"):
        TaggerTraining(folds=3).train(made_up(4), TASKS, ENCODER, {})


def test_a_tagger_that_does_not_answer_all_tasks_cannot_tag(trained):
    with pytest.raises(ModelError, match=r"evidence, pragmatics .*train one"):
        Tagger(trained).tag([review_of("The paper is clearly written.")])


def test_another_encoder_is_refused(trained):
    with pytest.raises(ModelError, match="train it again"):
        Tagger(trained, WordEncoder("words", 32, "2"))


def test_missing_and_damaged_taggers_are_refused(tmp_path, trained):
    with pytest.raises(ModelError, match=r"no tagger .*'panelist train reviews"):
        TaggerModel.load(tmp_path / "none")
    trained.save(tmp_path / "m")
    (tmp_path / "m" / "tagger.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="is damaged"):
        TaggerModel.load(tmp_path / "m")


def test_thresholds_maximise_f1_and_omissions_are_nearly_always_true():
    rng = np.random.default_rng(0)
    wanted = (rng.random((4000, 1)) < 0.3).astype(float)
    found = np.clip(wanted * 0.5 + rng.random((4000, 1)) * 0.5, 0, 1)
    starts = np.arange(0, 4001, 5)
    assert 0.4 < decisions.best_threshold(wanted[:, 0], found[:, 0]) < 0.6
    decided = fit_presence(("A",), found, wanted, starts)
    has = per_review(wanted, starts)[:, 0] > 0
    said = [presence(decided, ("A",), found[a:b])["A"] for a, b in itertools.pairwise(starts)]
    absent = np.array(said) < decided["aspects"]["A"]["absent"]
    assert absent.sum() > 50
    assert (~has)[absent].mean() >= 0.9


def test_a_correction_raises_rare_classes_as_far_as_macro_f1_gains():
    rng = np.random.default_rng(0)
    wanted = (rng.random(4000) < 0.1).astype(int)
    odds = np.where(wanted == 1, -0.3, -2.5) + rng.normal(size=4000)
    found = np.stack([1 / (1 + np.exp(odds)), 1 / (1 + np.exp(-odds))], axis=1)
    correction = decisions.fit_correction(found, wanted)
    assert correction[1] > correction[0] >= 0
    task = Task("t", ("common", "rare"))
    plain, corrected = (exclusive_figures(task, wanted, found, c) for c in (0.0, correction))
    assert corrected["macro_f1"] > plain["macro_f1"] + 0.02
    np.testing.assert_array_equal(decisions.answer(found, [0, 0])[0], found.argmax(axis=1))


def test_calibration_error_is_zero_for_honest_probabilities_only():
    chances = np.repeat([0.25, 0.75], 400)
    honest = np.concatenate([np.arange(400) % 4 == 0, np.arange(400) % 4 != 0])
    assert calibration(chances, honest)["error"] == pytest.approx(0, abs=1e-9)
    assert calibration(chances, np.ones(800, bool))["error"] == pytest.approx(0.5)


def test_perfect_answers_have_an_f1_of_1_and_unsure_ones_are_not_counted_as_answers():
    task = Task("t", ("a", "b"))
    wanted = np.array([0, 0, 1, 1])
    perfect = exclusive_figures(task, wanted, np.eye(2)[wanted])
    assert (perfect["macro_f1"], perfect["accuracy"], perfect["answered"]) == (1, 1, 1)
    unsure = exclusive_figures(Task("t", ("a", "b", "c")), wanted, np.full((4, 3), 1 / 3))
    assert unsure["answered"] == 0
    assert unsure["accuracy_where_answered"] is None


@pytest.mark.data
def test_the_public_data_sets_are_read(data_dir):
    folder = data_dir / "reviews"
    counts = {"peer_review_analyze": 714, "substanreview": 440, "f1000rd": 224, "disapere": 251}
    for name, count in counts.items():
        reviews = load_data_sets([name], folder)
        assert len(reviews) == count
        for review in reviews[:50]:
            assert all(len(values) == len(review.sentences) for values in review.labels.values())
    with pytest.raises(InputError, match="unknown data set 'x'"):
        load_data_sets(["x"], folder)
    with pytest.raises(InputError, match=r"no 'f1000rd' data in .* run 'panelist fetch f1000rd'"):
        load_data_sets(["f1000rd"], folder / "nowhere")


def test_a_damaged_data_set_is_refused(tmp_path):
    packed = gzip.compress(b"review,text,pragmatics\n" * 9)
    (tmp_path / "f1000rd.csv.gz").write_bytes(packed[:10] + b"\xff" * 9 + packed[19:])
    with pytest.raises(InputError, match="is not F1000RD"):
        load_data_sets(["f1000rd"], tmp_path)


def test_shipped_tasks_have_the_classes_of_their_data():
    assert [task.classes for task in SHIPPED_TASKS] == [ASPECTS, POLARITIES, PRAGMATICS, EVIDENCE]


def test_softmax_regression_agrees_with_a_general_solver():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(300, 4))
    inputs = np.hstack([inputs, inputs[:, :2] + 0.01 * rng.normal(size=(300, 2))])  # nearly the same columns twice
    wanted = (inputs[:, :3] + rng.normal(size=(300, 3))).argmax(axis=1)
    weights, offsets = fit_softmax(inputs, np.eye(3)[wanted], 0.5)
    slow = LogisticRegression(C=0.5, tol=1e-8, max_iter=5000).fit(inputs, wanted)
    np.testing.assert_allclose(weights - weights.mean(axis=1, keepdims=True), slow.coef_.T, atol=2e-3)
    np.testing.assert_allclose(offsets - offsets.mean(), slow.intercept_ - slow.intercept_.mean(), atol=2e-3)


def test_ridge_without_a_fold_agrees_with_ridge_on_the_others():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(60, 5)) * [1, 2, 3, 4, 5] + 7).astype(np.float32)
    wanted = (rng.random((60, 3)) < 0.4).astype(np.float32)
    wanted[:20, 2] = np.nan
    folds = np.arange(60) % 3
    layers = fit_vectors(vectors, wanted, folds)
    spread = vectors.std(axis=0) + 1e-3
    for number, layer in enumerate(layers):
        for output in range(3):
            rows = (folds != number) & ~np.isnan(wanted[:, output])
            slow = Ridge(alpha=4_000.0).fit(vectors[rows] / spread, 2 * wanted[rows, output] - 1)
            expected = 4 * slow.predict(vectors / spread)
            np.testing.assert_allclose(layer(vectors)[:, output], expected, atol=1e-3)


def test_the_report_of_a_tagger_has_figures_and_a_reliability_plot(trained):
    card = trained.card | {"terms": ["share-alike <terms>"], "data": [{"name": "D", "licence": "MIT"}]}
    report = tagger_report(card, {})
    assert [picture.name for picture in report.pictures] == ["reliability"]
    page = report.html()
    assert "polarity, macro F1" in page
    assert "share-alike &lt;terms&gt;" in page
