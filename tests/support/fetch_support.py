"""A server of our own for tests of downloads: an OpenAlex, the release of the gold standard, trouble on demand."""

import io
import json
import tarfile
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.http.client import Client


class Server(ThreadingHTTPServer):
    """Answers from a queue of (status, headers, body), then from `answer(query)`; remembers what was asked."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.queue, self.asked, self.answer = [], [], lambda path, query: (404, {}, b"")
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
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


@contextmanager
def serving():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def quick_client():
    """A client that hardly waits."""
    return Client(rate=10_000, backoff=0.001, attempts=4, timeout=5)


def works_server(server, count, per_page=3):
    """Make the server an OpenAlex of `count` works, `per_page` of them per page; cursors are positions."""

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
