"""Conflicts of interest against an oracle that loops over the papers of the demo corpus."""

from conflict_support import look
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_support import ConflictOracle, ids, reasons

from panelist.app.demo import corpus
from panelist.records import Submission
from retriever.conference.conflicts.rules import ConflictRules

DEMO = corpus()
ORACLE = ConflictOracle(DEMO)
PEOPLE = sorted({one.author for work in DEMO for one in work.authorships}, key=lambda author: author.id)
INSTITUTIONS = sorted({where for work in DEMO for one in work.authorships for where in one.institutions}, key=str)


@st.composite
def demo_submissions(draw):
    work = draw(st.sampled_from(DEMO))
    return Submission(
        "s",
        f"More on {work.title}",
        authors=tuple(draw(st.lists(st.sampled_from(PEOPLE), max_size=3, unique=True))),
        author_names=tuple(author.name for author in draw(st.lists(st.sampled_from(PEOPLE), max_size=2, unique=True))),
        institutions=tuple(draw(st.lists(st.sampled_from(INSTITUTIONS), max_size=2, unique=True))),
        year=draw(st.sampled_from([None, 2012, 2020, 2025])),
    )


@settings(max_examples=40)
@given(submission=demo_submissions(), years=st.integers(0, 12))
def test_all_conflicts_are_those_that_loops_over_the_papers_find(demo_finder, submission, years):
    rules = ConflictRules(coauthor_years=years, institution_years=years)
    panel = demo_finder.find(submission, look(size=500, conflicts="flag", conflict_rules=rules, papers=0))
    expected = ORACLE.conflicts(submission, years)
    found = reasons(panel)
    assert len(found) > 10  # titles find as few as 11
    for reviewer, kinds in found.items():
        wanted = expected.get(reviewer, set())
        # A possible conflict of a kind adds nothing to a certain one of the same kind: it may be left out, not more.
        assert {one for one in wanted if one[1] or (one[0], True) not in wanted} <= kinds <= wanted, reviewer


@settings(max_examples=40)
@given(
    submission=demo_submissions(),
    size=st.integers(1, 30),
    weight=st.sampled_from([0, 0.3, 1]),
    algorithm=st.sampled_from(["mmr", "coverage"]),
)
def test_certain_conflicts_are_never_on_a_panel_and_all_hidden_are_told(
    demo_finder, submission, size, weight, algorithm
):
    lookup = look(size=size, diversity=weight, diversity_algorithm=algorithm)
    panel = demo_finder.find(submission, lookup)
    certain = {author for author, kinds in ORACLE.conflicts(submission).items() if any(sure for _, sure in kinds)}
    told = {one.reviewer for one in panel.hidden}
    assert not certain & set(ids(panel))
    assert told <= certain
    plain = ids(demo_finder.find(submission, look(size=500, conflicts="ignore")))
    last = max((plain.index(author) for author in ids(panel)), default=len(plain))
    above = plain if len(panel.matches) < size else plain[:last]
    assert told == certain & set(above)
