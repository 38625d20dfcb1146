"""Ways in which an author or somebody near them once came through: each is closed, whatever the source."""

import dataclasses

import pytest
from panel_support import at, ids, make_finder, paper
from systems_support import EASYCHAIR, export

from panelist.corpus.readers.submissions import read_submissions, to_submission
from panelist.records import Author, Authorship, Conflict, ConflictKind, Institution, Paper, Submission
from retriever.conference.committee import Committee, Member, read_members, read_profiles
from retriever.conference.conference import Conference
from retriever.conference.conflicts.table import ConflictTable
from retriever.conference.options import ScoreOptions
from retriever.lookup import Lookup
from retriever.search import Search

ORCID = "0000-0002-1825-0097"
ADA = Author("ada", "Ada Lovelace", ORCID)
ORCID_OF_BOB, BARE_ORCID_OF_BOB = "https://orcid.org/0000-0001-5109-3700", "0000-0001-5109-3700"


def wrote(key, title, *authors, year=2024):
    return Paper(key, title, f"About {title}.", year, tuple(map(Authorship, authors)))


def verdicts(submissions, committee, indexed=None, **more):
    """(submission, reviewer) -> certain or possible."""
    table = Conference(submissions, committee, indexed).conflicts(**more)
    return {key: "certain" if pair.certain else "possible" for key, pair in table.pairs.items()}


def by(*authors, key="s1", title="Honey bees and their hives", **more):
    return Submission(key, title, "How bees live.", tuple(authors), year=2025, **more)


def nobody(*ids, **members):
    """A committee of whom only a table tells anything."""
    return Committee(ids, ((),) * len(ids)).with_members({one: Member(**told) for one, told in members.items()})


def test_co_authors_and_own_papers_beyond_the_profile_count():
    bob = Author("bob", "Bob Bee")
    new = [wrote(f"n{number}", f"A new paper on wasps {number}", bob, year=2025) for number in range(25)]
    with_ada = wrote("old1", "An older paper on wasps", bob, ADA, year=2023)
    own = wrote("old2", "Honey bees and their hives", bob, year=2023)
    committee = Committee.owning({"bob": [*new, with_ada, own]}, size=20)
    assert len(committee.profiles[0]) == 20
    assert verdicts([by(ADA, title="Other")], committee) == {("s1", "bob"): "certain"}
    assert verdicts([by()], committee) == {("s1", "bob"): "certain"}


@pytest.mark.parametrize("source", ["profile", "table", "index"])
def test_an_author_known_by_orcid_alone_is_certain_under_any_id(tmp_path, source):
    author = Author(f"https://orcid.org/{ORCID}", "Ada Lovelace", ORCID)
    person = Authorship(Author("~Ada_King1", "Ada King", f"http://orcid.org/{ORCID}/"))
    papers = [Paper("p1", "Engines that compute", "", 2020, (person,)), paper("p2", "far")]
    expected = {("s1", "~Ada_King1"): "certain"}
    if source == "profile":
        assert verdicts([by(author)], Committee.of(papers)) == expected
    elif source == "table":
        assert verdicts([by(author)], nobody("~Ada_King1", "far", **{"~Ada_King1": {"orcid": ORCID}})) == expected
    else:
        with make_finder(tmp_path, papers) as finder:
            committee = Committee(("~Ada_King1", "far"), ((), ()))
            assert verdicts([by(author)], committee, (finder.index, finder.corpus)) == expected


def test_an_e_mail_address_identifies_in_any_case():
    members = {"r1": {"email": "Ada@Example.ORG"}}
    assert verdicts([by(Author("ada@example.org", "?", None, "ada@example.org"))], nobody("r1", "r2", **members)) == {
        ("s1", "r1"): "certain"
    }
    assert verdicts([by(Author("x", "?", None, "ADA@example.org"))], nobody("ada@EXAMPLE.org")) == {
        ("s1", "ada@EXAMPLE.org"): "certain"
    }


@pytest.mark.parametrize(
    ("author", "reviewer"),
    [
        (f"orcid.org/{ORCID}", f"https://orcid.org/{ORCID}"),
        (ORCID.replace("-", "\u2011"), ORCID),
        ("https://openreview.net/profile?id=%7EAda_King1", "~Ada_King1"),
        ("https://openalex.org/A12", "a12"),
        ("Jos\u00e9:1", "JOSE\u0301:1\u200b"),
        ("ada@example.org", "ADA@example.org"),
    ],
)
def test_an_id_is_the_same_in_any_form_at_every_door(tmp_path, author, reviewer):
    for one, other in ((author, reviewer), (reviewer, author)):
        asked = by(Author(one, "?"))
        expected = {("s1", other): "certain"}
        assert verdicts([asked], nobody(other, "far")) == expected
        assert verdicts([by()], nobody(other, "far"), declared={"s1": [one]}) == expected
        known = Author("king", "Ada King", other) if "0002" in other else Author(other, "Ada King")
        papers = [Paper("p1", "Engines that compute", "", 2020, (Authorship(known),)), paper("p2", "far")]
        with make_finder(tmp_path / str(one == author), papers) as finder:
            assert finder.flagged(asked, [known.id], Lookup())[known.id][0].certain


def test_two_addresses_of_a_cell_are_both_of_the_person():
    both = "Ada Lovelace <ada@turin.it>; ada@home.uk"
    for address, cell in (("ada@turin.it", both), ("ADA@home.uk", both), ("ada@turin.it", "ada@turin.it;")):
        people = nobody("r1", "r2", r1={"email": cell})
        assert verdicts([by(Author(address, "?"))], people) == {("s1", "r1"): "certain"}


NOTE = {"id": "s1", "content": {"title": {"value": "Bees"}, "abstract": {"value": "How bees live."}}}


@pytest.mark.parametrize(
    ("authors", "ids", "certain"),
    [
        (["Ada Lovelace", "Bob Bee"], ["~Ada_Lovelace1"], {"~Ada_Lovelace1"}),
        (
            [{"fullname": "Ada", "username": "~Ada_Lovelace1"}, {"fullname": "Bob Bee"}],
            None,
            {"~Ada_Lovelace1"},
        ),
        (["Ada Lovelace", "Bob Bee"], ["ada@x.org"], set()),
    ],
)
def test_no_author_of_openreview_is_dropped(authors, ids, certain):
    content = NOTE["content"] | {"authors": {"value": authors}} | ({"authorids": {"value": ids}} if ids else {})
    submission = to_submission(NOTE | {"content": content})
    committee = nobody("~Ada_Lovelace1", "~Bob_Bee1", "~Cy_Dee1")
    expected = {("s1", who): "certain" if who in certain else "possible" for who in ("~Ada_Lovelace1", "~Bob_Bee1")}
    assert verdicts([submission], committee) == expected


@pytest.mark.parametrize(
    ("columns", "certain", "possible"),
    [
        ('authors,emails\n"Ada Lovelace; Bob Bee","ada@x.org; bob@x.org"', {"ada", "bob"}, set()),
        ('authors,email\n"Ada Lovelace",Ada <ada@x.org>', {"ada"}, set()),
        (f'authors,orcid(s)\n"Cy Dee; Ada Lovelace",;{ORCID}', {"ada"}, set()),
        (f'authors,author_orcids\n"Cy Dee; Bob Bee",{ORCID}', {"ada"}, {"bob"}),  # whose it is nobody knows
        ('authors,authorids,emails\n"Ada King; Bob Bee",~A1;~B1,ada@x.org;bob@x.org', {"ada", "bob"}, set()),
        (f"orcids\n{ORCID}", {"ada"}, set()),
    ],
)
def test_columns_of_addresses_and_orcids_count(tmp_path, columns, certain, possible):
    header, row = columns.split("\n")
    (tmp_path / "s.csv").write_text(f"id,title,abstract,{header}\ns1,Bees,How bees live.,{row}\n")
    people = {"ada": {"orcid": ORCID, "email": "ada@x.org"}, "bob": {"name": "Bob Bee", "email": "bob@x.org"}}
    found = verdicts(read_submissions(tmp_path / "s.csv"), nobody("ada", "bob", **people))
    assert found == {("s1", who): "certain" for who in certain} | {("s1", who): "possible" for who in possible}


def test_what_hotcrp_says_of_contacts_and_conflicts_counts(tmp_path):
    paper = '{"pid": 1, "title": "Bees", "authors": [{"email": "x@x.org", "first": "Ada", "last": "King"}], '
    stated = '"contacts": [{"email": "Bob@x.org"}], "pc_conflicts": {"cy@x.org": "advisor", "di@x.org": false}}'
    (tmp_path / "data.json").write_text(f"[{paper}{stated}]")
    submissions = read_submissions(tmp_path / "data.json")
    committee = nobody(*(f"{who}@x.org" for who in ("bob", "cy", "di")))
    assert verdicts(submissions, committee) == {("1", "bob@x.org"): "certain", ("1", "cy@x.org"): "certain"}
    with make_finder(tmp_path, [Paper("p1", "Bees", "", 2020, (Authorship(Author("cy@x.org", "Cy")),))]) as finder:
        assert finder.flagged(submissions[0], ["cy@x.org"], Lookup())["cy@x.org"][0].certain


def test_easychair_knows_its_people_by_number_where_files_come_one_by_one(tmp_path):
    folder = export(tmp_path, {name: EASYCHAIR[name] for name in ("submission.csv", "author.csv")})
    table = tmp_path / "committee.csv"
    table.write_text(EASYCHAIR["committee.csv"].replace("ada@x.org", "other@address.org").replace("Ada", "A."))
    members = read_members(table)
    committee = Committee((*members,), ((),) * len(members)).with_members(members)
    assert verdicts(read_submissions(folder), committee)["1", "11"] == "certain"


def test_an_orcid_with_a_wrong_check_digit_identifies_nobody_and_that_is_said():
    wrong = "0000-0002-1825-0098"
    committee = nobody("r1", r1={"orcid": wrong, "name": "Somebody Else"})
    conference = Conference([by(Author("x", "Ada", wrong))], committee)
    table = conference.conflicts()
    assert len(table) == 0
    assert "1 of 1 reviewer has an ORCID with a wrong check digit: it identifies nobody" in table.header.unchecked
    assert "wrong check digit" in table.header.unchecked_people["r1"]


def test_a_second_table_of_people_takes_nothing_back():
    committee = nobody("r1", r1={"orcid": ORCID, "institution": Institution("Uni", "https://ror.org/02mhbdp94")})
    renamed = committee.with_members({"r1": Member(name="A. King")})
    assert verdicts([by(ADA)], renamed) == {("s1", "r1"): "certain"}
    assert renamed.institutions("r1") == committee.institutions("r1")
    moved = committee.with_members({"r1": Member("A. King", "0000-0001-5109-3700", None, Institution("Elsewhere"))})
    assert verdicts([by(ADA)], moved) == {("s1", "r1"): "certain"}
    assert {*committee.institutions("r1"), Institution("Elsewhere")} == {*moved.institutions("r1")}


def test_conflicts_hold_for_every_form_of_the_reviewers_id_and_every_other_id_of_theirs():
    committee = nobody(f"https://orcid.org/{ORCID}", **{f"https://orcid.org/{ORCID}": {"email": "ada@example.org"}})
    table = Conference([by(Author(ORCID, "Ada"))], committee).conflicts()
    for form in (ORCID, f"orcid:{ORCID}", "ADA@example.org"):
        assert table.of("s1", form).certain


def test_declared_conflicts_are_matched_in_any_form_and_by_any_id():
    committee = nobody("~Ada_King1", "r2", **{"~Ada_King1": {"orcid": ORCID}})
    declared = {"s1": (f"https://orcid.org/{ORCID}",)}
    assert verdicts([by()], committee, declared=declared) == {("s1", "~Ada_King1"): "certain"}


def test_a_committee_with_profiles_is_looked_up_in_the_index_too(tmp_path):
    """Co-authors and colleagues whom only the corpus knows."""
    reef = ("Reef University", "https://ror.org/05aaaaa11")
    papers = [
        paper("p1", at("ada", reef, name="Ada Lovelace"), "bob", title="A paper of two on engines", year=2024),
        paper("p2", at("cem", reef), year=2024),
        paper("p3", "far", year=2024),
    ]
    profiles = [
        wrote(f"q{who}", f"Something on wasps by {who}", Author(who, who.title())) for who in ("bob", "cem", "far")
    ]
    with make_finder(tmp_path, papers) as finder:
        found = verdicts([by(Author("ada", "Ada"))], Committee.of(profiles), (finder.index, finder.corpus))
    assert found == {("s1", "bob"): "certain", ("s1", "cem"): "certain"}


def test_where_a_table_says_that_a_reviewer_works_makes_colleagues():
    place = Institution("Reef University", "https://ror.org/05aaaaa11")
    committee = nobody("r1", "r2", r1={"institution": place}, r2={"institution": Institution("Elsewhere")})
    assert verdicts([by(institutions=(place,))], committee) == {("s1", "r1"): "certain"}
    assert verdicts([by(institutions=(Institution("reef university"),))], committee) == {("s1", "r1"): "possible"}


def test_one_paper_under_two_ids_in_two_profiles_makes_co_authors():
    title = "The dance of honey bees"
    owned = {"ada": [wrote("note1", title, ADA)], "bob": [wrote("dblp:7", title.upper() + "!", Author("bob", "Bob"))]}
    assert verdicts([by(ADA)], Committee.owning(owned)) == {("s1", "ada"): "certain", ("s1", "bob"): "certain"}
    short = {"ada": [wrote("note1", "Editorial", ADA)], "bob": [Paper("x", "Editorial", "Other.", 2024)]}
    assert verdicts([by(ADA)], Committee.owning(short)) == {("s1", "ada"): "certain"}


def test_co_authors_of_archives_count_though_they_are_not_on_the_committee(tmp_path):
    archives = tmp_path / "archives"
    archives.mkdir()
    note = '{"id": "n1", "content": {"title": "Wasps and nests", "year": 2024, "authors": %s, "authorids": %s}}'
    (archives / "~Bob1.jsonl").write_text(note % ('["Bob", "Ada Lovelace"]', '["~Bob1", "~Ada1"]'))
    (archives / "~Cem1.jsonl").write_text(note.replace("n1", "n2") % ('["Cem", "Ada Lovelace"]', "null"))
    found = verdicts([by(Author("~Ada1", "Ada Lovelace"))], read_profiles(tmp_path))
    assert found[("s1", "~Bob1")] == "certain"
    found = verdicts([by(Author("~Ada2", "Ada Lovelace"))], read_profiles(tmp_path))
    assert found[("s1", "~Cem1")] == "possible"


def test_the_same_submission_twice_has_the_authors_of_both():
    for other in ({"key": "s2"}, {"key": "s2", "title": "Under another title"}):
        found = verdicts([by(), by(ADA, **other)], nobody("ada", "far"))
        assert found == {("s1", "ada"): "certain", ("s2", "ada"): "certain"}, other
    found = verdicts([by(), by(key="s2", author_names=("Ada Lovelace",))], nobody("r", r={"name": "A. Lovelace"}))
    assert found == {("s1", "r"): "possible", ("s2", "r"): "possible"}


def test_who_submits_together_wrote_together():
    first, second = by(ADA, title="One thing"), Submission("s2", "Another thing", authors=(ADA, Author("bob", "Bob")))
    found = verdicts([first, second], nobody("ada", "bob", "far"))
    assert found == {(key, who): "certain" for key in ("s1", "s2") for who in ("ada", "bob")}


def test_reviewers_of_whom_nothing_is_known_are_counted():
    table = Conference([by(ADA), by(key="s2", title="Wax")], nobody("r1", "r2", r2={"name": "Bob"})).conflicts()
    assert table.header.unchecked[:2] == (
        "1 of 2 reviewers has no name and no ORCID: whether they are authors cannot be known",
        "2 of 2 reviewers have no paper: whom they wrote with cannot be known",
    )
    assert "1 submission without any author: their conflicts cannot be known" in table.header.unchecked
    assert table.header.unchecked_people["r1"] == "no name and no ORCID, no paper, no institution"


def test_reviewers_known_by_an_orcid_alone_are_counted_where_authors_come_without_one():
    orcid = "0000-0002-1825-0097"
    known, named = Author("a1", "Ada Lovelace", orcid), by(author_names=("Ada Lovelace",))
    assert verdicts([by(known)], nobody(orcid)) == {("s1", orcid): "certain"}
    assert not any("ORCID" in line for line in Conference([by(known)], nobody(orcid)).conflicts().header.unchecked)
    table = Conference([named], nobody(orcid)).conflicts()
    assert not len(table)
    said = "whether they are authors who come without an ORCID cannot be known"
    assert table.header.unchecked[0] == f"1 of 1 reviewer has an ORCID without a name: {said}"
    assert table.header.unchecked_people[orcid].startswith("an ORCID without a name, ")


def test_certain_pairs_get_no_score_and_possible_ones_do():
    papers = [wrote("p1", "Bees in their hives", ADA), wrote("p2", "Bees and honey", Author("al", "A. Lovelace"))]
    conference = Conference([by(ADA)], Committee.of([*papers, wrote("p3", "Bees", Author("far", "Far Away"))]))
    table = conference.conflicts()
    scored = conference.score(ScoreOptions(model="bm25"), table)
    assert {scored.scores.reviewers[row] for row in scored.scores.reviewer} == {"al", "far"}
    assert table.of("s1", "al").possible


def test_a_certain_pair_of_a_given_table_gets_no_score_whichever_way_the_reviewer_is_written():
    papers = [wrote("p1", "Bees", Author("Ada@Uni.edu", "Ada Lovelace")), wrote("p2", "Bees", Author("far", "Far"))]
    conference = Conference([by(Author("bob", "Bob Bee"))], Committee.of(papers))
    table = ConflictTable.grouped([Conflict("s1", "ada@uni.edu", ConflictKind.DECLARED, "declared")])
    scores = conference.score(ScoreOptions(model="bm25"), table).scores
    assert {scores.reviewers[row] for row in scores.reviewer} == {"far"}


TWO_PROFILES = [
    Paper("p1", "Coral reefs", "", 2019, tuple(map(Authorship, (ADA, Author("bob1", "Bob Bee", ORCID_OF_BOB))))),
    Paper("p2", "Coral reefs again", "", 2019, (Authorship(Author("bob2", "B. Q. Bee", BARE_ORCID_OF_BOB)),)),
    Paper("p3", "More coral reefs", "", 2019, (Authorship(Author("far", "Far Away")),)),
]
CORAL = Lookup(size=9, search=Search(mode="lexical"))


@pytest.mark.parametrize("conflict", [{"authors": (ADA,)}, {"conflicts": ("bob1",)}, {"conflicts": (ORCID_OF_BOB,)}])
def test_a_conflict_of_one_profile_is_one_of_every_profile_with_the_same_orcid(tmp_path, conflict):
    """Their co-author or the user knows of one profile, the look-up finds the other one."""
    with make_finder(tmp_path, TWO_PROFILES) as finder:
        asked = Submission("s1", "Coral reefs of today", year=2020, **conflict)
        assert {"bob1", "bob2"}.isdisjoint(ids(finder.find(asked, CORAL)))
        flagged = finder.flagged(asked, ["bob1", "bob2", "far"], CORAL)
        assert {who for who, reasons in flagged.items() if reasons[0].certain} == {"bob1", "bob2"}
        assert {reason.reviewer for reason in flagged["bob2"]} == {"bob2"}
        committee = Committee(("bob2", "far"), ((), ()), of_corpus=True)
        assert verdicts([asked], committee, (finder.index, finder.corpus)) == {("s1", "bob2"): "certain"}


def test_a_colleague_by_one_profile_is_one_by_every_profile_with_the_same_orcid(tmp_path):
    reef = Institution("Reef University", "https://ror.org/05aaaaa11")
    at_reef = Authorship(Author("bob1", "Bob Bee", ORCID_OF_BOB), (reef,))
    papers = [Paper("p0", "Coral", "", 2019, (at_reef,)), *TWO_PROFILES[1:]]
    with make_finder(tmp_path, papers) as finder:
        asked = Submission("s1", "Coral reefs of today", year=2020, institutions=(reef,))
        assert ids(finder.find(asked, CORAL)) == ["far"]


def test_somebody_listed_by_hand_is_looked_for_by_every_id_and_name(tmp_path):
    """The index knows nobody under what the editor has typed: an ORCID, an address, a profile elsewhere."""
    author = Author("z", "Zed Quince", None, "zed@a.org; zed@b.org")
    asked = Submission("s1", "Coral", year=2020, authors=(ADA, author), conflicts=("cy@x.org",))
    listed = ["bob1", f"orcid:{ORCID_OF_BOB[-19:]}", "zed@b.org", "Cy@x.org", "di@x.org", "~Zed_Quince1", "~Di_Do1"]
    with make_finder(tmp_path, TWO_PROFILES) as finder:
        lookup = dataclasses.replace(CORAL, declared={"s1": ("di@x.org",)})
        flagged = finder.flagged(asked, listed, lookup)
    assert {who: (reasons[0].kind, reasons[0].certain) for who, reasons in flagged.items()} == {
        "bob1": (ConflictKind.COAUTHOR, True),
        listed[1]: (ConflictKind.COAUTHOR, True),
        "zed@b.org": (ConflictKind.AUTHOR, True),
        "Cy@x.org": (ConflictKind.DECLARED, True),
        "di@x.org": (ConflictKind.DECLARED, True),
        "~Zed_Quince1": (ConflictKind.AUTHOR, False),
    }
    assert all(reason.reviewer == who for who, reasons in flagged.items() for reason in reasons)


def test_two_authors_with_the_address_of_their_group_are_two(tmp_path):
    group = by(Author("lab@x.org", "Ada Lovelace"), Author("lab@x.org", "Bob Bee"))
    people = {"r1": {"name": "Ada Lovelace"}, "r2": {"name": "Bob Bee"}}
    assert verdicts([group], nobody("r1", "r2", **people)) == {("s1", "r1"): "possible", ("s1", "r2"): "possible"}
    with make_finder(tmp_path, TWO_PROFILES) as finder:
        assert {reason.reviewer for reason in finder.held_back(group, Lookup())} == {"ada", "bob1", "bob2"}  # twins


def test_what_two_lines_of_a_table_say_of_a_reviewer_is_all_true(tmp_path):
    table = tmp_path / "reviewers.csv"
    table.write_text(f"reviewer,name,email,orcid\nr1,Ada King,ada@turin.it,\nr1,Ada Lovelace,ada@home.uk,{ORCID}\n")
    members = read_members(table)
    for author in (Author("ada@turin.it", "?"), Author("ada@home.uk", "?"), Author("x", "?", ORCID)):
        assert verdicts([by(author)], Committee(("r1",), ((),)).with_members(members)) == {("s1", "r1"): "certain"}
