"""Recall and precision of conflicts, on invented people who try every way around them: golden numbers."""

from pathlib import Path

import pytest
import yaml
from panel_support import at, make_finder, paper

from panelist.records import Author, Authorship, Institution, Submission
from retriever.lookup import Lookup
from retriever.search import Search

GOLDEN = yaml.safe_load((Path(__file__).parents[3] / "golden" / "conflicts.yaml").read_text())
WAYS = GOLDEN["ways"]
HUBS = {
    "hub": Author("hub", "Xenia Hub"),
    "hub2": Author("hub2", "Y. H.", "https://orcid.org/0000-0002-9079-593X"),
    "hub3": Author("hub3", "Elsa Hub"),
}


def institution(given):
    return Institution(given["name"], given.get("ror"))


def reviewer_papers():
    for number, way in enumerate(WAYS):
        one = way["reviewer"]
        institutions = (institution(one["institution"]),) if "institution" in one else ()
        people = [Authorship(Author(one["id"], one["name"], one.get("orcid")), institutions)]
        people += [Authorship(HUBS[one["with"]])] if "with" in one else []
        yield paper(f"p{number}", *people, year=one.get("year", 2019))


def submission(way):
    author = way.get("author", {})
    known = (Author(author["id"], author["name"], author.get("orcid")),) if "id" in author else ()
    names = (author["name"],) if author and "id" not in author else ()
    institutions = (institution(way["institution"]),) if "institution" in way else ()
    return Submission("s", "bleaching", "", known, names, institutions, year=2020)


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    """For each way, the reviewers who are marked: id -> certain or possible."""
    lookup = Lookup(size=99, search=Search(mode="lexical"), conflicts="flag")
    with make_finder(tmp_path_factory.mktemp("ways"), [*reviewer_papers(), paper("end", at("nobody"))]) as finder:
        panels = [finder.find(submission(way), lookup) for way in WAYS]
    assert all(len(panel.matches) == len(WAYS) + len(HUBS) + 1 for panel in panels)
    return [
        {
            match.author.id: "certain" if any(one.certain for one in match.conflicts) else "possible"
            for match in panel.matches
            if match.conflicts
        }
        for panel in panels
    ]


@pytest.mark.parametrize("number", range(len(WAYS)), ids=[way["way"] for way in WAYS])
def test_each_way_is_marked_as_it_should_be(marks, number):
    assert marks[number].get(WAYS[number]["reviewer"]["id"]) == WAYS[number]["found"]


def test_recall_and_precision_are_the_golden_ones(marks):
    planted = [way for way in WAYS if way["found"]]
    hits = sum(way["reviewer"]["id"] in found for way, found in zip(WAYS, marks, strict=True) if way["found"])
    # The author themselves, and whom they share an ORCID with, are marked too, and rightly.
    others = sum(len(found.keys() - {way["reviewer"]["id"], *HUBS}) for way, found in zip(WAYS, marks, strict=True))
    assert hits / len(planted) >= GOLDEN["recall"]
    assert hits / (hits + others) >= GOLDEN["precision"]
