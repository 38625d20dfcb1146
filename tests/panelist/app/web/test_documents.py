"""Title and abstract of a manuscript that is sent as a PDF file."""

import pytest
from web_support import pdf


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
    found = client.post("/api/v1/pdf", content=manuscript, headers={"content-type": "application/pdf"}).json()
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
    response = client.post("/api/v1/pdf", content=content, headers={"content-type": kind})
    assert response.status_code == status
    assert response.json()["detail"]
