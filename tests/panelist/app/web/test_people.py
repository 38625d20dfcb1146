"""What the corpus knows: people and papers by id and name, and where their links lead."""

import pytest

from panelist.app.demo import corpus
from panelist.corpus.reference_keys import paper_link
from panelist.records import Paper


def test_people_and_papers_by_id_and_name(client):
    paper = corpus()[0]
    first = paper.authorships[0].author
    person = client.get(f"/api/v1/authors/{first.id}").json()
    assert person["author"]["name"] == first.name
    assert paper.id in {one["id"] for one in person["papers"]}
    assert person["paper_count"] == len(person["papers"])
    assert client.get(f"/api/v1/papers/{paper.id}").json()["abstract"] == paper.abstract
    named = client.get("/api/v1/authors", params={"name": first.name.upper()}).json()
    assert first.id in {one["author"]["id"] for one in named}
    assert client.get("/api/v1/authors", params={"name": "Nobody At All"}).json() == []
    missing = client.get("/api/v1/papers/https%3A%2F%2Fopenalex.org%2FW1")
    assert missing.status_code == 404
    assert "https://openalex.org/W1" in missing.json()["detail"]


@pytest.mark.parametrize(
    ("paper", "wanted"),
    [
        ({"doi": "https://doi.org/10.5555/x"}, "https://doi.org/10.5555/x"),
        ({"doi": "10.5555/X"}, "https://doi.org/10.5555/x"),
        ({"doi": "javascript:alert(1)"}, None),
        ({"id": "https://openalex.org/W1"}, "https://openalex.org/W1"),
        ({"id": "javascript:alert(1)"}, None),
    ],
)
def test_links_lead_to_the_web_only(paper, wanted):
    assert paper_link(Paper(**{"id": "p", "title": ""} | paper)) == wanted
