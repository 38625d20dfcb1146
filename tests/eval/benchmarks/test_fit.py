"""How true grades are: areas and shares counted by hand, across years, and shown as a picture."""

import numpy as np
import pytest

from eval.benchmarks.coverage import Covered, separation
from eval.benchmarks.fit import Graded, Suggestions, area, model_of, reliability_section
from panelist.app import demo
from panelist.records import Confidence, Coverage, Submission


def suggestions(count=4000, seed=0):
    """Pairs of which the nearest are right more often, of two years."""
    dice = np.random.default_rng(seed)
    nearest = dice.random(count)
    right = dice.random(count) < 1 / (1 + np.exp(3 - 4 * nearest))
    return Suggestions({"nearest": nearest}, right, np.arange(count) // 10, 2019 + np.arange(count) % 2)


def test_an_area_is_the_share_of_pairs_in_order():
    scores, right = np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, True, False, True])
    pairs = [(mine > other) + (mine == other) / 2 for mine in scores[right] for other in scores[~right]]
    assert area(scores, right) == pytest.approx(sum(pairs) / len(pairs))


def test_grades_are_by_the_other_year_as_often_right_as_promised_and_rise():
    taught = suggestions()
    graded = Graded.by_other_years(taught, taught)
    figures = graded.figures()
    assert figures["auc"] == pytest.approx(area(taught.evidence["nearest"], taught.right), abs=0.01)
    assert figures["calibration_error"] < 0.05
    shares = [figures["grades"][str(grade)].value for grade in Confidence]
    assert shares == sorted(shares)
    high = graded.grades == Confidence.HIGH
    assert shares[-1] == pytest.approx(taught.right[high].mean())
    assert figures["graded"]["high"] == high.sum()
    assert model_of(taught).weights["nearest"] == pytest.approx(4, abs=0.5)


def test_a_year_is_not_graded_by_itself():
    taught = suggestions()
    later = taught.year == 2020
    lying = Suggestions(taught.evidence, taught.right & ~later, taught.query, taught.year)  # nobody is right later
    graded = Graded.by_other_years(lying, lying)
    assert graded.probability[later].mean() > 0.2  # by the earlier year, which knows nothing of it
    assert graded.probability[~later].mean() < 0.05


def test_both_together_are_learned_from():
    first, second = suggestions(40), suggestions(60, 1)
    both = Suggestions.joined([first, second])
    assert len(both.right) == len(both.query) == len(both.year) == len(both.evidence["nearest"]) == 100


def test_the_section_has_a_picture_of_each():
    taught = suggestions()
    *pictures, reading = reliability_section({"with references": Graded.by_other_years(taught, taught)}).blocks
    assert len(pictures) == 1
    assert "as often as promised" in reading.text


def test_submissions_of_another_field_are_told_so(demo_finder, monkeypatch):
    monkeypatch.setattr("indexing.tables.nearness.LEAST", 10)
    papers = demo.submissions()
    others = [Submission(f"o{n}", f"Zxqw vbnm plokij {n}", "Qazwsx edcrfv tgbyhn ujmikol.") for n in range(4)]
    inside, outside = (Covered.look_up(demo_finder, of) for of in (papers, others))
    assert inside.figures()["none"] == 0
    assert outside.figures()["none"] == outside.told.count(Coverage.NONE) / 4 >= 0.75
    assert np.isnan(outside.figures()["cited"])  # they cite nothing
    assert separation(inside, outside) == 1
    assert separation(outside, inside) == 0
