"""Manuscripts go to a GROBID server only where its address is given, and this is said before."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from web_support import pdf

from panelist.app.manuscripts import extract
from panelist.app.web.pages import PAGES, render
from panelist.errors import InputError

TEI = b"""<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title level="a">Notes on engines</title>
</titleStmt>
<sourceDesc><biblStruct><analytic><author><persName><forename type="first">Ada</forename><surname>Lovelace</surname>
</persName>
<email>ada@x.example</email></author></analytic></biblStruct></sourceDesc></fileDesc>
<profileDesc><abstract><p>Engines weave.</p></abstract></profileDesc></teiHeader>
<text><back><listBibl><biblStruct><analytic><title level="a">Looms</title><author><persName><forename>J</forename>
<surname>Jacquard</surname></persName></author><idno type="DOI">10.5/x</idno></analytic><monogr>
<title level="j">Silk</title>
<imprint><date type="published" when="1804"/></imprint></monogr></biblStruct>
<biblStruct><note type="raw_reference">Babbage C. Engines. 1822.</note></biblStruct></listBibl></back></text></TEI>"""
MANUSCRIPT = pdf((20, "A title of some length"), (10, "Abstract"), (10, "We show that reefs bleach."))


@pytest.fixture
def grobid(monkeypatch):
    """A server that answers with TEI, and keeps what it was sent."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            self.server.sent.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(self.server.status)
            self.end_headers()
            self.wfile.write(self.server.answer)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.sent, server.answer, server.status = [], TEI, 200
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PANELIST_GROBID_URL", f"http://user:secret@127.0.0.1:{server.server_port}/")
    yield server
    server.shutdown()
    server.server_close()


def test_a_server_reads_the_manuscript(grobid):
    assert extract(MANUSCRIPT) == {
        "title": "Notes on engines",
        "authors": ["Ada Lovelace"],
        "abstract": "Engines weave.",
        "references": ["J Jacquard. Looms. Silk. 1804. 10.5/x", "Babbage C. Engines. 1822."],
        "pages": 1,
        "sure": dict.fromkeys(("title", "authors", "abstract", "references"), "fair"),
    }
    ((path, sent),) = grobid.sent
    assert (path, MANUSCRIPT in sent) == ("/api/processFulltextDocument", True)


def test_an_answer_that_cannot_be_used_is_told_without_the_password(grobid):
    for grobid.answer, grobid.status in ((b"<html>", 200), (b"", 503)):
        with pytest.raises(InputError, match=r"GROBID at http://127\.0\.0\.1") as error:
            extract(MANUSCRIPT)
        assert "secret" not in str(error.value)


def test_the_page_names_the_server_before_anything_is_sent(grobid):
    page = render(PAGES[0], {})
    assert f"sent to the GROBID server at http://127.0.0.1:{grobid.server_port}/" in page
    assert "secret" not in page


def test_without_an_address_nothing_is_sent_and_nothing_is_said(monkeypatch):
    monkeypatch.delenv("PANELIST_GROBID_URL", raising=False)
    assert extract(MANUSCRIPT)["title"] == "A title of some length"
    assert "GROBID" not in render(PAGES[0], {})
