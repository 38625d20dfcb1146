"""Downloads, against a server of our own: paging, resuming, busy and broken servers, damaged archives."""

import gzip
import io
import json
import logging
import tarfile
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from panelist.cli.main import main
from panelist.corpus.fetch import http
from panelist.corpus.fetch.goldstandard import fetch_goldstandard
from panelist.corpus.fetch.http import Client, FetchError, _retry_after
from panelist.corpus.fetch.openalex import fetch_works
from panelist.corpus.readers import openalex, semanticscholar
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError


class Server(ThreadingHTTPServer):
    """Answers from a queue of (status, headers, body), then from `answer(query)`; remembers what was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.queue, self.asked, self.answer = [], [], lambda path, query: (404, {}, b"")
        self.url = f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.server.asked.append(query)
        answer = self.server.queue.pop(0) if self.server.queue else self.server.answer(parts.path, query)
        status, headers, body = answer
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def client():
    with Client(rate=10_000, backoff=0.001, attempts=4, timeout=5) as client:
        yield client


def works_server(server, count, per_page=3):
    """Make the server an OpenAlex of `count` works, `per_page` a page; cursors are positions."""

    def answer(path, query):
        assert path == "/works"
        start = 0 if query["cursor"] == "*" else int(query["cursor"])
        results = [
            {"id": f"W{number}", "title": f"Title {number}"} for number in range(start, min(count, start + per_page))
        ]
        following = str(start + per_page) if results else None
        page = {"meta": {"count": count, "next_cursor": following}, "results": results}
        return 200, {"Content-Type": "application/json"}, json.dumps(page).encode()

    server.answer = answer


def fetched(directory):
    report = ReadReport()
    ids = [paper.id for paper in openalex.read([directory], report)]
    assert report.rejected == 0
    return ids


def ids(count):
    return [f"W{number}" for number in range(count)]


# OpenAlex


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
    with pytest.raises(FetchError, match=r"/works: the server answered 400 .* \(no more\)"):
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
    with pytest.raises(InputError, match=r"holds another download \(--filter x\)"):
        fetch_works(client, server.url, tmp_path / "a", filter="y")
    (tmp_path / "a/.fetch.json").write_text('{"filter": ')
    with pytest.raises(InputError, match="is damaged"):
        fetch_works(client, server.url, tmp_path / "a", filter="x")
    (tmp_path / "a/.fetch.json").unlink()
    with pytest.raises(InputError, match="parts of unknown origin"):
        fetch_works(client, server.url, tmp_path / "a", filter="x")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot create the directory .*file"):
        fetch_works(client, server.url, tmp_path / "file", filter="x")


def test_a_refused_query_leaves_no_trace_so_that_it_can_be_mended(server, client, tmp_path):
    server.answer = lambda path, query: (400, {}, b'{"error": "Invalid query", "message": "Unknown filter field: y"}')
    with pytest.raises(FetchError, match="Unknown filter field: y"):
        fetch_works(client, server.url, tmp_path, filter="y")
    works_server(server, 3)
    assert fetch_works(client, server.url, tmp_path, filter="x").works == 3


def test_a_missing_key_is_explained(server, client, tmp_path):
    server.answer = lambda path, query: (401, {}, b'{"message": "API key required"}')
    with pytest.raises(FetchError, match=r"\(API key required\): get a free key at .*, set PANELIST_OPENALEX_KEY"):
        fetch_works(client, server.url, tmp_path, filter="x")
    with pytest.raises(FetchError, match=r"\(API key required\)$"):
        fetch_works(client, server.url, tmp_path, filter="x", api_key="wrong")


def test_something_else_than_openalex_is_recognised(server, client, tmp_path):
    for body, message in ((b"[]", "expected a JSON object"), (b"{}", "no 'results' and 'meta'")):
        server.queue = [(200, {}, body)]
        with pytest.raises(FetchError, match=message):
            fetch_works(client, server.url, tmp_path, filter="x")


# A busy or broken server


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
        ("500", "the server answered 500 Internal Server Error, 4 times: run the same command again later"),
        ("truncated JSON", "the answer is not JSON, or cut off, 4 times"),
        ("broken connection", r"the connection broke \(.*\), 4 times"),
    ],
)
def test_lasting_trouble_is_one_clear_line(server, client, trouble, message):
    server.queue = [PASSING[trouble]] * 4
    with pytest.raises(FetchError, match=message):
        client.get_json(server.url, {})
    assert len(server.asked) == 4


def test_retry_after_is_honoured_as_number_and_as_date():
    assert _retry_after(None) is None
    assert _retry_after("7") == 7
    assert _retry_after("soon") is None
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    assert 90 < _retry_after(later) <= 100
    assert _retry_after(format_datetime(datetime.now(UTC) - timedelta(days=1), usegmt=True)) == 0


def test_waits_double_and_yield_to_retry_after(server, monkeypatch):
    waits = []
    monkeypatch.setattr(http.time, "sleep", waits.append)
    server.queue = [(503, {}, b""), (503, {}, b""), (429, {"Retry-After": "30"}, b""), (503, {}, b""), (200, {}, b"{}")]
    with Client(rate=1e9, backoff=2.0) as client:
        client.get_json(server.url, {})
    assert [wait for wait in waits if wait > 0.001] == [2.0, 4.0, 30.0, 16.0]
    server.queue = [(429, {"Retry-After": "86400"}, b"")]
    with (
        Client() as client,
        pytest.raises(FetchError, match="it asks to wait 86,400 s: run the same command again then"),
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


# The gold standard


def archive(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"niharshah-goldstandard-0123abc/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def dump(value):
    return json.dumps(value).encode()


NOTE = {"id": "s1", "content": {"title": "T1", "abstract": "A1"}}
RELEASE = {
    "README.md": b"# README",
    "data/.DS_Store": b"\0",
    "data/evaluations.csv": b"ParticipantID\tPaper1\tPaper2\tExpertise1\tExpertise2\n"
    b"7\ts2\ts3\t4.5\t2.0\n8\ts3\t\t1.0\t\n",
    "data/papers/s1.json": dump({"ssId": "s1", "title": "T1", "abstract": "A1", "authors": ["Ada"]}),
    "data/papers/s2.json": dump({"ssId": "s2", "title": "T2", "abstract": None, "authors": []}),
    "data/participants/7.json": dump({"authorId": "7", "name": "Ada", "papers": [{"paperId": "s1"}]}),
    "data/txts/s1.txt": b"Full text \xff",
    "data/txts/s1.json": dump({"full": 1}),
    "evaluation_datasets/d_20_1/archives/~7.jsonl": dump(NOTE) + b"\n",
    "evaluation_datasets/d_20_1/submissions.json": dump({"s2": {"id": "s2", "content": {"title": "T2"}}}),
    "evaluation_datasets/d_20_2/archives/~7.jsonl": dump(NOTE) + b"\n",
    "evaluation_datasets/d_20_1/reviewers/7.txt": b"ignored",
    "predictions/specter_mfr_d_20_1_ta.json": dump({"7": {"s2": 0.5, "s3": 0.25, "s1": 1.0}, "8": {}}),
    "predictions/tpms_d_full_20_5_f.json": dump({"8": {"s3": 2}}),
    "predictions/spector2_75.json_d_20_10_ta.json": dump({"7": {"s2": 9}}),
    "../outside.json": b"{}",
}


def read_gz(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_the_gold_standard_is_brought_into_the_layout_of_the_readers(server, client, tmp_path):
    body = archive(RELEASE)
    # As GitHub does it: the address of the archive is a redirection.
    server.answer = lambda path, query: (200, {}, body) if path == "/moved" else (302, {"Location": "/moved"}, b"")
    heard = []
    out = tmp_path / "gold"
    written = fetch_goldstandard(client, server.url, out, lambda done, total: heard.append((done, total)))
    assert heard[-1] == (len(body), len(body))
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == sorted(written)
    assert sorted(written) == [
        "evaluations.csv",
        "fulltexts.jsonl.gz",
        "openreview/d_20_1/archives/~7.jsonl",
        "openreview/d_20_1/submissions.json",
        "papers.jsonl.gz",
        "participants.jsonl.gz",
        "predictions.csv.gz",
        "profiles.jsonl.gz",
        "wordcounts.jsonl.gz",
    ]
    assert (out / "evaluations.csv").read_bytes() == RELEASE["data/evaluations.csv"]
    assert read_gz(out / "fulltexts.jsonl.gz") == [{"ssId": "s1", "text": "Full text \ufffd"}]
    assert read_gz(out / "wordcounts.jsonl.gz") == [{"ssId": "s1", "counts": {"full": 1}}]
    assert read_gz(out / "profiles.jsonl.gz") == [
        {"dataset": dataset, "reviewer": "7", "papers": ["s1"]} for dataset in ("d_20_1", "d_20_2")
    ]
    assert gzip.decompress((out / "predictions.csv.gz").read_bytes()).decode().splitlines() == [
        "algorithm,dataset,regime,reviewer,paper,score",
        "specter_mfr,d_20_1,ta,7,s2,0.5",
        "specter_mfr,d_20_1,ta,7,s3,0.25",
        "tpms,d_full_20_5,f,8,s3,2",
    ]
    report = ReadReport()
    papers = list(semanticscholar.read([out], report))
    assert [[authorship.author.id for authorship in paper.authorships] for paper in papers] == [["7"], []]
    assert [submission.id for submission in read_submissions(out / "openreview/d_20_1/submissions.json")] == ["s2"]
    assert report.rejected == 0


DAMAGED = {
    "cut off": (archive(RELEASE)[:-500], "cut off or damaged"),
    "cut off after the last file": (archive(RELEASE)[:-10], "cut off or damaged"),
    "not an archive": (b"<html>", "cut off or damaged"),
    "broken JSON": (archive(RELEASE | {"data/papers/s1.json": b"{"}), "cut off or damaged"),
    "another layout": (
        archive({"data/evaluations.csv": b""}),
        "nothing found for papers.jsonl.gz, participants.jsonl.gz",
    ),
}


@pytest.mark.parametrize(("body", "message"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_release_leaves_everything_as_it_was(server, client, tmp_path, body, message):
    server.answer = lambda path, query: (200, {}, archive(RELEASE))
    fetch_goldstandard(client, server.url, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    server.answer = lambda path, query: (200, {}, body)
    with pytest.raises(FetchError, match=message):
        fetch_goldstandard(client, server.url, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_download_that_breaks_is_tried_again(server, client, tmp_path):
    whole = archive(RELEASE)
    server.queue = [(200, {"Content-Length": str(len(whole))}, whole[:100]), (503, {}, b"")]
    server.answer = lambda path, query: (200, {}, whole)
    assert "papers.jsonl.gz" in fetch_goldstandard(client, server.url, tmp_path)


# The commands


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([*map(str, arguments)])
    shown = capsys.readouterr()
    return stop.value.code or 0, shown.out, shown.err


def test_the_commands_download_and_say_what_comes_next(server, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    monkeypatch.setenv("PANELIST_OPENALEX_KEY", "secret")
    monkeypatch.setenv("PANELIST_GOLDSTANDARD_URL", server.url)
    works_server(server, 4)
    code, out, err = run(capsys, "fetch", "openalex", "--filter", "x", "--out", tmp_path / "works")
    assert (code, err) == (0, "")
    assert out.splitlines() == ["4 works in 1 parts", f"next: panelist import openalex {tmp_path / 'works'}"]
    assert server.asked[0]["api_key"] == "secret"
    code, out, _ = run(capsys, "fetch", "openalex", "--filter", "x", "--out", tmp_path / "works", "--json")
    assert json.loads(out) == {
        "works": 4,
        "total": 4,
        "parts": 1,
        "complete": True,
        "directory": str(tmp_path / "works"),
    }
    server.answer = lambda path, query: (200, {}, archive(RELEASE))
    code, out, err = run(capsys, "fetch", "goldstandard", "--out", tmp_path / "gold", "--json")
    assert (code, err) == (0, "")
    assert "papers.jsonl.gz" in json.loads(out)["files"]


@pytest.mark.parametrize("command", [["openalex", "--filter", "x"], ["goldstandard"]], ids=lambda command: command[0])
def test_a_refused_connection_is_one_line(capsys, tmp_path, monkeypatch, command):
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as closed:
        address = f"http://127.0.0.1:{closed.server_port}"
    monkeypatch.setenv("PANELIST_OPENALEX_URL", address)
    monkeypatch.setenv("PANELIST_GOLDSTANDARD_URL", address)
    code, out, err = run(capsys, "fetch", *command, "--out", tmp_path / "out")
    assert (code, out) == (2, "")
    assert err.startswith("error: cannot reach 127.0.0.1: ")
    assert err.count("\n") == 1
