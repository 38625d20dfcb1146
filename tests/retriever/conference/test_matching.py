"""Finding the people of a list in the corpus."""

import pytest
from panel_support import make_finder

from eval.benchmarks.committee import matched_shares
from panelist.corpus.readers.committee import people_list
from panelist.records import Author, Authorship, Institution, Paper
from retriever.conference.matching import PeopleMatcher, decisions

TURIN, BATH = Institution("University of Turin"), Institution("University of Bath")


def _paper(number, *authors):
    team = tuple(Authorship(author, places) for author, *places in ((a, *p) for a, p in authors))
    return Paper(f"p{number}", f"Title number {number} of the corpus", "An abstract.", 2000 + number, team)


ADA = Author("a1", "Ada Lovelace", "0000-0002-1825-0097", "ada@turin.it")
WEI, OTHER_WEI = Author("w1", "Wei Wang"), Author("w2", "Wei Wang")
MARY, CARL = Author("m1", "Mary Somerville"), Author("c1", "Carl Gustav Mosander")
CROWD = [Author(f"x{n}", f"{given} Wang") for n, given in enumerate(["Wei", "Wen", "Wu", "Wo"] * 5)]


@pytest.fixture(scope="module")
def matcher(tmp_path_factory):
    papers = [
        _paper(1, (ADA, [TURIN]), (MARY, [BATH])),
        _paper(2, (WEI, [TURIN])),
        _paper(3, (OTHER_WEI, [BATH])),
        _paper(4, (CARL, [BATH])),
        *(_paper(10 + n, (author, [])) for n, author in enumerate(CROWD[4:])),
    ]
    with make_finder(tmp_path_factory.mktemp("matching"), papers) as finder:
        yield PeopleMatcher(finder.index, finder.corpus)


def _match(matcher, text, decided=None):
    return matcher.match(people_list(text), decided)


def test_an_orcid_or_an_address_finds_somebody_for_certain(matcher):
    by_orcid, by_address = _match(
        matcher, "name,orcid,email\nA. King,https://orcid.org/0000-0002-1825-0097,\nA. King,,ADA@turin.it"
    )
    for match, word in ((by_orcid, "ORCID"), (by_address, "address")):
        assert (match.state, match.chosen) == ("certain", ("a1",))
        assert word in match.profiles[0].evidence[0]


def test_a_rare_name_finds_somebody_probably(matcher):
    (match,) = _match(matcher, "Mary Somerville <mary@example.org>")
    assert (match.state, match.chosen) == ("probable", ("m1",))
    profile = match.profiles[0]
    assert (profile.papers, profile.first_year, profile.institution) == (1, 2001, "University of Bath")
    assert profile.titles == ("Title number 1 of the corpus",)


def test_several_of_one_name_are_left_open(matcher):
    (match,) = _match(matcher, "Wei Wang <ww@example.org>")
    assert (match.state, match.chosen) == ("open", ())
    assert {"w1", "w2"} <= {profile.author.id for profile in match.profiles}


@pytest.mark.parametrize(
    ("line", "found"), [("Wei Wang,ww@bath.ac.uk,", "w2"), ("Wei Wang,,University of Turin", "w1")]
)
def test_an_institution_or_the_domain_of_the_address_tells_namesakes_apart(matcher, line, found):
    (match,) = _match(matcher, f"name,email,institution\n{line}")
    assert (match.state, match.chosen) == ("probable", (found,))
    assert "works at" in match.profiles[0].evidence[0]


def test_papers_with_others_of_the_list_count(matcher):
    matches = _match(matcher, "name,orcid\nAda Lovelace,0000-0002-1825-0097\nM. Somerville,")
    assert (matches[1].state, matches[1].chosen) == ("probable", ("m1",))
    assert matches[1].profiles[0].evidence == ("wrote with 1 other of the list",)


def test_initials_alone_are_left_open(matcher):
    (match,) = _match(matcher, "C. Mosander <cm@example.org>")
    assert (match.state, [profile.author.id for profile in match.profiles]) == ("open", ["c1"])


def test_nobody_is_found_for_a_stranger(matcher):
    (match,) = _match(matcher, "Grace Hopper <grace@example.org>")
    assert (match.state, match.profiles) == ("none", ())


def test_what_was_decided_is_remembered_by_the_address(matcher):
    decided = decisions(people_list("reviewer,email\nw1,WW@example.org\nw2,ww@example.org"))
    (match,) = _match(matcher, "Wei Wang <ww@example.org>", decided)
    assert (match.state, match.chosen) == ("certain", ("w1", "w2"))
    (match,) = _match(matcher, "Wei Wang <ww@example.org>", {"ww@example.org": []})
    assert (match.state, match.chosen) == ("none", ())


def test_most_of_a_drawn_committee_is_found_and_hardly_anybody_wrongly(demo_finder):
    shares = matched_shares(demo_finder.index, demo_finder.corpus, 100)
    assert shares["right"] + shares["wrong"] + shares["open"] == pytest.approx(1)
    assert shares["right"] > 0.8
    assert shares["wrong"] <= 0.02
