"""The model that asks a language model, against a local server that also fails, stalls and answers nonsense."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from panelist.errors import InputError, ModelError
from panelist.records import Paper, Submission
from retriever.affinity.model import affinity_model
from retriever.affinity.models import llm_client
from retriever.affinity.models.llm import LlmModel

SUBMISSIONS = [Submission("s1", "Deep nets", "We train nets."), Submission("s2", "Bees", "We watch bees.")]
PROFILES = [[Paper("p1", "Nets", "On nets.")], [], [Paper("p2", "Bees", "On bees."), Paper("p3", "Ants", "On ants.")]]


class Server:
    """Answers as told by a list of (status, headers, content or None to stall), then with the default score."""

    def __init__(self):
        self.plan, self.requests, self.active, self.most = [], [], 0, 0
        self.default = {"score": 40}
        self.release = threading.Event()
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.active += 1
                    outer.most = max(outer.most, outer.active)
                    outer.requests.append((self.path, dict(self.headers), body))
                    status, headers, content = outer.plan.pop(0) if outer.plan else (200, {}, outer.default)
                if content is None:
                    outer.release.wait(10)
                reply = {
                    "choices": [{"message": {"content": content if type(content) is str else json.dumps(content)}}]
                }
                data = json.dumps(reply).encode() if status == 200 else b"no"
                with lock:
                    outer.active -= 1
                try:
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # the client did not wait

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.release.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(llm_client, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(llm_client, "_LONGEST_PAUSE", 0.01)
    one = Server()
    yield one
    one.close()


@pytest.fixture
def make(server, tmp_path):
    return lambda **more: LlmModel(endpoint=server.url, cache=str(tmp_path / "answers.sqlite"), **more)


def test_every_pair_is_asked_once_with_the_papers_and_the_submission(server, make, monkeypatch):
    monkeypatch.setenv("PANELIST_LLM_KEY", "secret")
    scores = make(model="tiny").score(SUBMISSIONS, PROFILES)
    np.testing.assert_array_equal(scores, [[40, 0, 40], [40, 0, 40]])
    assert len(server.requests) == 4
    path, headers, body = server.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert body["model"] == "tiny"
    assert body["response_format"]["type"] == "json_schema"
    asked = [request[2]["messages"][1]["content"] for request in server.requests]
    assert sum("On bees." in text and "On ants." in text and "We train nets." in text for text in asked) == 1


def test_answers_are_kept_and_estimated_away(server, make):
    model = make(price_in=1.0, price_out=2.0)
    before = model.estimate(SUBMISSIONS, PROFILES)
    assert before.startswith("4 calls of gpt-4o-mini")
    assert "0 answers are already on disk" in before
    assert "at the given prices" in before
    model.score(SUBMISSIONS, PROFILES)
    assert make().estimate(SUBMISSIONS, PROFILES).startswith("0 calls")
    make().score(SUBMISSIONS, PROFILES)
    assert len(server.requests) == 4
    make(model="other").score(SUBMISSIONS, PROFILES)
    assert len(server.requests) == 8


@pytest.mark.parametrize(
    "first",
    [
        (500, {}, "x"),
        (503, {"Retry-After": "0"}, "x"),
        (429, {"Retry-After": "0.001"}, "x"),
        (429, {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, "x"),
        (200, {}, "I would say seventy"),
        (200, {}, {"score": 101}),
        (200, {}, {"score": True}),
        (200, {}, {"score": 55.5}),
        (200, {}, {"rating": 5}),
        (200, {}, "[]"),
    ],
)
def test_what_fails_once_is_asked_again(server, make, first):
    server.plan = [first]
    assert make().score(SUBMISSIONS[:1], PROFILES[:1]).item() == 40
    assert len(server.requests) == 2


@pytest.mark.parametrize(("content", "score"), [('```json\n{"score": 7}\n```', 7), ("93", 93), (' {"score":0} ', 0)])
def test_scores_are_read_from_usual_renderings(server, make, content, score):
    server.plan = [(200, {}, content)]
    assert make().score(SUBMISSIONS[:1], PROFILES[:1]).item() == score


def test_a_server_that_stalls_is_given_up_on_and_asked_again(server, make):
    server.plan = [(200, {}, None)]
    assert make(timeout=0.2).score(SUBMISSIONS[:1], PROFILES[:1]).item() == 40


def test_a_server_without_structured_output_is_asked_plainly_from_then_on(server, make):
    server.plan = [(400, {}, "x")]
    make(concurrency=1).score(SUBMISSIONS, PROFILES[:1])
    formats = ["response_format" in request[2] for request in server.requests]
    assert formats == [True, False, False]


def test_after_all_retries_the_error_is_one_line_and_earlier_answers_are_kept(server, make):
    server.plan = [(200, {}, {"score": 80})] + [(500, {}, "x")] * 3
    with pytest.raises(
        ModelError, match=r"no score from gpt-4o-mini .* in 3 attempts, at last: HTTP 500; answers so far"
    ):
        make(concurrency=1, retries=2).score(SUBMISSIONS, PROFILES[:1])
    np.testing.assert_array_equal(make().score(SUBMISSIONS, PROFILES[:1]), [[80], [40]])
    assert len(server.requests) == 5


def test_a_refusal_is_not_asked_again(server, make):
    server.plan = [(401, {}, "x")]
    with pytest.raises(ModelError, match=r"HTTP 401 .* PANELIST_LLM_KEY"):
        make().score(SUBMISSIONS[:1], PROFILES[:1])
    assert len(server.requests) == 1


def test_nobody_listens(tmp_path, server):
    model = LlmModel(endpoint="http://127.0.0.1:9/v1", retries=1, cache=str(tmp_path / "a.sqlite"))
    with pytest.raises(ModelError, match="ConnectError"):
        model.score(SUBMISSIONS[:1], PROFILES[:1])
    model = LlmModel(endpoint="nonsense", cache=str(tmp_path / "a.sqlite"))
    with pytest.raises(ModelError, match="'nonsense' is not the address"):
        model.score(SUBMISSIONS[:1], PROFILES[:1])


def test_no_more_questions_at_once_than_allowed(server, make):
    submissions = [Submission(f"s{n}", f"Title {n}") for n in range(12)]
    make(concurrency=3).score(submissions, PROFILES[:1])
    assert len(server.requests) == 12
    assert server.most <= 3


def test_bad_parameters_are_refused():
    with pytest.raises(InputError, match="concurrency of at least 1"):
        affinity_model("llm", concurrency=0)
