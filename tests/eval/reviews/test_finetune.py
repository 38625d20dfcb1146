"""Fine-tuning a BERT: its windows of tokens, what it learns, its files, and its part in the tagger."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from indexing_support import WordEncoder
from tiny_model import make_tiny_model

from eval.reviews.reading.sentences import Sentence, already_split
from eval.reviews.tagging.datasets import LabelledReview
from eval.reviews.tagging.finetuned import CONTEXT, LONGEST, FineTuned, cut
from eval.reviews.tagging.model import TaggerModel
from eval.reviews.tagging.outputs import Task, average, probabilities, targets
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.training.crossvalidation import TaggerTraining
from eval.reviews.training.networks import FineTuning
from panelist.errors import ModelError

ENCODER = WordEncoder("words", 32, "1")
LETTERS = {"first": "abc", "second": "xyz"}
TASKS = (Task("kind", ("first", "second")), Task("has", ("a", "x"), exclusive=False, context=False))


def lettered(count, seed):
    """Reviews of sentences of a few letters, which decide about their labels."""
    rng = np.random.default_rng(seed)
    reviews = []
    for number in range(count):
        kinds = [("first", "second")[rng.integers(2)] for _ in range(rng.integers(2, 6))]
        texts = [" ".join(rng.choice(list(LETTERS[kind]), 4)) for kind in kinds]
        has = tuple(tuple(letter for letter in "ax" if letter in text) for text in texts)
        reviews.append(
            LabelledReview(f"r{number}", f"p{number}", tuple(already_split(texts)), {"kind": tuple(kinds), "has": has})
        )
    return reviews


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def tokenizer(folder):
    return FineTuned.load(folder, 2).tokenizer


@pytest.fixture(scope="module")
def tuning(folder):
    return FineTuning(folder, epochs=6, rate=3e-3, head_rate=3e-2, threads=1)


def sentences_of(reviews):
    return [review.sentences for review in reviews]


@settings(max_examples=30)
@given(lengths=st.lists(st.lists(st.integers(0, 150), max_size=8), max_size=3))
def test_every_sentence_is_in_one_window_with_what_is_before_it(tokenizer, lengths):
    reviews = [[Sentence("b" + " a" * length, 0, 0, "h") for length in review] for review in lengths]
    windows = cut(reviews, tokenizer)
    rows = [owner for window in windows for owner in dict.fromkeys(window.owners) if owner != CONTEXT]
    assert rows == list(range(sum(map(len, reviews))))
    for window in windows:
        owners = [owner for owner in window.owners if owner != CONTEXT]
        assert len(window.tokens) == len(window.owners)
        assert len(window.tokens) <= LONGEST or len(set(owners)) == 1
        assert [tokenizer.id_to_token(token) for token in window.tokens[:3]] == ["[CLS]", "h", "[SEP]"]
    for first, second in itertools.pairwise(windows):
        last = max(first.owners)
        before = [token for token, owner in zip(first.tokens, first.owners, strict=True) if owner == last]
        if last + 1 not in np.cumsum([*map(len, reviews)]):  # the second window goes on with the same review
            assert second.tokens[3 : second.owners.index(last + 1) - 1] == before[-48:]


def test_a_fine_tuned_bert_learns_and_is_the_same_after_saving(tuning, tmp_path):
    learned, unseen = lettered(60, 0), lettered(30, 1)
    seen = []
    model = tuning.fit(
        sentences_of(learned), targets(learned, TASKS), TASKS, lambda what, done, total: seen.append((done, total))
    )
    assert seen[-1][0] == seen[-1][1] == len(seen)
    found, wanted = model(sentences_of(unseen)), targets(unseen, TASKS)
    assert (found[:, :2].argmax(axis=1) == wanted[:, :2].argmax(axis=1)).mean() > 0.9
    assert ((found[:, 2:] > 0) == (wanted[:, 2:] > 0)).mean() > 0.8
    model.save(tmp_path / "m")
    np.testing.assert_allclose(FineTuned.load(tmp_path / "m")(sentences_of(unseen)), found, atol=1e-5)
    assert model([[], []]).shape == (0, 4)


def test_sentences_without_a_label_teach_nothing(tuning):
    reviews = lettered(12, 0)
    wanted = targets(reviews, TASKS)
    wanted[:, 2:] = np.nan
    head = tuning.fit(sentences_of(reviews), wanted, TASKS).head.weight.detach().numpy()
    untaught = np.abs(head[2:]).max()  # as it began, but for the decay
    assert untaught <= 1 / np.sqrt(head.shape[1])
    assert np.abs(head[:2]).max() > untaught


def test_the_seed_decides_what_is_learned(tuning):
    reviews = lettered(6, 0)
    twice = [tuning.fit(sentences_of(reviews), targets(reviews, TASKS), TASKS)(sentences_of(reviews)) for _ in "ab"]
    np.testing.assert_allclose(*twice, atol=1e-4)


def test_the_average_is_of_probabilities():
    logits = [np.random.default_rng(seed).normal(size=(20, 4)).astype(np.float32) for seed in range(2)]
    means = probabilities(TASKS, average(TASKS, logits))
    parts = [probabilities(TASKS, part) for part in logits]
    for task in TASKS:
        np.testing.assert_allclose(means[task.name], (parts[0][task.name] + parts[1][task.name]) / 2, atol=1e-5)


def test_a_tagger_answers_with_its_fine_tuned_bert_and_saves_it(tuning, tmp_path):
    reviews = lettered(30, 0)
    trained = TaggerTraining(folds=2, tuning=tuning).train(reviews, TASKS, ENCODER, {"data": []})
    assert list(trained.card["held_out"]) == ["linear", "full", "tuned"]
    trained.save(tmp_path / "m")
    again = Tagger(TaggerModel.load(tmp_path / "m"), ENCODER)
    assert (again.kind, Tagger(trained).kind) == ("tuned", "linear")
    unseen = sentences_of(lettered(5, 1))
    found, expected = again.chances(unseen), Tagger(trained, ENCODER).chances(unseen)
    for task in TASKS:
        np.testing.assert_allclose(found[task.name], expected[task.name], atol=0.01)
    (tmp_path / "m" / "fine-tuned" / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ModelError, match="is damaged"):
        TaggerModel.load(tmp_path / "m")
