"""What is made of blobs stays in memory: made once, whoever asks meanwhile."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from panelist.app.desk.blobs import MadeOnce


def test_whoever_asks_while_it_is_made_waits_for_it():
    made, asked, calls = MadeOnce(2), threading.Barrier(8), []

    def ask(_):
        asked.wait()
        return made.get("key", make)

    def make():
        calls.append(threading.get_ident())
        threading.Event().wait(0.1)  # the others ask meanwhile
        return object()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert len(calls) == 1


def test_an_error_is_not_kept():
    made = MadeOnce(2)
    with pytest.raises(ZeroDivisionError):
        made.get("key", lambda: 1 / 0)
    assert made.get("key", lambda: 1) == 1


def test_what_was_asked_for_longest_ago_is_made_again():
    made = MadeOnce(2)
    for key in ("a", "b", "a", "c"):
        made.get(key, lambda key=key: key)
    assert [made.get(key, lambda: "again") for key in ("a", "c", "b")] == ["a", "c", "again"]
