"""The model that asks a language model, against a local server that also fails, stalls and answers nonsense."""

import numpy as np
import pytest

from panelist.errors import InputError, ModelError
from panelist.http import llm as llm_client
from panelist.records import Paper, Submission
from retriever.affinity.model import affinity_model
from retriever.affinity.models.llm import LlmModel

SUBMISSIONS = [Submission("s1", "Deep nets", "We train nets."), Submission("s2", "Bees", "We watch bees.")]
PROFILES = [[Paper("p1", "Nets", "On nets.")], [], [Paper("p2", "Bees", "On bees."), Paper("p3", "Ants", "On ants.")]]


@pytest.fixture(autouse=True)
def impatient(monkeypatch, endpoint):
    monkeypatch.setattr(llm_client, "_BACKOFF", 0.001)
    endpoint.default = {"score": 40}


@pytest.fixture
def make(endpoint, tmp_path):
    return lambda **more: LlmModel(endpoint=endpoint.url, cache=str(tmp_path / "answers.sqlite"), **more)


def test_every_pair_is_asked_once_with_the_papers_and_the_submission(endpoint, make, monkeypatch):
    monkeypatch.setenv("PANELIST_LLM_KEY", "secret")
    scores = make(model="tiny").score(SUBMISSIONS, PROFILES)
    np.testing.assert_array_equal(scores, [[40, 0, 40], [40, 0, 40]])
    assert len(endpoint.requests) == 4
    path, headers, body = endpoint.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "tiny"
    assert body["response_format"]["type"] == "json_schema"
    asked = [request[2]["messages"][1]["content"] for request in endpoint.requests]
    assert sum("On bees." in text and "On ants." in text and "We train nets." in text for text in asked) == 1


def test_answers_are_kept_and_estimated_away(endpoint, make):
    model = make(price_in=1.0, price_out=2.0)
    before = model.estimate(SUBMISSIONS, PROFILES)
    assert before.startswith("4 calls of gpt-4o-mini")
    assert "0 answers are already on disk" in before
    assert "at the given prices" in before
    model.score(SUBMISSIONS, PROFILES)
    assert make().estimate(SUBMISSIONS, PROFILES).startswith("0 calls")
    make().score(SUBMISSIONS, PROFILES)
    assert len(endpoint.requests) == 4
    make(model="other").score(SUBMISSIONS, PROFILES)
    assert len(endpoint.requests) == 8


@pytest.mark.parametrize(
    "first",
    [
        (500, {}, "x"),
        (503, {"Retry-After": "0"}, "x"),
        (429, {"Retry-After": "0.001"}, "x"),
        (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, "x"),
        (200, {}, "I would say seventy"),
        (200, {}, {"score": 101}),
        (200, {}, {"score": True}),
        (200, {}, {"score": 55.5}),
        (200, {}, {"rating": 5}),
        (200, {}, "[]"),
    ],
)
def test_what_fails_once_is_asked_again(endpoint, make, first):
    endpoint.plan = [first]
    assert make().score(SUBMISSIONS[:1], PROFILES[:1]).item() == 40
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(("content", "score"), [('```json\n{"score": 7}\n```', 7), ("93", 93), (' {"score":0} ', 0)])
def test_scores_are_read_from_usual_renderings(endpoint, make, content, score):
    endpoint.plan = [(200, {}, content)]
    assert make().score(SUBMISSIONS[:1], PROFILES[:1]).item() == score


def test_a_server_that_stalls_is_given_up_on_and_asked_again(endpoint, make):
    endpoint.plan = [(200, {}, None)]
    assert make(timeout=1).score(SUBMISSIONS[:1], PROFILES[:1]).item() == 40


def test_a_server_without_structured_output_is_asked_plainly_from_then_on(endpoint, make):
    endpoint.plan = [(400, {}, "x")]
    make(concurrency=1).score(SUBMISSIONS, PROFILES[:1])
    formats = ["response_format" in request[2] for request in endpoint.requests]
    assert formats == [True, False, False]


def test_after_all_retries_the_error_is_one_line_and_earlier_answers_are_kept(endpoint, make):
    endpoint.plan = [(200, {}, {"score": 80})] + [(500, {}, "x")] * 3
    with pytest.raises(ModelError, match=r"gpt-4o-mini .* 500 .*, 3 times.*: .*kept"):
        make(concurrency=1, retries=2).score(SUBMISSIONS, PROFILES[:1])
    np.testing.assert_array_equal(make().score(SUBMISSIONS, PROFILES[:1]), [[80], [40]])
    assert len(endpoint.requests) == 5


def test_a_refusal_is_not_asked_again(endpoint, make):
    endpoint.plan = [(401, {}, "x")]
    with pytest.raises(ModelError, match=r"answered 401 .* PANELIST_LLM_KEY"):
        make().score(SUBMISSIONS[:1], PROFILES[:1])
    assert len(endpoint.requests) == 1


def test_endpoint_that_does_not_answer_is_refused(tmp_path):
    model = LlmModel(endpoint="http://127.0.0.1:9/v1", retries=1, cache=str(tmp_path / "a.sqlite"))
    with pytest.raises(ModelError, match=r"cannot reach 127\.0\.0\.1"):
        model.score(SUBMISSIONS[:1], PROFILES[:1])
    model = LlmModel(endpoint="nonsense", cache=str(tmp_path / "a.sqlite"))
    with pytest.raises(ModelError, match=r"no score .* nonsense .*not an address"):
        model.score(SUBMISSIONS[:1], PROFILES[:1])


def test_no_more_questions_at_once_than_allowed(endpoint, make):
    submissions = [Submission(f"s{n}", f"Title {n}") for n in range(12)]
    make(concurrency=3).score(submissions, PROFILES[:1])
    assert len(endpoint.requests) == 12
    assert endpoint.most <= 3


def test_bad_parameters_are_refused():
    with pytest.raises(InputError, match="concurrency of at least 1"):
        affinity_model("llm", concurrency=0)
