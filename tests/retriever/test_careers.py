"""What follows from careers: institutions, levels of seniority, and how varied people are."""

from types import SimpleNamespace

import numpy as np
import pytest
from tables_support import affiliations_of, ownership_of

from panelist.records import Institution
from retriever.careers import Careers, diversity_of


def test_the_institution_is_what_the_latest_paper_names_first():
    years = np.array([2010, 2020, 2020, 0], dtype=np.int16)
    # Author 0: 2010 at 0, 2020 (unit 1) at 2, then 2020 (unit 2) at 1 and 0; author 2: a unit without year
    authors, units, at = np.array([0, 0, 0, 0, 2]), np.array([0, 1, 2, 2, 3]), np.array([0, 2, 1, 0, 2])
    index = SimpleNamespace(
        units=SimpleNamespace(years=years, citations=np.zeros(4, np.int32)),
        ownership=ownership_of(["a", "b", "c"], 4, np.arange(4), np.ones(4, np.int64), np.array([0, 0, 0, 2])),
        affiliations=affiliations_of([Institution(name) for name in "xyz"], 3, authors, units, at),
    )
    assert Careers.of(index, np.array([0, 1, 2])).institutions.tolist() == [1, -1, 2]


def test_a_grade_of_seniority_needs_twice_the_papers():
    papers = np.array([1, 2, 3, 4, 7, 8, 15, 16, 900])
    assert Careers(papers, *[papers] * 4).seniority().tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_diversity_counts_what_differs_and_how_much_careers_do():
    found = diversity_of(["a", "b", "a"], ["x", "x"], [1, 2, 6], [10, 10, 10])
    assert (found.institutions, found.countries, found.sigma_citations) == (2, 1, 0)
    assert found.sigma_papers == pytest.approx(np.std([1, 2, 6]))
    assert diversity_of([], [], [], []).sigma_papers == 0
