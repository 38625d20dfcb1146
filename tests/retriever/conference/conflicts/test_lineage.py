"""Institutions that are part of others, and people who are known by their e-mail addresses, from reader to conflict."""

import pytest
from conflict_support import AUTHOR, COAUTHOR, INSTITUTION, look
from panel_support import at, ids, make_finder, paper, reasons

from panelist.corpus.readers.openalex import to_paper
from panelist.records import Author, Institution, Submission

SYSTEM, REEF, CLINIC, LAB, SISTER = (f"https://openalex.org/I{number}" for number in range(1, 6))
NAMES = {
    SYSTEM: "Universities of the Coast",
    REEF: "Reef University",
    CLINIC: "Coral Hospital",
    LAB: "Polyp Laboratory",
    SISTER: "Lagoon University",
}
PARENTS = {SYSTEM: [], REEF: [SYSTEM], CLINIC: [REEF, SYSTEM], LAB: [REEF, SYSTEM], SISTER: [SYSTEM]}


def work(key, **people):
    """An OpenAlex work: everybody is at the institution with this id."""
    return {
        "id": key,
        "title": "coral reef bleaching",
        "publication_year": 2019,
        "authorships": [
            {
                "author": {"id": name, "display_name": name.title()},
                "institutions": [
                    {
                        "id": where,
                        "display_name": NAMES[where],
                        "ror": f"https://ror.org/0{where[-1]}abcde12",
                        "country_code": "AU",
                        "lineage": [*PARENTS[where], where],
                    }
                ],
            }
            for name, where in people.items()
        ],
    }


PLACES = {"rector": REEF, "doctor": CLINIC, "biologist": LAB, "chancellor": SYSTEM, "rival": SISTER}


@pytest.fixture
def finder(tmp_path):
    papers = [to_paper(work(f"w{number}", **{who: where})) for number, (who, where) in enumerate(PLACES.items())]
    with make_finder(tmp_path, [*papers, to_paper(work("own", ann=CLINIC))]) as finder:
        yield finder


def test_the_reader_keeps_the_own_id_first():
    (authorship,) = to_paper(work("w", ann=CLINIC)).authorships
    assert authorship.institutions[0].lineage == f"{CLINIC} {REEF} {SYSTEM}"


def test_a_hospital_meets_its_university_but_not_its_sisters(finder):
    panel = finder.find(Submission("s", "bleaching", authors=(Author("ann", "Ann"),), year=2020), look(size=9))
    assert set(ids(panel)) == {"biologist", "rival"}  # another part of the university, and of the system
    evidence = {one.reviewer: one.evidence for one in panel.hidden}
    assert evidence["doctor"] == "at Coral Hospital in 2019, as Ann"
    assert evidence["rector"] == "at Reef University in 2019, as Ann, of Coral Hospital: one is part of the other"
    assert {one.reviewer for one in panel.hidden} == {"ann", "doctor", "rector", "chancellor"}


def test_a_university_meets_all_its_parts(finder):
    here = Institution("Reef University", "http://ror.org/02abcde12/")  # the lineage is known from the corpus
    panel = finder.find(Submission("s", "bleaching", institutions=(here,), year=2020), look(size=9))
    assert ids(panel) == ["rival"]
    lineage = Institution("Reef University", None, None, f"{REEF} {SYSTEM}")
    panel = finder.find(Submission("s", "bleaching", institutions=(lineage,), year=2020), look(size=9))
    assert ids(panel) == ["rival"]


def test_what_the_corpus_does_not_have_of_a_lineage_adds_nothing(finder):
    unknown = "https://openalex.org/I99"
    reef, system = {"ann", "biologist", "doctor", "rector"}, {"chancellor"}
    for lineage, hidden in ((f"{REEF} {unknown}", reef), (f"{unknown} {SYSTEM}", system)):
        here = Institution("Elsewhere", None, None, lineage)
        panel = finder.find(Submission("s", "bleaching", institutions=(here,), year=2020), look(size=9))
        assert {one.reviewer for one in panel.hidden} == hidden


def test_somebody_is_found_by_the_address_on_a_paper(tmp_path):
    papers = [
        paper("p1", at("a1", name="A. One", email="One@Reef.edu"), "mate", title="Coral one"),
        paper("p2", at("a2", name="B. Two", email="two@reef.edu"), title="Coral two"),
    ]
    with make_finder(tmp_path, papers) as finder:
        author = Author("one@reef.edu", "Somebody Else", email="one@reef.edu")
        panel = finder.find(Submission("s", "coral", authors=(author,), year=2020), look(size=9, conflicts="flag"))
    assert reasons(panel) == {"a1": {(AUTHOR, True)}, "mate": {(COAUTHOR, True)}, "a2": set()}
    assert INSTITUTION not in {kind for own in reasons(panel).values() for kind, _ in own}
