"""Conflicts of a conference: whatever is known of its people, and wherever it comes from."""

from datetime import UTC, datetime

import pytest
from panel_support import make_finder, paper

from panelist.records import Author, Authorship, Paper, Reference, Submission
from retriever.conference.committee import Committee, from_corpus
from retriever.conference.conference import Conference
from retriever.conference.conflicts.declared import unmatched
from retriever.conference.options import ScoreOptions

THIS_YEAR = datetime.now(UTC).year


def find_conflicts(submissions, committee, indexed=None, **more):
    """The best reason of each pair, in the order of submissions and reviewers."""
    table = Conference(submissions, committee, indexed).conflicts(**more)
    return [pair.reasons[0] for _, pair in sorted(table.pairs.items())]


@pytest.mark.parametrize("year", [THIS_YEAR, THIS_YEAR + 73, None])
def test_a_submission_from_the_future_does_not_switch_off_conflicts(year):
    team = tuple(Authorship(Author(f"r:{name}", name)) for name in ("Ada", "Bob"))
    reviewers = Committee(("r:Ada",), ((Paper("p1", "Bees", "", THIS_YEAR - 1, team),),))
    submission = Submission("s1", "Honey", authors=(Author("r:Bob", "Bob"),), year=year)
    (found,) = find_conflicts([submission], reviewers)
    assert found.certain
    assert found.evidence == f"co-authored “Bees” in {THIS_YEAR - 1} with Bob"


def test_declared_reviewers_are_matched_by_id_in_any_form():
    reviewers = Committee.of([paper("p1", "A5000000001"), paper("p2", "https://orcid.org/0000-0002-1825-0097")])
    declared = {"s1": ("https://openalex.org/a5000000001/", "0000-0002-1825-0097", "A5000000002")}
    submission = Submission("s1", "Honey")
    found = find_conflicts([submission], reviewers, declared=declared)
    assert [(one.reviewer, one.certain, one.evidence) for one in found] == [
        ("A5000000001", True, "declared by the user"),
        ("https://orcid.org/0000-0002-1825-0097", True, "declared by the user"),
    ]
    assert unmatched(declared, [submission], reviewers.ids) == ["s1,A5000000002"]


def test_the_orcid_of_an_author_under_another_id_is_certain_where_only_a_profile_has_it():
    orcid = "0000-0002-1825-0097"
    papers = [Paper(key, key, "", 2020, (Authorship(Author(key, key.title(), orcid)),)) for key in ("ada", "lovelace")]
    submission = Submission("s1", "Honey", authors=(Author("ada", "Ada"),))
    found = find_conflicts([submission], Committee.of(papers))
    assert [(one.reviewer, one.certain) for one in found] == [("ada", True), ("lovelace", True)]


@pytest.mark.parametrize("indexed", [False, True])
def test_authors_of_the_submission_itself_are_known_by_its_title_and_so_are_their_co_authors(tmp_path, indexed):
    papers = [
        paper("p1", "ada", "bob", title="The Dance: of Bees", abstract="Bees tell others where flowers are."),
        paper("p2", "bob", "cem", title="Honey"),
        *(paper(f"q{number}", f"other{number}", title=f"Coral {number}") for number in range(9)),
    ]
    submission = Submission("s1", "the dance of bees", "Coral, coral, and what corals do. 1 2 3 4 5 6 7 8")
    with make_finder(tmp_path, papers) as finder:
        known = (finder.index, finder.corpus) if indexed else None
        found = find_conflicts([submission], from_corpus(finder.corpus, None), indexed=known)
    assert [(one.reviewer, one.kind, one.certain) for one in found] == [
        ("ada", "author", True),
        ("bob", "author", True),
        ("cem", "coauthor", True),
    ]


def test_submissions_in_a_profile_are_named_by_id_or_title():
    papers = ((Paper("p", "P"),), (Paper("s1", "Q"),), (Paper("x", "Two"),), ())
    conference = Conference([Submission("s1", "One"), Submission("s2", "Two")], Committee(tuple("abcd"), papers))
    assert conference.own_papers == [("s1", "b"), ("s2", "c")]
    table = conference.conflicts()
    assert {pair: found.evidence for pair, found in table.pairs.items()} == {
        ("s1", "b"): "author of a paper with the id of the submission",
        ("s2", "c"): "author of “Two”, which has the title of the submission",
    }


def test_a_certain_conflict_gets_no_score_however_often_it_is_cited():
    papers = [
        paper(f"p{name}", name, title=f"What {name} wrote of honey bees") for name in ("ada", "bob", "cem", "dan")
    ]
    cited = tuple(Reference(one.title, doi=f"10.1/{one.id}") for one in papers)
    submission = Submission("s1", "Honey bees", "Of bees.", authors=(Author("bob", "Bob"),), bibliography=cited)
    conference = Conference([submission], Committee.of(papers))
    options = {references: ScoreOptions(model="bm25", references=references) for references in ("auto", "off")}
    scores = {references: conference.score(one).scores for references, one in options.items()}
    for found in scores.values():
        assert {found.reviewers[row] for row in found.reviewer.tolist()} == {"ada", "cem", "dan"}
    assert sorted(scores["auto"].scores.tolist()) == sorted(scores["off"].scores.tolist())
