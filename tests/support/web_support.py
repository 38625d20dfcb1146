"""Servers for tests: over the demo corpus without weights or Java, in this process or in one of their own."""

import threading
from contextlib import contextmanager

import httpx2
import uvicorn
from indexing_support import load_hashing
from waiting import PATIENCE, until

from indexing.jobs.build import IndexJobs
from panelist.app.demo import corpus
from panelist.app.web.app import create_app
from panelist.app.web.connections import GuardedProtocol
from panelist.app.web.service import FinderService
from panelist.workspace import Workspace


def make_workspace(directory, papers=None, mongo=None):
    """A workspace with an index over `papers`, else over the demo's; its corpus in MongoDB where a server is given."""
    workspace = Workspace.at(directory) if mongo is None else Workspace(directory, mongo)
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus() if papers is None else papers)
    build(workspace)
    return workspace


def build(workspace):
    """Build the index anew."""
    with workspace.open_corpus() as store:
        IndexJobs(workspace.index_path, load=load_hashing).build(store, encoder="hashing", engine="bm25s")


def start_service(workspace, seconds=3600):
    """A service that has been started; it looks for another index every `seconds`, so in most tests never."""
    service = FinderService(workspace, load=load_hashing, seconds=seconds)
    service.start()
    return service


@contextmanager
def running(service, token=None, http=GuardedProtocol, port=0, **more):
    """A real server in a thread, on a free port of this machine unless one is given; its address."""
    app = create_app(service, token, **more)
    config = uvicorn.Config(app, port=port, log_level="warning", ws="none", http=http)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until(lambda: server.started or not thread.is_alive())
        assert server.started, "the server does not start"
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        with api_of(address) as api:
            assert api.get("health").status_code == 200
        yield address
    finally:
        server.should_exit = True
        thread.join(timeout=60)


def api_of(address, path="", **more):
    """A client of the API of a server, or of what is below a path of it, that waits for a busy machine."""
    return httpx2.Client(base_url=f"{address}/api/v1/{path}", timeout=PATIENCE, **more)


def pdf(*lines, title=None):
    """A PDF file of one page: each line is (size, text)."""
    commands, height = ["BT"], 760
    for size, text in lines:
        shown = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        commands.append(f"/F1 {size} Tf 1 0 0 1 60 {height} Tm ({shown}) Tj")
        height -= size + 6
    stream = "\n".join([*commands, "ET"]).encode("latin-1")
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title (%s) >>" % (title or "").encode("latin-1"),
    ]
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, len(out))
    return out + head + table + tail
