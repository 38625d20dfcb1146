"""Every affinity model: what all of them promise, and how they are named."""

import re

import numpy as np
import pytest
from affinity_support import PAPERS, SUBMISSIONS, models

from panelist.errors import InputError
from panelist.records import Paper, Submission
from retriever.affinity.model import MODELS, affinity_model, parameters_of, parse_model


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
        assert callable(affinity_model(name).score)
    with pytest.raises(InputError, match="unknown affinity model 'magic'"):
        affinity_model("magic")


def test_a_model_is_written_with_its_parameters():
    assert parse_model("dense") == ("dense", {})
    written = "hybrid:pooling=top:3,fill=0,weight=0.25,encoder=a+b"
    assert parse_model(written) == ("hybrid", {"pooling": "top:3", "fill": 0, "weight": 0.25, "encoder": "a+b"})
    with pytest.raises(InputError, match="NAME=VALUE, received 'fill'"):
        parse_model("dense:fill")
    with pytest.raises(InputError, match="unknown affinity model 'magic'"):
        parse_model("magic:fill=0")


@pytest.mark.parametrize("name", MODELS)
def test_what_is_written_for_any_parameter_is_checked(name):
    for parameter in parameters_of(name):
        with pytest.raises(InputError, match=f"'{parameter}'"):
            affinity_model(name, **{parameter: True})


@pytest.mark.parametrize("parameter", ["index", "load", "nonsense"])
def test_only_what_can_be_written_is_a_parameter(parameter):
    with pytest.raises(InputError, match=f"'dense' .*parameter '{parameter}': .*encoder, ") as refusal:
        affinity_model("dense", **{parameter: "x"})
    assert not {"index", "load"} & set(re.findall(r"\w+", str(refusal.value).partition(f"'{parameter}': ")[2]))


@pytest.mark.parametrize(
    ("name", "parameter", "value", "kind"),
    [
        ("bm25", "k1", "abc", "a number"),
        ("bm25", "k1", float("nan"), "a number"),
        ("bm25", "k1", True, "a number"),
        ("dense", "breadth", [1], "a number"),
        ("dense", "fill", "many", "a whole number"),
        ("dense", "pooling", 3, "a word"),
        ("hybrid", "encoder", None, "a word"),
        ("hybrid", "weight", "x", "a number"),
        ("llm", "endpoint", 3, "a word"),
    ],
)
def test_a_parameter_of_another_kind_is_refused(name, parameter, value, kind):
    with pytest.raises(InputError, match=f"'{parameter}' .*'{name}' .*{kind}, received "):
        affinity_model(name, **{parameter: value})
