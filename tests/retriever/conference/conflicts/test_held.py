"""Who may be an author is on no panel until somebody says that it is another person."""

import pytest
from conflict_support import AUTHOR, asked, look
from panel_support import at, ids, make_finder, paper, reasons

from panelist.records import Author, Authorship, Institution, Reference
from retriever.conference.conflicts.rules import ConflictRules

AUTHORS = ConflictRules(coauthor_years=None, institution_years=None)
ORCIDS = "0000-0002-1825-0097", "0000-0001-5109-3700"


def held(panel):
    return {conflict.reviewer for conflict in panel.held_back}


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    place = ("Lake University", "https://ror.example/lake")
    papers = [
        paper("p1", at("yue1", name="Yue Zhang"), "mate", year=2019),
        paper("p2", at("yue2", name="Zhang, Yue"), year=2019),
        paper("p14", at("yue4", name="Zhang Yue"), year=2019),
        paper("p3", at("yue3", name="Y. Zhang"), year=2019),
        paper("p4", at("bob", place, name="Bob Tarn"), at("anna", place, name="Anna Mere"), year=2001),
        paper("p5", at("rob", name="Robert Q. Tarn"), year=2019),
        paper("p6", at("roberta", place, name="R. Tarn"), year=2001),
        paper("p7", at("tim", name="Tim Pond"), title="Ponds in the winter of the northern lakes", year=2019),
        paper("p8", at("timon", name="T. Pond"), year=2019),
        paper("p9", Authorship(Author("w1", "Wei Loch", ORCIDS[0])), year=2019),
        paper("p10", Authorship(Author("w2", "Wei Loch", ORCIDS[1])), year=2019),
        paper("p11", Authorship(Author("w3", "Wei Loch")), year=2019),
        paper("p12", "far", year=2019),
        paper("p13", at("philip", place, name="Philip Moor"), at("wladimir", place, name="Wladimir Fen"), year=2001),
    ]
    with make_finder(tmp_path_factory.mktemp("held"), papers) as made:
        yield made


def test_a_full_name_is_enough_in_any_order_and_initials_are_not(finder):
    panel = finder.find(asked(author_names=("Yue Zhang",)), look(size=50))
    assert held(panel) == {"yue1", "yue2", "yue4"}
    assert reasons(panel)["yue3"] == {(AUTHOR, False)}
    assert all(not conflict.certain for conflict in panel.held_back)


def test_who_is_said_to_be_another_person_comes_back_and_takes_along_whom_only_their_name_concerned(finder):
    first = finder.find(asked(author_names=("Yue Zhang",)), look(size=50))
    assert reasons(first)["mate"]
    panel = finder.find(asked(author_names=("Yue Zhang",), not_authors=("yue1", "yue3")), look(size=50))
    assert held(panel) == {"yue2", "yue4"}
    assert {"yue1", "yue3", "mate"} <= {*ids(panel)}
    assert not any(reasons(panel)[key] for key in ("yue1", "yue3", "mate"))


def test_who_may_be_an_author_is_held_back_under_all_ids(tmp_path):
    profiles = [Author("1", "Ada Lovelace", ORCIDS[0]), Author("2", "A. King", f"https://orcid.org/{ORCIDS[0]}")]
    papers = [paper(f"p{one.id}", Authorship(one), title=f"coral reefs {one.id}") for one in profiles]
    typo = Author("x", "Ada Lovelace", "0000-0002-1825-0098")  # identifies nobody
    with make_finder(tmp_path, [*papers, paper("p3", "far")]) as made:
        for named in ({"authors": (typo,)}, {"author_names": ("Ada Lovelace",)}):
            panel = made.find(asked(**named), look(size=50))
            assert (held(panel), ids(panel)) == ({"1", "2"}, ["far"])
        panel = made.find(asked(author_names=("Ada Lovelace",), not_authors=("1", "2")), look(size=50))
        assert (held(panel), {*ids(panel)}) == (set(), {"1", "2", "far"})


@pytest.mark.parametrize(
    ("author", "called"),
    [
        ("Wei Wang", "王伟"),
        ("Wang, Wei", "王伟"),
        ("王偉", "王伟"),
        ("王伟", "Wei Wang"),
        ("Ivan Petrov", "Иван Петров"),
    ],
)
def test_a_full_name_in_another_script_is_held_back(tmp_path, author, called):
    papers = [paper("p1", at("yes", name=called)), paper("p2", at("no", name="李雷")), paper("p3", "far")]
    with make_finder(tmp_path, papers) as made:
        panel = made.find(asked(author_names=(author,)), look(size=50))
        assert (held(panel), {*ids(panel)}) == ({"yes"}, {"no", "far"})


def test_a_name_that_only_fits_needs_support(finder):
    with_anna = finder.find(
        asked(author_names=("Robert Tarn",), authors=(Author("anna", "Anna Mere"),)),
        look(size=50, conflict_rules=AUTHORS),
    )
    evidence = {conflict.reviewer: conflict.evidence for conflict in with_anna.held_back}
    assert evidence.keys() == {"bob", "rob", "roberta"}
    assert evidence["bob"].endswith("and wrote with Anna Mere")
    assert "was at https://ror.example/lake" in evidence["roberta"]
    alone = finder.find(asked(author_names=("Robert Tarn",)), look(size=50))
    assert held(alone) == {"rob"}
    assert reasons(alone)["bob"] == reasons(alone)["roberta"] == {(AUTHOR, False)}
    placed = asked(author_names=("Robert Tarn",), institutions=(Institution("Lake", "https://ror.example/lake"),))
    assert {"bob", "roberta"} <= held(finder.find(placed, look(size=50, conflict_rules=AUTHORS)))


def test_another_spelling_of_a_name_may_begin_with_another_letter(finder):
    names, place = ("Filip Moor", "Vladimir Fen"), Institution("Lake", "https://ror.example/lake")
    submission = asked(author_names=names, institutions=(place,))
    assert held(finder.find(submission, look(size=50, conflict_rules=AUTHORS))) == {"philip", "wladimir"}


def test_a_self_citation_supports_a_short_form(finder):
    cited = Reference("Ponds in the winter of the northern lakes", ("Tim Pond",), 2019)
    panel = finder.find(asked(author_names=("Timothy Pond",), bibliography=(cited,)), look(size=50))
    assert held(panel) == {"tim"}
    (conflict,) = panel.held_back
    assert conflict.evidence.endswith("wrote what the submission cites")
    assert reasons(panel)["timon"] == {(AUTHOR, False)}


def test_another_orcid_makes_a_namesake_another_person(finder):
    panel = finder.find(asked(authors=(Author("w1", "Wei Loch"),)), look(size=50))
    assert held(panel) == {"w3"}
    assert reasons(panel)["w2"] == {(AUTHOR, False)}
    by_name = finder.find(asked(author_names=("Wei Loch",)), look(size=50))
    assert held(by_name) == {"w1", "w2", "w3"}


def test_a_ranking_has_none_of_them_and_a_panel_is_filled_up(finder):
    submission = asked(author_names=("Yue Zhang",))
    (ranking,) = finder.rank([submission], look(size=50))
    assert not {"yue1", "yue2"} & {who for who, _ in ranking}
    assert len(finder.find(submission, look(size=3)).matches) == 3


@pytest.fixture(scope="module")
def renamed(tmp_path_factory):
    """A person whose papers have another name than the submission, a second profile, and a place with its ROR alone."""
    papers = [
        paper("p1", Authorship(Author("ada", "Ada Lovelace", ORCIDS[0]))),
        paper("p2", at("ada2", name="Ada Lovelace")),
        paper("p3", at("ada3", name="A. M. Lovelace")),
        paper("p4", Authorship(Author("ada4", "Ada Lovelace", ORCIDS[1]))),
        paper("p5", at("anna", name="Anna King")),
        paper("p6", at("tim", ("Lake", "https://ror.org/02mhbdp94"), name="T. Pond"), year=2001),
        paper("p7", "far"),
    ]
    with make_finder(tmp_path_factory.mktemp("renamed"), papers) as made:
        yield made


def test_an_author_known_by_id_is_looked_for_by_the_names_of_the_corpus_too(renamed):
    panel = renamed.find(asked(authors=(Author("ada", "Ada King"),)), look(size=50, conflict_rules=AUTHORS))
    assert held(panel) == {"ada2"}
    possible = {reviewer for reviewer, found in reasons(panel).items() if found == {(AUTHOR, False)}}
    assert possible == {"ada3", "ada4"}
    (conflict,) = panel.held_back
    assert conflict.evidence == "has the name of the author Ada Lovelace"
    freed = asked(authors=(Author("ada", "Ada King"),), not_authors=("ada2",))
    assert not held(renamed.find(freed, look(size=50, conflict_rules=AUTHORS)))


def test_a_shorter_name_of_the_corpus_adds_no_strangers(renamed):
    panel = renamed.find(asked(authors=(Author("ada3", "Ada Mary Lovelace"),)), look(size=50, conflict_rules=AUTHORS))
    assert not reasons(panel)["anna"]
    assert all("A. M." not in conflict.evidence for match in panel.matches for conflict in match.conflicts)


def test_a_workplace_supports_a_name_in_whatever_form_its_ror_is(renamed):
    for ror in ("https://ror.org/02mhbdp94", "02MHBDP94", "ror.org/02mhbdp94/"):
        placed = asked(author_names=("Timothy Pond",), institutions=(Institution("Lake", ror),))
        (conflict,) = renamed.find(placed, look(size=50, conflict_rules=AUTHORS)).held_back
        assert conflict.evidence.endswith("and was at https://ror.org/02mhbdp94")
