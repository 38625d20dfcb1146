"""Works from OpenAlex: paging, parts, downloads that go on where they stopped, refusals."""

import pytest
from fetch_support import fetched, ids, works_server

from panelist.corpus.fetch.openalex import fetch_works
from panelist.errors import InputError
from panelist.http.client import FetchError


def test_all_pages_arrive_in_a_form_that_the_reader_reads(server, client, tmp_path):
    works_server(server, 10)
    heard = []
    state = fetch_works(
        client,
        server.url + "/",
        tmp_path / "out",
        filter="type:article",
        search="peer review",
        mailto="ada@example.org",
        api_key="secret",
        progress=lambda works, total: heard.append((works, total)),
    )
    assert (state.works, state.total, state.parts, state.complete) == (10, 10, 1, True)
    assert fetched(tmp_path / "out") == ids(10)
    assert [query["cursor"] for query in server.asked] == ["*", "3", "6", "9", "12"]
    first = server.asked[0]
    assert {name: first[name] for name in ("filter", "search", "mailto", "api_key", "per_page")} == {
        "filter": "type:article",
        "search": "peer review",
        "mailto": "ada@example.org",
        "api_key": "secret",
        "per_page": "100",
    }
    assert heard[0] == (0, None)
    assert heard[-1] == (10, 10)
    saved = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"secret" not in saved


def test_parts_have_a_bounded_size(server, client, tmp_path, monkeypatch):
    monkeypatch.setattr("panelist.corpus.fetch.openalex._PART", 4)
    works_server(server, 14)
    state = fetch_works(client, server.url, tmp_path, filter="x")
    assert [path.name for path in sorted(tmp_path.glob("*.gz"))] == [
        f"part_{number:06}.jsonl.gz" for number in range(3)
    ]
    assert (state.parts, fetched(tmp_path)) == (3, ids(14))


@pytest.mark.parametrize("part", [2_000, 3], ids=["within a part", "between parts"])
def test_an_interrupted_download_goes_on_where_it_stopped(server, client, tmp_path, monkeypatch, part):
    monkeypatch.setattr("panelist.corpus.fetch.openalex._PART", part)
    works_server(server, 10)
    answer, pages = server.answer, []

    def fail_after_two(path, query):
        pages.append(query)
        return answer(path, query) if len(pages) <= 2 else (400, {}, b'{"message": "no more"}')

    server.answer = fail_after_two
    with pytest.raises(FetchError, match=r"/works: .*answered 400 .* \(no more\)"):
        fetch_works(client, server.url, tmp_path, filter="x")
    assert fetched(tmp_path) == ids(6)
    server.answer = answer
    server.asked.clear()
    assert fetch_works(client, server.url, tmp_path, filter="x").complete
    assert server.asked[0]["cursor"] == "6"
    assert fetched(tmp_path) == ids(10)
    server.asked.clear()
    assert fetch_works(client, server.url, tmp_path, filter="x").works == 10
    assert server.asked == []


def test_ctrl_c_keeps_what_came(server, client, tmp_path):
    works_server(server, 10)

    def interrupt(works, total):
        if works >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch_works(client, server.url, tmp_path, filter="x", progress=interrupt)
    assert fetched(tmp_path) == ids(6)
    fetch_works(client, server.url, tmp_path, filter="x")
    assert fetched(tmp_path) == ids(10)


def test_a_limit_can_be_raised_later(server, client, tmp_path):
    works_server(server, 10)
    state = fetch_works(client, server.url, tmp_path, filter="x", limit=4)
    assert (state.works, state.complete) == (6, False)
    fetch_works(client, server.url, tmp_path, filter="x", limit=100)
    assert fetched(tmp_path) == ids(10)


def test_a_directory_holds_one_download(server, client, tmp_path):
    works_server(server, 3)
    fetch_works(client, server.url, tmp_path / "a", filter="x")
    with pytest.raises(InputError, match=r"another download \(filter x\).* another directory"):
        fetch_works(client, server.url, tmp_path / "a", filter="y")
    (tmp_path / "a/.fetch.json").write_text('{"filter": ')
    with pytest.raises(InputError, match="is damaged"):
        fetch_works(client, server.url, tmp_path / "a", filter="x")
    (tmp_path / "a/.fetch.json").unlink()
    with pytest.raises(InputError, match="parts of unknown origin"):
        fetch_works(client, server.url, tmp_path / "a", filter="x")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file': .*give a directory"):
        fetch_works(client, server.url, tmp_path / "file", filter="x")


def test_a_refused_query_leaves_no_trace_so_that_it_can_be_mended(server, client, tmp_path):
    server.answer = lambda path, query: (400, {}, b'{"error": "Invalid query", "message": "Unknown filter field: y"}')
    with pytest.raises(FetchError, match="Unknown filter field: y"):
        fetch_works(client, server.url, tmp_path, filter="y")
    works_server(server, 3)
    assert fetch_works(client, server.url, tmp_path, filter="x").works == 3


def test_a_missing_key_is_explained(server, client, tmp_path):
    server.answer = lambda path, query: (401, {}, b'{"message": "API key required"}')
    with pytest.raises(FetchError, match=r"key required.* PANELIST_OPENALEX_KEY"):
        fetch_works(client, server.url, tmp_path, filter="x")
    with pytest.raises(FetchError, match=r"\(API key required\)$"):
        fetch_works(client, server.url, tmp_path, filter="x", api_key="wrong")


def test_something_else_than_openalex_is_recognised(server, client, tmp_path):
    for body, message in ((b"[]", "expected a JSON object"), (b"{}", "no 'results' and 'meta'")):
        server.queue = [(200, {}, body)]
        with pytest.raises(FetchError, match=message):
            fetch_works(client, server.url, tmp_path, filter="x")
