"""Downloads from a busy or broken server: what is sat out, how long is waited, what is told and what is not."""

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from fetch_support import fetched, ids, works_server

from panelist.corpus.fetch.openalex import fetch_works
from panelist.http import client as http
from panelist.http.client import Client, FetchError, retry_after

PASSING = {
    "429": (429, {}, b""),
    "429 with Retry-After": (429, {"Retry-After": "0"}, b""),
    "500": (500, {}, b"oops"),
    "503": (503, {}, b""),
    "truncated JSON": (200, {}, b'{"meta": {"count": 10'),
    "broken connection": (200, {"Content-Length": "1000"}, b'{"meta":'),
}


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING)
def test_passing_trouble_is_sat_out(server, client, tmp_path, trouble):
    works_server(server, 7)
    server.queue = [trouble] * 3
    assert fetch_works(client, server.url, tmp_path, filter="x").complete
    assert fetched(tmp_path) == ids(7)
    assert [query["cursor"] for query in server.asked[:4]] == ["*"] * 4


@pytest.mark.parametrize(
    ("trouble", "message"),
    [
        ("500", r"answered 500 .*, 4 times: .*same command"),
        ("truncated JSON", r"not JSON.*, 4 times"),
        ("broken connection", r"the connection broke \(.*\), 4 times"),
    ],
)
def test_lasting_trouble_is_one_clear_line(server, client, trouble, message):
    server.queue = [PASSING[trouble]] * 4
    with pytest.raises(FetchError, match=message):
        client.get_json(server.url, {})
    assert len(server.asked) == 4


def test_retry_after_is_honoured_as_number_and_as_date():
    assert retry_after(None) is None
    assert retry_after("7") == 7
    assert retry_after("soon") is None
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < retry_after(later) <= 100
    assert retry_after(format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)) == 0


def test_waits_double_and_yield_to_retry_after(server, monkeypatch):
    waits = []
    monkeypatch.setattr(http.random, "uniform", lambda least, most: 1.0)
    server.queue = [(503, {}, b""), (503, {}, b""), (429, {"Retry-After": "30"}, b""), (503, {}, b""), (200, {}, b"{}")]
    with Client(rate=1e9, backoff=2.0) as client:
        monkeypatch.setattr(client._stopped, "wait", waits.append)
        client.get_json(server.url, {})
    assert waits == [2.0, 4.0, 30.0, 16.0]
    server.queue = [(429, {"Retry-After": "86400"}, b"")]
    with (
        Client() as client,
        pytest.raises(FetchError, match=r"86,400 s: .*same command"),
    ):
        client.get_json(server.url, {})


def test_requests_keep_their_distance(server, monkeypatch):
    waits, now = [], [0.0]
    monkeypatch.setattr(
        http.time, "sleep", lambda seconds: (waits.append(seconds), now.__setitem__(0, now[0] + seconds))
    )
    monkeypatch.setattr(http.time, "monotonic", lambda: now[0])
    server.answer = lambda path, query: (200, {}, b"{}")
    with Client(rate=10) as client:
        for _ in range(4):
            client.get_json(server.url, {})
    assert waits == pytest.approx([0, 0.1, 0.1, 0.1])


def test_keys_are_never_logged(server, client, tmp_path, caplog):
    works_server(server, 3)
    with caplog.at_level(logging.DEBUG):
        fetch_works(client, server.url, tmp_path, filter="x", api_key="secret")
    assert "secret" not in caplog.text
