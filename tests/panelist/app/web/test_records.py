"""A submission from a DOI or a record: in the corpus, as pasted, and elsewhere only with --online and when told to."""

import json

import pytest
from fastapi.testclient import TestClient
from web_support import make_workspace, start_service

from panelist.app import limits
from panelist.app.demo import corpus
from panelist.app.web.app import create_app

KNOWN = next(paper for paper in corpus()[:60] if paper.doi and paper.abstract)
WORK = {"id": "https://openalex.org/W1", "title": "From afar", "abstract": "Text", "authorships": []}
HEX = "0796f6cd7f0403a854d67d525e9b32af3b277331"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), corpus()[:60])


def client_of(workspace, **options):
    app = create_app(start_service(workspace), **options)
    return TestClient(app, base_url="http://localhost")


def ask(client, text, **more):
    return client.post("/api/v1/records", json={"text": text, **more})


def test_a_doi_of_the_corpus_fills_a_submission(workspace):
    with client_of(workspace) as client:
        answer = ask(client, f"https://doi.org/{KNOWN.doi.upper().removeprefix('HTTPS://DOI.ORG/')}").json()
        assert (answer["kind"], answer["host"]) == ("doi", None)
        found = answer["found"]
        assert (found["title"], found["abstract"], found["source"]) == (KNOWN.title, KNOWN.abstract, "the corpus")
        assert [one["id"] for one in found["authors"]] == [one.author.id for one in KNOWN.authorships]
        submission = {name: found[name] for name in ("title", "abstract", "author_names", "references")}
        submission["authors"] = [{"id": one["id"], "name": one["name"]} for one in found["authors"]]
        assert client.post("/api/v1/reviewers", json={"submission": submission}).status_code == 200


def test_a_pasted_record_keeps_orcids_and_institutions_and_nobody_is_cut_off(workspace):
    author = {"id": "https://openalex.org/A9", "display_name": "Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"}
    place = {"display_name": "Reef University", "ror": "https://ror.org/05aaaaa11", "country_code": "AU"}
    work = {**WORK, "authorships": [{"author": author, "institutions": [place]}]}
    with client_of(workspace) as client:
        found = ask(client, json.dumps(work)).json()["found"]
        assert found["authors"] == [{"id": author["id"], "name": "Ada", "orcid": author["orcid"]}]
        assert found["institutions"] == [{"name": "Reef University", "ror": place["ror"], "country": "AU"}]
        many = [{"author": {"id": f"A{number}", "display_name": "X"}} for number in range(501)]
        refused = ask(client, json.dumps({**WORK, "authorships": many}))
        assert (refused.status_code, "more than 500 authors" in refused.json()["detail"]) == (422, True)


def test_without_online_nobody_is_asked(workspace, server, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    with client_of(workspace) as client:
        assert ask(client, "10.5555/unknown").json() == {"kind": "doi", "found": None, "host": None}
        refused = ask(client, "10.5555/unknown", elsewhere=True)
        assert refused.status_code == 403
        assert "asks nobody else" in refused.json()["detail"]
        pasted = ask(client, json.dumps(WORK)).json()
        assert (pasted["kind"], pasted["found"]["source"]) == ("record", "what was pasted")
        assert ask(client, "coral reefs").status_code == 422
    assert server.asked == []


def test_online_the_host_is_named_first_and_asked_only_then(workspace, server, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    monkeypatch.setenv("PANELIST_SEMANTICSCHOLAR_URL", server.url)
    paths = []

    def answer(path, query):
        paths.append(path)
        if path == "/works/doi:10.5555/afar":
            return 200, {}, json.dumps(WORK).encode()
        if path == f"/paper/{HEX}":
            return 200, {}, json.dumps({"paperId": HEX, "title": "S2", "authors": [{"name": "Ada"}]}).encode()
        return 404, {}, b"{}"

    server.answer = answer
    with client_of(workspace, online=True) as client:
        first = ask(client, "10.5555/AFAR").json()
        assert (first["found"], first["host"]) == (None, "127.0.0.1")
        assert paths == []
        second = ask(client, "10.5555/AFAR", elsewhere=True).json()
        assert (second["found"]["title"], second["found"]["source"]) == ("From afar", "127.0.0.1")
        assert ask(client, HEX, elsewhere=True).json()["found"]["author_names"] == ["Ada"]
        assert ask(client, "W404", elsewhere=True).json() == {"kind": "openalex", "found": None, "host": "127.0.0.1"}
        asked = len(paths)
        assert ask(client, KNOWN.doi, elsewhere=True).json()["found"]["source"] == "the corpus"
        assert len(paths) == asked == 3
        server.answer = lambda path, query: (500, {"Retry-After": "0"}, b"")
        broken = ask(client, "W5", elsewhere=True)
        assert broken.status_code == 503
        assert "500" in broken.json()["detail"]


def test_online_nobody_else_is_asked_and_little_is_read(workspace, server, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    with client_of(workspace, online=True) as client:
        server.answer = lambda path, query: (302, {"Location": "http://elsewhere.example/works/W1"}, b"")
        led_away = ask(client, "W1", elsewhere=True)
        assert led_away.status_code == 503
        assert "leads to elsewhere.example, which nobody named" in led_away.json()["detail"]
        server.answer = lambda path, query: (200, {}, b" " * (limits.RECORD_ELSEWHERE + 1))
        large = ask(client, "W1", elsewhere=True)
        assert large.status_code == 503
        assert "larger than 8 MB" in large.json()["detail"]
        moved = [(302, {"Location": "/works/W2"}, b""), (200, {}, json.dumps(WORK).encode())]
        server.answer = lambda path, query: moved.pop(0)  # of two works that OpenAlex has merged
        assert ask(client, "W1", elsewhere=True).json()["found"]["title"] == "From afar"
        asked = len(server.asked)
        assert ask(client, "10.5555/../../authors/A1", elsewhere=True).status_code == 422
        assert len(server.asked) == asked
