"""Pairs of papers that references link, against couplings written out; and that an encoder learns from them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_model import make_tiny_model

from indexing.training.biencoder import BiencoderTraining
from indexing.training.pairs import HardNegatives
from indexing.training.references import COUPLED_FROM, MOST_POSITIVES, RELATED_FROM, coupling, reference_pairs
from panelist.errors import InputError
from panelist.records import Paper


def paper(number, references=(), title=None, **fields):
    title = title or f"title of number{number} alone"
    return Paper(f"p{number}", title, f"abstract {number}", 2000, references=tuple(references), **fields)


def slow_coupling(papers):
    """The cosines written out; keys are ids here, so that equal keys are equal works."""
    cited = [set(one.references) - {one.id} for one in papers]
    rarity = {key: math.log(len(papers) / sum(key in other for other in cited)) for keys in cited for key in keys}
    lengths = [math.sqrt(sum(rarity[key] ** 2 for key in keys)) for keys in cited]
    found = np.zeros((len(papers), len(papers)))
    for row, one in enumerate(papers):
        for column, other in enumerate(papers):
            if row == column:
                continue
            shared = sum(rarity[key] ** 2 for key in cited[row] & cited[column])
            cosine = shared / (lengths[row] * lengths[column]) if shared else 0.0
            found[row, column] = cosine + COUPLED_FROM * (one.id in cited[column] or other.id in cited[row])
    return found


@st.composite
def corpora(draw):
    count = draw(st.integers(2, 9))
    keys = [f"p{row}" for row in range(count)] + [f"doi:10.1/{work}" for work in range(6)]
    return [paper(row, draw(st.lists(st.sampled_from(keys), max_size=6))) for row in range(count)]


@settings(max_examples=60, deadline=None)
@given(corpora())
def test_couplings_and_pairs_are_those_written_out(papers):
    expected = slow_coupling(papers)
    links = coupling(papers).toarray()
    far = (expected < RELATED_FROM - 1e-6) | (expected > RELATED_FROM + 1e-6)  # rounding decides at the threshold
    np.testing.assert_allclose(links[far], np.where(expected < RELATED_FROM, 0, expected)[far], atol=1e-6)
    np.testing.assert_allclose(links, links.T, atol=1e-6)
    if not (links >= COUPLED_FROM + 1e-6).any():
        return
    pairs = reference_pairs(papers)
    everything = np.arange(len(papers))
    related = pairs.related(everything, everything)
    np.testing.assert_array_equal(related, (links > 0) | np.eye(len(papers), dtype=bool))
    for row, positives in enumerate(pairs.positives.tolist()):
        chosen = [one for one in positives if one >= 0]
        assert chosen == positives[: len(chosen)]
        assert len(set(chosen)) == len(chosen)
        strong = links[row] >= np.float32(COUPLED_FROM)
        assert len(chosen) == min(strong.sum(), MOST_POSITIVES)
        assert strong[chosen].all()
        assert (np.diff(links[row, chosen]) <= 1e-6).all()


def test_a_work_cited_by_id_and_by_doi_is_one_work_and_the_paper_of_that_doi():
    papers = [
        paper(0, doi="https://doi.org/10.1/ABC"),
        paper(1, ["doi:10.1/abc", "doi:10.1/other"]),
        paper(2, ["p0", "title:alone"]),
        *(paper(number, [f"title:{number}"]) for number in range(3, 9)),
    ]
    links = coupling(papers).toarray()
    assert links[1, 0] == links[2, 0] == pytest.approx(COUPLED_FROM)
    assert links[1, 2] > COUPLED_FROM


def test_later_papers_are_not_learned_from_and_link_nothing():
    papers = [paper(0, ["doi:10.1/a"]), paper(1, ["doi:10.1/b"]), paper(2, ["title:c"])]
    late = Paper("late", "a later title", "and abstract", 2019, references=("doi:10.1/a", "p1"))
    assert len(reference_pairs([*papers, late]).queries) == 4
    with pytest.raises(InputError, match=r"references .* 3 papers"):
        reference_pairs([*papers, late], until=2018)


def test_hard_negatives_are_never_linked():
    papers = [
        paper(row, [f"doi:10.1/{row // 4}", f"title:{row}"], f"cells of kind{row % 4} in tissue{row}")
        for row in range(24)
    ]
    pairs = reference_pairs(papers)
    with HardNegatives(pairs) as miner:
        found = miner.mine(np.arange(24), 23)
    for row, others in enumerate(found):
        near = others[others >= 0]
        assert len(near)
        assert (near // 4 != row // 4).all()


@pytest.fixture(scope="module")
def grouped():
    """Papers that cite what their group cites, and share no word with each other but a letter of the group."""
    letters = "abcdefghijklmnop"
    return [
        Paper(
            f"p{n}",
            f"{letters[n % 16]} {n}",
            f"{letters[n % 16]} {n * 7} words",
            2000,
            references=(f"doi:10.1/{n % 16}",),
        )
        for n in range(160)
    ]


def test_training_teaches_who_cites_the_same_and_resumes(grouped, tmp_path):
    tiny = make_tiny_model(tmp_path / "tiny")
    pairs = reference_pairs(grouped)
    training = BiencoderTraining(str(tiny), steps=40, held_out=20, rate=3e-2, tokens=16, negatives=2, checkpoint=10)
    record = training.train(pairs, tmp_path / "whole", threads=1)
    assert record["pairs"] == "references"
    assert record["papers"] == 140
    assert record["held_out"]["after"]["mrr"] > record["held_out"]["before"]["mrr"] + 0.1

    def interrupt(stage, done, total):
        if stage == "training" and done == 13 * training.batch:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(pairs, tmp_path / "parts", interrupt, threads=1)
    assert training.train(pairs, tmp_path / "parts", threads=1) == record
    whole, parts = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "parts"))
    assert whole == parts


def test_what_is_held_out_is_neither_asked_nor_found_in_training(grouped, monkeypatch, tmp_path):
    from indexing.training import biencoder

    seen = []
    planned = biencoder.plan_batches
    monkeypatch.setattr(biencoder, "plan_batches", lambda *given: seen.extend(planned(*given)) or planned(*given))
    pairs = reference_pairs(grouped)
    training = BiencoderTraining(str(make_tiny_model(tmp_path / "tiny")), epochs=2, held_out=40, batch=8, tokens=16)
    learned, held_out = training._split(pairs)
    training.train(pairs, tmp_path / "model", threads=1)
    assert len(held_out) == 40
    for batch in seen:
        assert set(batch.queries) <= set(learned)
        assert set(held_out).isdisjoint(batch.documents)
        assert set(held_out).isdisjoint(batch.queries)
        own = batch.documents[: len(batch.queries)]
        assert (own % 16 == batch.queries % 16).all()
        assert (own != batch.queries).all()


def test_too_few_linked_papers_is_one_clear_line(grouped, tmp_path):
    with pytest.raises(InputError, match=r"160 .* 216 are needed"):
        BiencoderTraining(held_out=200).train(reference_pairs(grouped), tmp_path / "model")
