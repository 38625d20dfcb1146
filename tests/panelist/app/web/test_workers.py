"""A server with processes of look-ups: what it answers, whoever finds it, and whatever happens to them."""

import os
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from access_support import add_user
from waiting import PATIENCE, finished, until
from web_support import api_of, build, make_workspace, running, start_service

from panelist.app.access.roles import Permission, Role, User
from panelist.app.access.users import Users
from panelist.app.demo import corpus
from panelist.app.web.requests import ReviewersRequest
from panelist.app.web.routes import reviewers, state
from panelist.app.web.routes.reviewers import _allowed
from panelist.app.web.routes.state import Threads
from panelist.app.web.searching import Timings
from panelist.app.web.workers import Workers, look_up
from panelist.errors import PanelistError

ASKED = {"submission": {"title": "Transmission spectroscopy of warm Neptunes"}, "options": {"size": 5}}
REQUEST = ReviewersRequest.model_validate(ASKED)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), corpus()[:60])


@pytest.fixture(scope="module")
def service(workspace):
    service = start_service(workspace)
    yield service
    service.close()


@pytest.fixture(scope="module")
def workers(service):
    workers = Workers(1, service)
    until(lambda: len(workers))
    yield workers
    workers.close()


def here(service):
    return look_up(service, REQUEST, Timings())[1].model_dump_json().encode()


def test_a_process_answers_as_the_server_does_and_says_how_long_it_took(workers, service):
    timings = Timings()
    assert workers.find(REQUEST, timings) == here(service)
    assert "search;dur=" in timings.header()


def test_what_a_process_cannot_answer_is_left_to_the_server(workers, service):
    """Which says what is wrong."""
    unknown = ReviewersRequest.model_validate(ASKED | {"options": {"pool": ["nobody"]}})
    assert workers.find(unknown, Timings()) is None
    with pytest.raises(PanelistError, match="nobody"):
        look_up(service, unknown, Timings())
    assert workers.find(REQUEST, Timings()) is not None


@pytest.mark.parametrize("ending", ["killed", "killed while it is asked", "silent"])
def test_a_process_that_ends_or_is_silent_loses_nothing_and_another_takes_its_place(
    workers, service, monkeypatch, ending
):
    (worker,) = workers._workers
    os.kill(worker.process.pid, signal.SIGKILL if ending == "killed" else signal.SIGSTOP)
    if ending == "silent":
        monkeypatch.setattr("panelist.app.web.workers._SECONDS", 0.2)
    elif ending != "killed":
        threading.Timer(0.2, os.kill, (worker.process.pid, signal.SIGKILL)).start()
    assert workers.find(REQUEST, Timings()) is None
    monkeypatch.undo()
    until(lambda: len(workers))
    assert workers.find(REQUEST, Timings()) == here(service)


def test_the_server_encodes_for_a_process_and_answers_itself_where_it_cannot(workers, service, monkeypatch):
    with service.finder() as finder:
        encoder = finder.index.encoder()
    encoded = []
    encode = encoder.encode
    monkeypatch.setattr(encoder, "encode", lambda texts: encoded.append(texts) or encode(texts))
    asked = ReviewersRequest.model_validate({"submission": {"title": "Neptunes encoded by the server"}})
    assert workers.find(asked, Timings()) is not None
    assert encoded == [[("Neptunes encoded by the server", "")]]
    monkeypatch.setattr(encoder, "encode", lambda texts: 1 / 0)
    asked = ReviewersRequest.model_validate({"submission": {"title": "Neptunes that cannot be encoded"}})
    assert workers.find(asked, Timings()) is None
    monkeypatch.undo()
    assert workers.find(asked, Timings()) is not None


def test_no_answer_is_of_another_index_than_the_server_has(workers, service, workspace):
    before = here(service)
    with workspace.open_corpus() as store:
        store.upsert(corpus()[60:])
    build(workspace)
    assert workers.find(REQUEST, Timings()) in (None, before)
    assert service.refresh()
    new = here(service)
    assert new != before
    found = []
    until(lambda: found.append(workers.find(REQUEST, Timings())) or found[-1] is not None)
    assert found[-1] == new
    assert set(found) <= {None, new}


def test_a_full_queue_says_when_to_ask_again_and_loses_nobody_who_waits(workspace, monkeypatch):
    monkeypatch.setattr(state, "Threads", lambda name, threads, waiting: Threads(name, 1, 1))
    begun, going_on = threading.Semaphore(0), threading.Event()

    def wait(*asked):
        begun.release()
        going_on.wait(PATIENCE)
        return look_up(*asked)

    monkeypatch.setattr(reviewers, "look_up", wait)
    with (
        running(start_service(workspace)) as address,
        api_of(address) as client,
        ThreadPoolExecutor(6) as clients,
    ):
        first = clients.submit(client.post, "reviewers", json=ASKED)
        assert begun.acquire(timeout=PATIENCE), first
        others = [clients.submit(client.post, "reviewers", json=ASKED) for _ in range(5)]
        until(lambda: sum(other.done() for other in others) == 4)
        refused = [other.result() for other in others if other.done()]
        going_on.set()
        answered = [first.result(), *(other.result() for other in others if other.result() not in refused)]
    assert [(answer.status_code, answer.headers["retry-after"]) for answer in refused] == 4 * [(503, "2")]
    assert [answer.status_code for answer in answered] == [200, 200]


def test_tokens_jobs_and_figures_are_the_servers(workspace):
    users = Users(workspace)
    add_user(users, "root", Role.ADMINISTRATOR)
    token = users.make_token("root", "test", writes=True, days=1)
    with running(start_service(workspace), users=users, workers=2) as address, api_of(address) as client:
        headers = {"Authorization": f"Bearer {token}"}
        until(lambda: "panelist_workers 2.0" in client.get("metrics", headers=headers).text)
        for _ in range(3):
            answer = client.post("reviewers", json=ASKED, headers=headers)
            assert answer.status_code == 200, answer.text
            assert len(answer.json()["matches"]) == 5
        assert "total;dur=" in answer.headers["server-timing"]
        wrong = {"Authorization": "Bearer panelist_nonsense"}
        assert client.post("reviewers", json=ASKED, headers=wrong).status_code == 401
        figures = client.get("metrics", headers=headers).text
        assert re.search(r'panelist_requests_total\{method="POST",route="[^"]*/reviewers",status="200"\} 3\.0', figures)
        people = [match["author"]["id"] for match in answer.json()["matches"]]
        body = {"submissions": [ASKED["submission"] | {"id": "s1"}], "reviewers": people, "model": "bm25"}
        begun = client.post("affinity", json=body | {"background": True}, headers=headers)
        done = finished(lambda: client.get("jobs/" + begun.json()["id"], headers=headers).json())
        assert done["state"] == "done", done
        wrong = client.post("reviewers", json={"submission": {}}, headers=headers)
        assert wrong.status_code == 422


@pytest.mark.parametrize("role", [Role.READER, Role.CHAIR])
def test_who_may_not_see_the_editors_desk_is_answered_without_its_history_by_any_process(role):
    viewer = User("ada", roles={"": frozenset({role})})
    assert REQUEST.options.history == "auto"
    seen = SimpleNamespace(viewer=viewer, sees_desk=viewer.may(Permission.DESK))
    assert _allowed(seen, REQUEST).options.history == "off"
