"""A committee from OpenAlex: who is found and who stays open, merged ids, busy servers, resuming, what is sent."""

import csv
import json

import pytest

AUTHORS = {
    "A1": ("Ada Berg", "0000-0001-0000-0001", "Lake University"),
    "A2": ("Ben Ito", None, "Harbour Institute"),
    "A3": ("Ben Ito", None, "Hill College"),
    "A9": ("Cid Roy", None, "Hill College"),
    "A4": ("Dee Fox", "0000-0004-0000-0004", "Lake University"),
}
LIST = """name,email,orcid,institution,id
Ada Berg,ada@lake.example,0000-0001-0000-0001,,
Ben Ito,ben@harbour.example,,Harbour Institute,
Ben Ito,ben2@example.org,,,
Cid Roy,cid@hill.example,,,https://openalex.org/A8
Dee Fox,dee@lake.example,0000-0009-0000-0009,Lake University,
Nobody Known,no@example.org,,,
"""


def author(key):
    name, orcid, place = AUTHORS[key]
    places = [{"display_name": place}]
    return {"id": f"https://openalex.org/{key}", "display_name": name, "orcid": orcid, "works_count": 3} | {
        "display_name_alternatives": [],
        "last_known_institutions": places,
    }


def answer(path, query):
    """OpenAlex's shapes: A8 was merged into A9, two works on each page."""
    if path == "/authors/A8":
        return 301, {"Location": "/authors/A9"}, b""
    if path.startswith("/authors/"):
        return 200, {}, json.dumps(author(path.rpartition("/")[2])).encode()
    if path == "/authors" and "filter" in query:
        found = [key for key, (_, orcid, _) in AUTHORS.items() if orcid and orcid in query["filter"]]
        return 200, {}, json.dumps({"meta": {}, "results": [*map(author, found)]}).encode()
    if path == "/authors":
        found = [key for key, (name, _, _) in AUTHORS.items() if name == query["search"]]
        return 200, {}, json.dumps({"meta": {}, "results": [*map(author, found)]}).encode()
    start = 0 if query["cursor"] == "*" else int(query["cursor"])
    ids = query["filter"].partition(":")[2].split("|")
    works = [
        {"id": f"W{key}", "title": f"By {key}", "authorships": [{"author": {"id": key, "display_name": key}}]}
        for key in ids
    ][start : start + 2]
    page = {"meta": {"count": len(ids), "next_cursor": str(start + 2) if works else None}, "results": works}
    return 200, {}, json.dumps(page).encode()


@pytest.fixture
def ask(server, tmp_path, monkeypatch, panelist):
    server.answer = answer
    monkeypatch.setenv("PANELIST_OPENALEX_URL", server.url)
    (tmp_path / "pc.csv").write_text(LIST)
    arguments = ("openalex", "authors", tmp_path / "pc.csv", "--out", tmp_path / "out")
    return lambda *more: panelist(*arguments, *more)


def read(path):
    return list(csv.reader(path.read_text().splitlines()))


ALLOWED = ("--online", "--mailto", "chair@example.org", "--json")


def test_people_and_their_works(server, ask, tmp_path):
    server.queue += [(429, {"Retry-After": "0"}, b""), (503, {"Retry-After": "0"}, b"")]
    code, out, said = ask(*ALLOWED)
    assert code == 0, said
    counts = {name: json.loads(out)[name] for name in ("people", "found", "open", "works")}
    assert counts == {"people": 6, "found": 3, "open": 2, "works": 3}
    rows = read(tmp_path / "out/reviewers.csv")
    assert [(row[0].rpartition("/")[2], row[3]) for row in rows[1:]] == [
        ("A1", "orcid"),
        ("A2", "name and institution"),
        ("A9", "id"),  # where the works of A8 are now
    ]
    still_open = read(tmp_path / "out/open.csv")
    assert [(row[0], row[2], row[3][-2:]) for row in still_open[1:]] == [
        ("Ben Ito", "open", "A2"),
        ("Ben Ito", "open", "A3"),
        ("Dee Fox", "open", "A4"),  # of this name and place, but with another ORCID
        ("Nobody Known", "not found", ""),
    ]
    sent = json.dumps(server.asked)
    assert "chair@example.org" in sent
    assert not any(row.split(",")[1] in sent for row in LIST.splitlines()[1:])  # nobody's address but the asker's
    asked = len(server.asked)
    assert ask(*ALLOWED)[0] == 0  # again: all that is asked is whether there is more
    assert len(server.asked) == asked


def test_an_interrupted_call_goes_on_where_it_stopped(server, ask, tmp_path):
    server.answer = lambda path, query: (403, {}, b"") if query.get("search") == "Nobody Known" else answer(path, query)
    code, _, said = ask(*ALLOWED)
    assert (code, said.count("\n")) == (2, 1), said
    asked = len(server.asked)
    server.answer = answer
    assert ask(*ALLOWED)[0] == 0
    again = server.asked[asked:]
    assert [query["search"] for query in again if "search" in query] == ["Nobody Known"]


def test_nothing_is_sent_unasked(server, ask, tmp_path):
    for more in ((), ("--online",), ("--mailto", "chair@example.org")):
        code, _, said = ask(*more)
        assert (code, "names and ORCIDs of 6 people to 127.0.0.1" in said) == (2, True), said
    assert (server.asked, (tmp_path / "out").exists()) == ([], False)
