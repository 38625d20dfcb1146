"""Conflicts of interest of people and institutions that are written in several ways: names, ids, ORCID, ROR."""

import pytest
from conflict_support import AUTHOR, COAUTHOR, EVERYONE, INSTITUTION, REEF, XENIA, asked, look
from panel_support import at, ids, make_finder, paper, reasons

from panelist.records import Author, Authorship, Institution, Submission


def test_a_name_alone_is_possible_for_every_namesake_and_for_those_around_them(evidence):
    assert evidence(asked(author_names=("NORA nym",))) == {
        "nora1": [(AUTHOR, False, "has the name of the author NORA nym")],
        "nora2": [(AUTHOR, False, "has the name of the author NORA nym")],
        "friend": [(COAUTHOR, False, "co-authored “Coral N” in 2019 with NORA nym (matched by name)")],
        "neighbour": [(INSTITUTION, False, "at Nora's Place in 2019, as NORA nym (matched by name)")],
    }


def test_namesakes_are_held_back_and_those_around_them_are_shown(finder):
    panel = finder.find(asked(author_names=("Nora Nym",)), EVERYONE)
    assert {one.reviewer for one in panel.held_back} == {"nora1", "nora2"}
    assert {"friend", "neighbour"} <= set(ids(panel))
    assert not {"nora1", "nora2"} & set(ids(panel))
    assert panel.hidden == ()


def test_a_namesake_of_somebody_with_an_id_is_held_back_and_those_around_them_are_not_even_flagged(finder):
    panel = finder.find(asked(authors=(XENIA, Author("nora2", "Nora Nym"))), EVERYONE)
    assert not {"xenia", "nora2", "xenia2", "nora1"} & set(ids(panel))
    assert {one.reviewer for one in panel.held_back} == {"xenia2", "nora1"}
    assert reasons(panel)["friend"] == reasons(panel)["neighbour"] == set()


def test_an_author_with_an_unknown_id_is_matched_by_name_as_possible_and_noted(finder):
    panel = finder.find(asked(authors=(Author("orcid:0", "Xenia Reef"),)), EVERYONE)
    found = reasons(panel)
    assert {one.reviewer for one in panel.held_back} == {"xenia", "xenia2"}
    assert not any(one.certain for one in panel.held_back)
    assert not any(certain for kinds in found.values() for _, certain in kinds)
    assert any("orcid:0" in note and "by name only" in note for note in panel.notes)


def test_an_author_given_by_id_alone_is_called_by_name_in_the_evidence(evidence):
    assert evidence(asked(authors=(Author("xenia", "xenia"),)))["c2019"][0][2].endswith("with Xenia Reef")


def test_institutions_of_the_submission_by_ror_and_by_name(evidence):
    by_ror = evidence(asked(institutions=(Institution("R. U.", REEF[1]),)))
    assert by_ror["colleague"] == [(INSTITUTION, True, "at Reef University in 2019, as the submission's authors")]
    assert "homonym" not in by_ror
    assert "unlisted" not in by_ror
    by_name = evidence(asked(institutions=(Institution("Reef university"),)))
    assert {author: [one[:2] for one in found] for author, found in by_name.items()} == {
        author: [(INSTITUTION, False)] for author in ("xenia", "colleague", "moved", "silent", "unlisted", "homonym")
    }


def test_another_form_of_an_authors_name_is_flagged(finder):
    panel = finder.find(asked(author_names=("Reef, X.",)), EVERYONE)
    assert reasons(panel)["xenia"] == reasons(panel)["xenia2"] == {(AUTHOR, False)}
    (conflict,) = next(match for match in panel.matches if match.author.id == "xenia").conflicts
    assert conflict.evidence == "Xenia Reef may be another form of the name of the author Reef, X."


def test_another_form_of_the_name_of_an_author_given_by_id_alone_is_flagged(tmp_path):
    papers = one_paper_each(at("ann", name="Ann Arbor"), at("a2", name="A. Arbor"), "far", year=2019)
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(asked(authors=(Author("ann", "ann"),)), EVERYONE)
    assert reasons(panel) == {"a2": {(AUTHOR, False)}, "far": set()}


def test_another_form_of_an_institutions_name_is_flagged(finder):
    for name in ("Dept. of Corals, Reef University", "Reef Universtiy", "Reef University (RU)"):
        submission = asked(institutions=(Institution(name),))
        found = reasons(finder.find(submission, EVERYONE))
        assert found["colleague"] == found["unlisted"] == {(INSTITUTION, False)}, name


def test_a_comma_in_an_institutions_name_makes_no_difference(tmp_path):
    papers = [paper("q", at("near", "University of California, San Diego"), at("far", "University of Corals"))]
    with make_finder(tmp_path, papers) as finder:
        here = Institution("University of California San Diego")
        found = reasons(finder.find(asked(institutions=(here,)), EVERYONE))
    assert found == {"near": {(INSTITUTION, False)}, "far": set()}


def one_paper_each(*people, **more):
    return [paper(f"q{number}", person, **more) for number, person in enumerate(people)]


def test_the_same_orcid_under_another_id_is_the_same_person(tmp_path):
    orcid = "https://orcid.org/0000-0002-1825-0097"
    people = [Author("a1", "Ann Arbor", orcid), Author("a2", "A. Arbor", orcid), Author("a3", "Somebody Else")]
    papers = one_paper_each(*(Authorship(person) for person in people), year=2019)
    papers.append(paper("q9", Authorship(people[1]), "friend", year=2019))
    with make_finder(tmp_path, papers) as finder:
        for author in (
            people[0],
            Author("a1", "a1"),
            Author("0000-0002-1825-0097", "Unknown Name"),
            Author("x", "Unknown Name", "http://orcid.org/0000-0002-1825-0097/"),
        ):
            submission = Submission("s", "bleaching", authors=(author,), year=2020)
            assert ids(finder.find(submission, look(size=9))) == ["a3"], author


def test_ids_of_openalex_and_ror_are_compared_in_any_form(tmp_path):
    ror = "https://ror.org/042nb2s44"
    papers = one_paper_each(
        at("https://openalex.org/A5023888391", ("Here", ror)), at("near", ("There", "042NB2S44")), "far", year=2019
    )
    with make_finder(tmp_path, papers) as finder:
        given = Submission("s", "bleaching", authors=(Author("a5023888391", "?"),), year=2020)
        assert ids(finder.find(given, look(size=9))) == ["far"]
        placed = Submission("s", "bleaching", institutions=(Institution("?", "ror.org/x"),), year=2020)
        assert len(ids(finder.find(placed, look(size=9)))) == 3
        placed = Submission("s", "bleaching", institutions=(Institution("?", "http://ror.org/042nb2s44/"),), year=2020)
        assert ids(finder.find(placed, look(size=9))) == ["far"]


@pytest.mark.parametrize(("key", "title"), [("s", "Bleaching of coral: reefs"), ("itself", "Another title")])
def test_authors_of_the_submission_itself_are_certain(tmp_path, key, title):
    """It is in the index, by id or by title, and the submission does not say whose it is."""
    papers = [
        paper("itself", "ann", "bob", title="Bleaching of Coral Reefs", year=2019),
        paper("q2", "bob", "cid", year=2018),
        *(paper(f"q{n}", f"far{n}", year=2019) for n in range(3, 9)),
    ]
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(Submission(key, title, "coral reef bleaching", year=2020), look(size=9))
    assert {one.reviewer for one in panel.hidden} == {"ann", "bob", "cid"}
    assert set(ids(panel)) == {f"far{n}" for n in range(3, 9)}


def test_an_id_that_the_index_has_in_several_forms_is_certain_in_all_of_them(tmp_path):
    forms = ("https://openalex.org/A5000000001", "A5000000001")
    papers = [paper("p1", forms[0]), paper("p2", forms[1], "friend"), paper("p3", "nobody")]
    with make_finder(tmp_path, papers) as finder:
        for form in (*forms, "http://openalex.org/a5000000001/"):
            assert ids(finder.find(asked(authors=(Author(form, "Ada"),)), EVERYONE)) == ["nobody"]
            assert ids(finder.find(asked(), look(declared={"s1": (form,)}))) == ["friend", "nobody"]


def test_an_orcid_that_the_corpus_has_under_another_form_of_an_authors_id_is_theirs(tmp_path):
    orcid = "0000-0002-1825-0097"
    papers = [
        paper("p1", Authorship(Author("https://openalex.org/A5000000001", "Ada One", orcid))),
        paper("p2", Authorship(Author("elsewhere", "Ada Two", f"https://orcid.org/{orcid}"))),
        paper("p3", "nobody"),
    ]
    with make_finder(tmp_path, papers) as finder:
        assert ids(finder.find(asked(authors=(Author("A5000000001", "Ada"),)), EVERYONE)) == ["nobody"]


def test_an_author_who_is_in_the_index_by_orcid_is_not_said_to_be_missing(tmp_path):
    orcid = "0000-0002-1825-0097"
    papers = [paper("p1", Authorship(Author("elsewhere", "Ada", orcid)), "friend"), paper("p2", "nobody")]
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(asked(authors=(Author(orcid, "Ada"),)), look(size=1))
    assert (ids(panel), panel.notes) == (["nobody"], ())


def test_the_submission_itself_is_found_by_its_title_whatever_its_abstract_and_the_pool(tmp_path):
    papers = [
        paper("p1", "author", "both", title="The Dance: of Bees", abstract="Bees tell others where flowers are."),
        paper("p2", "both", "friend", title="Coral honey"),
        *(paper(f"q{number}", f"other{number}", title=f"Coral {number}") for number in range(9)),
    ]
    submission = Submission("s1", "the dance of bees", "Coral, coral, and what corals do. 1 2 3 4 5 6 7 8")
    with make_finder(tmp_path, papers) as finder:
        assert not {"author", "both", "friend"} & set(ids(finder.find(submission, EVERYONE)))
        assert ids(finder.find(submission, look(pool=("friend", "other1")))) == ["other1"]
        cited = Submission("s1", "the dance of bees", "Coral", references=tuple(f"q{number}" for number in range(9)))
        assert not {"author", "both", "friend"} & set(ids(finder.find(cited, look(references="auto"))))
