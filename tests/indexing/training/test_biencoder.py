"""Fine-tuning on a tiny BERT: what it learns from, what it learns, and that an interruption changes nothing."""

import dataclasses
import math
import shutil

import numpy as np
import orjson
import pytest
from indexing_support import make_papers
from tiny_model import make_tiny_model

from indexing.encoders import load_encoder
from indexing.encoders.recipe import read_recipe
from indexing.encoders.sentence import SentenceEncoder
from indexing.text import Text
from indexing.training.biencoder import BiencoderTraining
from indexing.training.contrastive import contrastive_loss, plan_batches, rate_at
from indexing.training.pairs import PairSearch, TitleTwins, measure_ranks, pairs_of_titles, readable_papers, title_pairs
from panelist.errors import InputError, ModelError
from panelist.records import Paper


def paper(number, title="A title", abstract="An abstract", year=2000):
    return Paper(id=f"p{number}", title=title, abstract=abstract, year=year)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def training(tiny):
    return BiencoderTraining(str(tiny), batch=8, steps=9, held_out=20, rate=3e-3, tokens=32, checkpoint=4, seed=3)


@pytest.fixture(scope="module")
def texts():
    return [text for _, text in readable_papers(make_papers(100))]


@pytest.fixture(scope="module")
def pairs(texts):
    return pairs_of_titles(texts)


@pytest.fixture(scope="module")
def trained(training, pairs, tmp_path_factory):
    """A model trained in one go, and its record."""
    out = tmp_path_factory.mktemp("trained") / "model"
    return out, training.train(pairs, out, threads=1)


def test_pairs_are_papers_with_both_parts_each_once():
    papers = [
        paper(1, "Cells divide", "How cells divide."),
        paper(2, "  cells  DIVIDE ", "Another version."),
        paper(3, "No abstract", ""),
        paper(4, " ", "No title."),
        paper(5, "Reprinted", "how cells divide."),
        paper(6, "Genes", "What genes do. "),
    ]
    pairs = title_pairs(papers)
    assert pairs.queries == [Text("Cells divide"), Text("Genes")]
    assert pairs.documents == [Text("", "How cells divide."), Text("", "What genes do.")]
    assert pairs.positives.tolist() == [[0], [1]]


def test_half_a_surrogate_pair_and_endless_texts_are_trained_on(training, tmp_path):
    odd = [paper(1, "half \ud800 a pair", "and \udfff another"), paper(2, "long", "cell " * 1_000_000)]
    pairs = title_pairs([*odd, *make_papers(14)])
    assert (pairs.queries[0], pairs.documents[0]) == (Text("half ? a pair"), Text("", "and ? another"))
    settings = dataclasses.replace(training, papers=10, held_out=2, steps=1)
    assert settings.train(pairs, tmp_path / "model", threads=1)["steps"] == 1


def test_papers_after_the_last_year_and_of_no_year_stay_unseen():
    papers = [paper(year, f"Title {year}", f"Abstract {year}", year) for year in (2017, 2018, 2019)]
    papers.append(paper(0, "Undated", "When?", None))
    assert [query.title for query in title_pairs(papers, until=2018).queries] == ["Title 2017", "Title 2018"]
    assert len(title_pairs(papers).queries) == 4


def test_twins_share_most_of_their_titles_words():
    titles = [
        "Graph neural networks for proteins in the cell",
        "Correction: Graph neural networks for protein in cells",
    ]
    titles += ["Graph theory for proteins", "the", "of"]
    everything = np.arange(5)
    twins = TitleTwins(titles).between(everything, everything)
    expected = np.eye(5, dtype=bool)
    expected[0, 1] = expected[1, 0] = True
    np.testing.assert_array_equal(twins, expected)


def test_the_loss_is_the_slow_sum_over_softmaxes():
    import torch

    dice = np.random.default_rng(0)
    titles, abstracts = dice.standard_normal((4, 5)), dice.standard_normal((7, 5))
    masked = dice.random((4, 7)) < 0.3
    total = 0.0
    for row, title in enumerate(titles):
        cosines = [title @ other / np.linalg.norm(title) / np.linalg.norm(other) for other in abstracts]
        kept = [
            math.exp(20 * cosine) for column, cosine in enumerate(cosines) if column == row or not masked[row, column]
        ]
        total -= 20 * cosines[row] - math.log(sum(kept))
    loss = contrastive_loss(*(torch.from_numpy(array) for array in (titles, abstracts, masked)))
    assert loss.item() == pytest.approx(total / 4)


def test_vectors_all_alike_lose_the_logarithm_of_their_number():
    import torch

    loss = contrastive_loss(torch.ones(3, 4), torch.ones(9, 4), torch.zeros(3, 9, dtype=torch.bool))
    assert loss.item() == pytest.approx(math.log(9))


def test_the_loss_is_that_of_sentence_transformers():
    import torch
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    dice = torch.Generator().manual_seed(1)
    titles, own, hard = (torch.randn(6, 8, generator=dice) for _ in range(3))
    peer = MultipleNegativesRankingLoss(torch.nn.Identity(), scale=20.0)
    expected = peer.compute_loss_from_embeddings([titles, own, hard], torch.arange(6))
    loss = contrastive_loss(titles, torch.cat([own, hard]), torch.zeros(6, 12, dtype=torch.bool))
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)


def test_batches_hold_each_abstract_once_and_the_titles_own_first():
    rows = np.array([5, 9, 2, 7, 4, 0, 8])
    candidates = np.array([[9, 2, 3], [5, 1, -1], [-1, -1, -1], [4, 6, 1], [7, 3, 6], [1, 3, 6], [0, 1, 2]])
    own = rows[:, None]
    planned = plan_batches(rows, own, candidates, 3, 2, [7])
    assert len(planned) == 2
    titles = np.concatenate([batch.queries for batch in planned])
    assert len(set(titles)) == 6
    assert set(titles) <= set(rows)
    for batch in planned:
        np.testing.assert_array_equal(batch.documents[:3], batch.queries)
        assert len(set(batch.documents)) == len(batch.documents)
        drawable = {candidate for row in batch.queries for candidate in candidates[list(rows).index(row)]}
        assert set(batch.documents[3:]) <= drawable - {-1}
    again = plan_batches(rows, own, candidates, 3, 2, [7])
    for one, other in zip(planned, again, strict=True):
        np.testing.assert_array_equal(one.documents, other.documents)
    assert all(len(batch.documents) == 3 for batch in plan_batches(rows, own, candidates, 3, 0, [7]))


def test_the_rate_rises_then_falls():
    rates = [rate_at(step, 20, 0.25) for step in range(20)]
    np.testing.assert_allclose(rates[:5], [0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(np.diff(rates[5:]), -1 / 15)
    assert rates[-1] == pytest.approx(1 / 15)
    assert rate_at(0, 1, 0.0) == 1


class Axes:
    """An encoder that puts each text on the axis that its only word names."""

    def encode(self, texts, progress=None):
        return np.eye(4, dtype=np.float32)[[int(text.plain()) for text in texts]]


def test_ranks_count_what_is_as_similar_and_pass_over_twins():
    pairs = pairs_of_titles([Text("0", "0"), Text("1", "2"), Text("3", "3"), Text("2", "3"), Text("3", "3")])
    ranks = PairSearch(pairs, np.array([0, 1, 2]), np.array([0, 1, 2, 3, 4])).ranks(Axes())
    np.testing.assert_array_equal(ranks, [1, 5, 2])  # the last pair has the title of the third: it is no rival
    assert measure_ranks(ranks) == {"mrr": pytest.approx((1 + 1 / 5 + 1 / 2) / 3), "recall_at_1": pytest.approx(1 / 3)}


def test_a_trained_model_is_the_same_through_both_encoders(trained, tiny, texts):
    out, _ = trained
    texts = [*texts[:5], Text("only a title"), Text("", "only an abstract " * 40)]
    fast = load_encoder(str(out))
    assert type(fast).__name__ == "BertEncoder"
    general = SentenceEncoder(str(out), out, read_recipe(out, cls_family=False))
    np.testing.assert_allclose(fast.encode(texts), general.encode(texts), atol=1e-5)
    base = load_encoder(str(tiny))
    assert base.revision != fast.revision
    assert np.abs(base.encode(texts) - fast.encode(texts)).max() > 0.01
    assert read_recipe(out, cls_family=False) == read_recipe(tiny, cls_family=False)  # it reads as far as before


def test_the_record_tells_what_was_done(trained, training):
    out, record = trained
    assert orjson.loads((out / "training.json").read_bytes()) == record
    assert record["settings"] == dataclasses.asdict(training)
    assert (record["steps"], len(record["loss"])) == (9, 9)
    held_out = record["held_out"]
    assert record["pairs"] == "titles"
    assert held_out["queries"] == 20
    assert held_out["documents"] > 20
    assert held_out["better"] + held_out["worse"] <= 20
    assert not out.with_name("model.partial").exists()


def test_training_teaches_the_task(tiny, tmp_path):
    """Abstracts are the letters of their titles in another order: a model that learns at all learns that."""
    letters = "abcdefghijklmnop"
    pairs = [Text(f"{a} {b} {c}", f"{c} {a} {b} {a} {c}") for a in letters for b in letters[:4] for c in letters[4:8]]
    settings = BiencoderTraining(str(tiny), steps=40, held_out=40, rate=3e-2, tokens=16, negatives=2)
    record = settings.train(pairs_of_titles(pairs), tmp_path / "model", threads=1)
    assert record["loss"][-1] < record["loss"][0] - 0.5
    before, after = record["held_out"]["before"], record["held_out"]["after"]
    assert after["mrr"] > before["mrr"] + 0.2


@pytest.mark.parametrize("stop", [1, 4, 9])
def test_an_interrupted_training_ends_as_an_undisturbed_one(trained, training, pairs, tmp_path, stop):
    out = tmp_path / "model"

    def interrupt(stage, done, total):
        if stage == "training" and done == stop * training.batch:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(pairs, out, interrupt, threads=1)
    assert not out.exists()
    again = []
    record = training.train(pairs, out, lambda stage, done, total: again.append((stage, done)), threads=1)
    assert record == trained[1]
    assert (out / "model.safetensors").read_bytes() == (trained[0] / "model.safetensors").read_bytes()
    assert "held-out papers before" not in {stage for stage, _ in again}
    assert min((done for stage, done in again if stage == "training"), default=80) == (stop + 1) * training.batch


def test_a_killed_training_goes_on_from_its_last_checkpoint(trained, training, pairs, tmp_path):
    out, work = tmp_path / "model", tmp_path / "model.partial"

    def fall(stage, done, total):
        if stage == "training" and done == 7 * training.batch:
            raise SystemError

    with pytest.raises(SystemError):
        training.train(pairs, out, fall, threads=1)
    assert (work / "checkpoint.safetensors").exists()
    (work / "checkpoint.safetensors.1f0e.part").write_bytes(b"half")  # a kill while writing
    assert training.train(pairs, out, threads=1) == trained[1]
    assert (out / "model.safetensors").read_bytes() == (trained[0] / "model.safetensors").read_bytes()


def test_a_full_disk_is_one_clear_line(training, pairs, tmp_path, monkeypatch):
    from safetensors import SafetensorError

    def full(*_):
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    with pytest.raises(InputError, match=r"model\.partial'.* No space left"):
        training.train(pairs, tmp_path / "model", threads=1)


def test_bad_settings_are_one_clear_line():
    for change in ({"batch": 1}, {"epochs": 0}, {"rate": float("nan")}, {"warmup": 1.5}, {"held_out": 0}):
        with pytest.raises(InputError, match=next(iter(change))):
            BiencoderTraining(**change)


def test_bad_input_leaves_nothing_behind(training, texts, pairs, tmp_path):
    out = tmp_path / "model"

    def refused(message, settings=training, learned=pairs, kind=InputError):
        with pytest.raises(kind, match=message) as caught:
            settings.train(learned, out)
        assert "\n" not in str(caught.value)

    with pytest.raises(InputError, match=r"no paper .*1990 or before"):
        title_pairs([paper(1)], until=1990)
    refused(r"27 .*title and abstract, 28 ", learned=pairs_of_titles(texts[:27]))
    refused("520 are needed", dataclasses.replace(training, papers=500))
    refused("7 papers make no batch of 8", dataclasses.replace(training, papers=7))
    refused("no model in '/no/such'", dataclasses.replace(training, encoder="/no/such"), kind=ModelError)
    assert list(tmp_path.iterdir()) == []
    damaged = shutil.copytree(training.encoder, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"short")
    refused("damaged' cannot be trained", dataclasses.replace(training, encoder=str(damaged)), kind=ModelError)
    shutil.rmtree(tmp_path / "model.partial")
    out.mkdir()
    (out / "file").touch()
    refused("exists already")


def test_a_folder_of_another_training_is_not_taken_over(training, texts, pairs, tmp_path):
    def interrupt(stage, done, total):
        if stage == "training":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(pairs, tmp_path / "model", interrupt, threads=1)
    with pytest.raises(InputError, match=r"model\.partial' .* other settings"):
        dataclasses.replace(training, seed=4).train(pairs, tmp_path / "model")
    with pytest.raises(InputError, match="other settings or papers"):
        training.train(pairs_of_titles(texts[1:]), tmp_path / "model")
    checkpoint = tmp_path / "model.partial" / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"checkpoint.* is damaged: remove"):
        training.train(pairs, tmp_path / "model", threads=1)
    shutil.rmtree(tmp_path / "model.partial")
    training.train(pairs, tmp_path / "model", threads=1)
