"""Who reviewed before, in the scores of a conference: who gets which score, on which day, and who is meant."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_support import make_finder, paper

from panelist.records import Author, HistoryEvent, HistoryRole, Submission
from retriever.conference.committee import Committee, Member, from_corpus
from retriever.conference.conference import Conference
from retriever.conference.options import ScoreOptions

PEOPLE = ("ann", "bob", "cid", "dan", "eve")
PAPERS = [
    paper("p1", "ann", "zoe", title="Bleaching of coral reefs"),
    paper("p2", "bob", title="Trade of medieval merchants in wool and corals"),
    paper("p3", "cid", title="Wool on medieval markets"),
    paper("p4", "dan", title="Coral jewels of the Romans"),
    paper("p5", "eve", title="Roman jewels"),
    *(paper(f"q{number}", f"other{number}", title=f"Corals and reef {number}") for number in range(9)),
]
DAY = date(2020, 1, 1)
ASKED = Submission("s1", "Coral reefs", "Bleaching of corals.", received=DAY)
OPTIONS = ScoreOptions(model="bm25", conflicts="ignore")


def did(person, paper="p1", role=HistoryRole.REVIEWER, published=DAY - timedelta(90), **more):
    return HistoryEvent(person, role, paper, published=published, **more)


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("conference"), PAPERS) as finder:
        yield finder


def scored(finder, events, submissions=(ASKED,), options=OPTIONS, committee=None, table=None):
    committee = committee or from_corpus(finder.corpus, PEOPLE)
    conference = Conference(submissions, committee, (finder.index, finder.corpus), history=events)
    return conference.score(options, table)


def scores(*args, **more):
    found = scored(*args, **more).scores
    return [
        dict(zip([found.reviewers[at] for at in who], values.tolist(), strict=True)) for _, who, values in found.rows()
    ]


def test_who_reviewed_near_papers_gets_the_score_of_somebody_else(finder):
    (plain,) = scores(finder, ())
    (moved,) = scores(finder, [did("bob"), did("bob", "q1"), did("bob", "q2")])
    assert plain["bob"] < moved["bob"] == plain["dan"]
    assert sorted(plain.values()) == sorted(moved.values())
    off = ScoreOptions(model="bm25", conflicts="ignore", history="off")
    assert scores(finder, [did("cid")], options=off) == [plain]
    assert scored(finder, [did("cid"), did("nobody")]).with_history == 1
    assert scored(finder, [did("nobody")]).with_history == 0


def test_a_submission_without_anything_before_its_day_has_the_scores_of_its_text(finder):
    early = Submission("s2", ASKED.title, ASKED.abstract, received=date(2000, 1, 1))
    plain = scores(finder, (), (ASKED, early))
    moved = scores(finder, [did("bob"), did("bob", "q3")], (ASKED, early))
    assert moved[1] == plain[1]
    assert moved[0] != plain[0]


def test_somebody_with_a_conflict_stays_out_whatever_they_reviewed(finder):
    submission = Submission("s1", ASKED.title, ASKED.abstract, (Author("cid", "Cid"),), received=DAY)
    found = scores(finder, [did("cid"), did("cid", "q1")], (submission,), ScoreOptions(model="bm25"))
    assert "cid" not in found[0]


def test_a_committee_of_its_own_is_known_by_address_and_by_a_name_that_one_person_has(finder):
    own = {
        "~Cid_Marsh1": [paper("o1", "x1", title="Wool of sheep")],
        "~Ann_Hill1": [paper("o2", "x2", title="Corals of the reef")],
        "~Bob_Hill1": [paper("o3", "x3", title="Corals and reefs")],
        "~Bob_Hill2": [paper("o4", "x4", title="Merchants")],
    }
    members = {"~cid_marsh1": Member(name="Cid Marsh", email="cid@x.org")}
    committee = Committee.owning(own).with_members(members)
    asked = {"committee": committee}
    assert scored(finder, [did("", email="cid@x.org")], **asked).with_history == 1
    assert scored(finder, [did("", name="Ann Hill")], **asked).with_history == 1
    assert scored(finder, [did("", name="Bob Hill")], **asked).with_history == 0  # two have the name
    conference = Conference([ASKED], committee, history=[did("", "elsewhere", title="Coral reefs", name="Cid Marsh")])
    assert conference.directory().people_named(["cid marsh", "nobody"]) == [[0], []]
    assert conference.directory().numbers(["CID@x.org", "~Ann_Hill1", "nobody"]) == [[0], [1], []]


later = st.builds(
    did,
    st.sampled_from(PEOPLE),
    st.sampled_from(["p1", "p3", "q1", "q2", "s1"]),
    st.sampled_from([*HistoryRole]),
    st.integers(0, 400).map(lambda days: DAY + timedelta(days)),
)


@settings(max_examples=15)
@given(st.lists(later, max_size=6))
def test_nothing_later_than_the_day_of_a_submission_changes_a_score(finder, events):
    before = [did("bob"), did("bob", "q3", HistoryRole.EDITOR)]
    known = {(event.person, event.role, event.paper) for event in before}
    events = [event for event in events if (event.person, event.role, event.paper) not in known]
    np.testing.assert_equal(scores(finder, [*before, *events]), scores(finder, before))
