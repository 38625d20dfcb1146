"""A learned ranker: what it may change, what it says of it, and which files it refuses."""

import dataclasses
import re
import string

import numpy as np
import pytest

from panelist.app import demo
from panelist.errors import InputError
from retriever.filters import Filters
from retriever.lookup import Lookup
from retriever.ranking.features import FEATURES
from retriever.ranking.model import DEPTH, Examples, Ranker, RankerSettings, fit_ranker, shipped
from retriever.ranking.trees import MOST_LEAVES
from retriever.search import Search


def judged(wanted, queries=40, people=30, seed=0):
    """Examples in which the person with most of one feature is right."""
    generator = np.random.default_rng(seed)
    described = generator.random((queries * people, len(FEATURES))).astype(np.float32)
    query = np.repeat(np.arange(queries), people)
    column = described[:, list(FEATURES).index(wanted)].reshape(queries, people)
    relevant = np.zeros((queries, people), dtype=np.bool_)
    relevant[np.arange(queries), column.argmax(axis=1)] = True
    return Examples(described, query, relevant.ravel())


SMALL = RankerSettings(leaves=4, rounds=30, feature_share=1.0, row_share=1.0)


@pytest.fixture(scope="module")
def by_papers(tmp_path_factory):
    """A ranker that has learned to prefer people with many papers."""
    examples = judged("papers")
    examples = dataclasses.replace(examples, described=examples.described * 12)
    path = tmp_path_factory.mktemp("ranker") / "papers.txt"
    path.write_text(fit_ranker(examples, SMALL, ["papers"]))
    return Ranker.load(str(path))


def test_the_order_is_the_rankers_and_the_scores_are_those_of_the_plain_ranking(demo_finder, by_papers):
    submission = demo.submissions()[0]
    plain = Lookup(size=30, search=Search("lexical"), conflicts="ignore")
    before = demo_finder.find(submission, plain)
    after = demo_finder.find(submission, dataclasses.replace(plain, ranker=by_papers))
    assert [match.score for match in after.matches] == [match.score for match in before.matches]
    everybody = next(demo_finder.rank([submission], dataclasses.replace(plain, size=DEPTH)))
    learned = next(demo_finder.rank([submission], dataclasses.replace(plain, size=DEPTH, ranker=by_papers)))
    assert sorted(one for one, _ in learned) == sorted(one for one, _ in everybody)
    papers = [match.paper_count for match in after.matches]
    assert np.mean(papers[:10]) > np.mean([match.paper_count for match in before.matches[:10]])
    assert papers[0] == max(papers)


def test_matching_papers_stay_with_their_author(demo_finder, by_papers):
    submission = demo.submissions()[1]
    lookup = Lookup(size=20, search=Search("lexical"), conflicts="ignore", papers=5)
    before = {
        match.author.id: match
        for match in demo_finder.find(submission, dataclasses.replace(lookup, size=DEPTH)).matches
    }
    for match in demo_finder.find(submission, dataclasses.replace(lookup, ranker=by_papers)).matches:
        same = before[match.author.id]
        assert [(one.paper.id, one.share) for one in match.papers] == [(one.paper.id, one.share) for one in same.papers]
        assert any(one.author.id == match.author.id for paper in match.papers for one in paper.paper.authorships)


def test_conflicts_filters_and_diversity_work_on_the_learned_ranking(demo_finder, by_papers):
    submission = demo.submissions()[0]
    lookup = Lookup(size=8, search=Search("lexical"), diversity=0.3, ranker=by_papers)
    panel = demo_finder.find(submission, lookup)
    assert len(panel.matches) == 8
    assert {author.id for author in submission.authors}.isdisjoint(match.author.id for match in panel.matches)
    few = demo_finder.find(
        submission, dataclasses.replace(lookup, diversity=0.0, pool=tuple(m.author.id for m in panel.matches[:3]))
    )
    assert {match.author.id for match in few.matches} <= {match.author.id for match in panel.matches[:3]}


def test_what_lifted_a_person_is_said_in_words(demo_finder, by_papers):
    submission = demo.submissions()[0]
    lookup = Lookup(size=5, search=Search("lexical"), conflicts="ignore")
    assert all(match.lifted_by == () for match in demo_finder.find(submission, lookup).matches)
    first = demo_finder.find(submission, dataclasses.replace(lookup, ranker=by_papers)).matches[0]
    assert first.lifted_by == (f"the number of papers in the index ({first.paper_count})",)


def test_where_nobody_passes_the_filters_a_ranker_has_nobody_to_order(demo_finder, by_papers):
    lookup = Lookup(search=Search("lexical"), filters=Filters(min_papers=10_000), ranker=by_papers)
    assert demo_finder.find(demo.submissions()[0], lookup).matches == ()


def test_a_ranker_learns_what_makes_people_right():
    for wanted in ("last_best", "best_rank"):
        taught, unseen = judged(wanted), judged(wanted, seed=1)
        names = [wanted, "score", "team"]
        import lightgbm

        trees = lightgbm.Booster(model_str=fit_ranker(taught, SMALL, names))
        values = trees.predict(unseen.described[:, [list(FEATURES).index(name) for name in names]])
        hits = unseen.relevant.reshape(40, 30)[np.arange(40), values.reshape(40, 30).argmax(axis=1)]
        assert hits.mean() > 0.6  # by chance: one in thirty


def test_trees_with_many_leaves_rank_as_well(demo_finder, tmp_path):
    path = tmp_path / "large.txt"
    path.write_text(
        fit_ranker(judged("papers", queries=400), dataclasses.replace(SMALL, leaves=64), ["papers", "score"])
    )
    assert max(map(int, re.findall(r"^num_leaves=(\d+)", path.read_text(), re.MULTILINE))) > MOST_LEAVES
    ranker = Ranker.load(str(path))
    lookup = Lookup(size=5, search=Search("lexical"), conflicts="ignore", ranker=ranker)
    assert len(demo_finder.find(demo.submissions()[0], lookup).matches) == 5


def test_the_same_examples_give_the_same_model():
    assert fit_ranker(judged("team"), SMALL) == fit_ranker(judged("team"), SMALL)


def test_judgements_that_teach_nothing_are_refused():
    examples = judged("team")
    with pytest.raises(InputError, match=r"nobody .* right"):
        fit_ranker(dataclasses.replace(examples, relevant=np.zeros_like(examples.relevant)))


def test_every_feature_can_be_said():
    for name, lifts in FEATURES.items():
        assert set(name) <= set(string.ascii_lowercase + string.digits + "_")
        assert "{" not in lifts.format(3.0)


@pytest.mark.parametrize("content", [None, b"", b"tree\nversion=v4\n", b"\xff\xfe", b"not a model"])
def test_what_is_not_a_ranker_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "ranker.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as error:
        Ranker.load(str(path))
    assert "panelist train ranker" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_model_of_unknown_features_is_refused(tmp_path):
    path = tmp_path / "ranker.txt"
    path.write_text(fit_ranker(judged("team"), SMALL, ["team"]).replace("feature_names=team", "feature_names=fame"))
    with pytest.raises(InputError, match="train it again"):
        Ranker.load(str(path))


def test_the_shipped_rankers_know_where_they_come_from():
    assert shipped()
    for name in shipped():
        ranker = Ranker.load(name)
        assert ranker.provenance["features"] == [list(FEATURES)[column] for column in ranker.columns]
        assert ranker.provenance["trained_on"]["queries"] > 0
        assert ranker.provenance["across_halves"]["learned"]["ndcg@10"]["delta_interval"]
