"""Title and abstract of a manuscript that is sent as a PDF file, and references that are sent as BibTeX."""

import pytest
from web_support import pdf

from indexing.tables.names import name_code
from panelist.corpus.readers.bibliography.printed import read_entry


def test_a_pdf_gives_title_and_abstract(client):
    manuscript = pdf(
        (9, "Journal of Invented Results, 2024"),
        (20, "Tidal mixing sets the pace of"),
        (20, "plankton blooms"),
        (11, "Ada Example and Bob Sample"),
        (13, "Abstract"),
        (10, "We measured how tides stir shallow seas and how soon plank-"),
        (10, "ton answers. Blooms follow within three days."),
        (13, "1 Introduction"),
        (10, "The sea is never still."),
        title="untitled.docx",
    )
    found = client.post("/api/v1/manuscript", content=manuscript, headers={"content-type": "application/pdf"}).json()
    assert found["title"] == "Tidal mixing sets the pace of plankton blooms"
    assert found["abstract"].startswith("We measured how tides")
    assert found["abstract"].endswith("three days.")
    assert "plankton answers" in found["abstract"]
    assert found["pages"] == 1


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"GIF89a", "application/pdf", 422),
        (b"%PDF-1.4\nnothing of the kind", "application/pdf", 422),
        (b"%PDF-1.4", "text/plain", 415),
    ],
)
def test_what_is_no_pdf_is_refused(client, content, kind, status):
    response = client.post("/api/v1/manuscript", content=content, headers={"content-type": kind})
    assert response.status_code == status
    assert response.json()["detail"]


BIBTEX = """
@article{a, author = {Lovelace, Ada and Ch{\\^a}telet, {\\'E}milie du}, year = 2017, doi = {10.1234/A},
  title = {Of tides and of storms in winter}}
@book{b, author = {Somerville, Mary}, title = {Of salt and of kelp in summer}}
"""


def test_a_bibliography_gives_lines_that_are_read_as_the_same_references(client):
    headers = {"content-type": "application/x-bibtex"}
    lines = client.post("/api/v1/bibliography", content=BIBTEX.encode(), headers=headers).json()["references"]
    first, second = map(read_entry, lines)
    assert (first.title, first.year, first.doi) == ("Of tides and of storms in winter", 2017, "10.1234/a")
    assert [name_code(name).key for name in first.authors] == ["a lovelace", "e chatelet"]
    assert (second.title, second.year, second.doi) == ("Of salt and of kelp in summer", None, None)
    assert [name_code(name).key for name in second.authors] == ["m somerville"]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"nothing of the kind", "application/x-bibtex", 422),
        (b"\x00\xff\xd8", "application/nbib", 422),
        (BIBTEX.encode(), "text/plain", 415),
    ],
)
def test_what_is_no_bibliography_is_refused(client, content, kind, status):
    response = client.post("/api/v1/bibliography", content=content, headers={"content-type": kind})
    assert response.status_code == status
    assert response.json()["detail"]
