"""The measure of fit: against loops, the same in a look-up and for a conference, and never lowered by more evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.tables.nearness import Nearness
from indexing.text import Text
from panelist.app import demo
from panelist.records import Author, Authorship, Confidence, Paper, Reference, Submission
from retriever.affinity import near
from retriever.affinity.blocks import PooledBlocks
from retriever.affinity.pooling import ProfilePooling
from retriever.affinity.profiles import Profiles
from retriever.affinity.similarity import DenseSimilarity
from retriever.fit import EVIDENCE, LED_UNKNOWN, NEAR, FitModel, evidence_of, grade, learn, near_evidence, shipped
from retriever.lookup import Lookup
from retriever.search import Search

GRADES = [*Confidence]  # low, medium, high
SCALE = Nearness((0.0, 0.1, 0.2), (0.5, 0.9, 1.0))
amounts = st.fixed_dictionaries({name: st.floats(0, 3) for name in EVIDENCE})


@given(before=amounts, more=amounts)
def test_more_evidence_never_lowers_the_grade(before, more):
    known, grown = ({name: np.array([of[name]]) for name in EVIDENCE} for of in (before, before))
    grown = {name: values + more[name] for name, values in grown.items()}
    low, high = (float(shipped().probability(of)[0]) for of in (known, grown))
    assert low <= high
    assert GRADES.index(grade(low)) <= GRADES.index(grade(high))


@given(probabilities=st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_who_fits_better_has_no_lower_grade(probabilities):
    ordered = [GRADES.index(grade(of)) for of in sorted(probabilities)]
    assert ordered == sorted(ordered)


def papers_of(profiles):
    """Nearness, owner and led of the papers of people."""
    persons = np.repeat(np.arange(len(profiles)), [*map(len, profiles)])
    nearness = np.array([value for profile in profiles for value, _ in profile])
    return nearness, persons, len(profiles), np.array([led for profile in profiles for _, led in profile], np.bool_)


profiles_of_people = st.lists(
    st.lists(st.tuples(st.floats(-0.5, 1.5), st.booleans()), max_size=6), min_size=1, max_size=5
)


@given(profiles=profiles_of_people)
def test_what_follows_from_near_papers_agrees_with_loops(profiles):
    found = near_evidence(*papers_of(profiles))
    unknown = near_evidence(*papers_of(profiles), leads_known=np.zeros(len(profiles), np.bool_))
    for row, profile in enumerate(profiles):
        values = sorted((max(value, 0) for value, _ in profile), reverse=True) + [0.0] * 3
        assert [found[name][row] for name in ("nearest", "second", "third")] == values[:3]
        assert found["led"][row] == max((max(value, 0) for value, led in profile if led), default=0)
        assert unknown["led"][row] == LED_UNKNOWN * values[0]


@given(profile=profiles_of_people.map(lambda people: people[0]), value=st.floats(-0.5, 1.5), led=st.booleans())
def test_a_further_paper_lowers_nothing(profile, value, led):
    fewer, more = (near_evidence(*papers_of([of])) for of in (profile, [*profile, (value, led)]))
    assert all(more[name][0] >= fewer[name][0] for name in fewer)


def test_a_model_is_learned_from_pairs():
    dice = np.random.default_rng(1)
    evidence = {"nearest": dice.random(20_000), "cited": dice.random(20_000), "reviews": np.zeros(20_000)}
    truth = 1 / (1 + np.exp(-(-3 + 2 * evidence["nearest"])))
    model = learn(evidence, dice.random(20_000) < truth)
    assert model.weights["nearest"] == pytest.approx(2, abs=0.2)
    assert model.weights["cited"] == pytest.approx(0, abs=0.2)
    assert model.intercept == pytest.approx(-3, abs=0.2)
    assert "reviews" not in model.weights  # nobody has any
    given = model.probability(evidence)
    assert (given >= model.fair).mean() == pytest.approx(0.5, abs=0.01)
    assert (given >= model.strong).mean() == pytest.approx(0.1, abs=0.01)
    against = learn({"nearest": evidence["nearest"]}, dice.random(20_000) > truth)
    assert against.weights == {"nearest": 0}  # evidence never speaks against somebody


def test_the_model_of_the_package_keeps_what_it_promises():
    from importlib.resources import files

    import orjson

    measured = orjson.loads((files("retriever") / "fit.json").read_bytes())["provenance"]["across_years"]
    for name in ("with references", "without references"):
        assert measured[name]["auc"] >= 0.68
        assert measured[name]["calibration_error"] <= 0.01
        assert measured[name]["strong_to_weak"] >= 4
        assert sorted(measured[name]["grades"], key=lambda of: measured[name]["grades"][of]["value"]) == GRADES
    assert min(shipped().weights.values()) >= 0


@settings(max_examples=40)
@given(
    lengths=st.lists(st.integers(0, 6), min_size=1, max_size=9),
    submissions=st.integers(1, 20),
    seed=st.integers(0, 100),
    cells=st.sampled_from([1, 64, 1 << 20]),
)
def test_pairs_of_a_conference_agree_with_loops(lengths, submissions, seed, cells):
    dice = np.random.default_rng(seed)
    papers, queries = (dice.standard_normal((n, 4)).astype(np.float32) for n in (30, submissions))
    papers, queries = (of / np.linalg.norm(of, axis=1, keepdims=True) for of in (papers, queries))
    members = [dice.choice(30, length, replace=False) for length in lengths]
    documents = tuple(Submission(str(paper), str(paper)) for paper in range(30))
    profiles = Profiles(documents, np.cumsum([0, *lengths]), np.concatenate(members).astype(np.int64))
    blocks = PooledBlocks(
        DenseSimilarity(papers, 3 * queries), profiles, submissions, ProfilePooling.parse("max").plan, nearness=SCALE
    )  # three times: a weight in a sum changes nothing
    row, column = (of.ravel() for of in np.indices((submissions, len(lengths))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "_CELLS", cells)
        found = blocks.near().grades(row, column, [f"r{n}" for n in range(len(lengths))])
    nearness = SCALE.scaled(papers @ queries.T)
    for pair, (submission, reviewer) in enumerate(zip(row.tolist(), column.tolist(), strict=True)):
        values = nearness[members[reviewer].astype(np.int64), submission]
        profile = [(float(value), False) for value in values]
        evidence = near_evidence(*papers_of([profile]), leads_known=np.zeros(1, np.bool_))
        assert found.fit[pair] == pytest.approx(shipped().probability(evidence)[0], rel=1e-4)
        if np.abs(values - NEAR).min(initial=1) > 1e-5:  # products of other shapes may round differently
            assert found.near_papers[pair] == (values >= NEAR).sum()


def test_a_reviewer_under_an_address_has_the_grade_of_their_id():
    profile = Paper("p", "Bees", authorships=(Authorship(Author("A1", "Ada")),))
    vectors, rows = np.ones((1, 1), np.float32), np.zeros(1, np.int64)
    profiles = Profiles((profile,), np.array([0, 1]), rows)
    pooling = ProfilePooling.parse("max").plan
    blocks = PooledBlocks(DenseSimilarity(vectors, vectors), profiles, 1, pooling, nearness=SCALE)
    by_id, by_address, unknown = (
        blocks.near().grades(rows, rows, [reviewer], aliases).fit[0]
        for reviewer, aliases in (("A1", {}), ("ada@x.org", {"A1": "ada@x.org"}), ("ada@x.org", {}))
    )
    assert by_id == by_address > unknown


@pytest.mark.parametrize("references", [False, True])
def test_a_match_has_the_grade_of_its_fit_and_its_near_papers(demo_finder, references):
    sample = demo.submissions()[0]
    works = tuple(Reference(paper.title) for paper in demo.corpus()[:40]) if references else ()
    submission = Submission(sample.id, sample.title, sample.abstract, bibliography=works)
    panel = demo_finder.find(submission, Lookup(size=20, conflicts="ignore"))
    index = demo_finder.index
    vector = index.encoder().encode([Text.of(submission)])[0]
    lifted = 0
    for match in panel.matches:
        number = index.ownership.author_ids.find([match.author.id])[0]
        starts = index.ownership.author_starts
        own = index.ownership.author_units[starts[number] : starts[number + 1]]
        nearness = index.nearness.scaled(np.asarray(index.vectors[own], np.float32) @ vector)
        assert match.near_papers == (nearness >= NEAR).sum()
        assert match.confidence == grade(match.fit)
        evidence, _ = evidence_of(index, vector, np.array([number]))
        alone = shipped().probability(evidence)[0]
        assert match.fit >= alone * (1 - 1e-6)  # what is cited adds, and never takes away
        lifted += match.fit > 1.01 * alone
    assert bool(lifted) == references


def test_a_search_for_words_alone_grades_nobody(demo_finder):
    panel = demo_finder.find(demo.submissions()[0], Lookup(search=Search("lexical"), conflicts="ignore"))
    assert {(match.near_papers, match.fit, match.confidence) for match in panel.matches} == {(None, None, None)}
    assert panel.coverage is None


def test_a_model_needs_no_evidence_that_is_not_known():
    model = FitModel({"nearest": 1.0, "cited": 2.0}, 0.0, 0.5, 0.9)
    assert model.probability({"nearest": np.zeros(2)}).tolist() == [0.5, 0.5]
