"""What follows from careers: levels of seniority, and how varied people are."""

import numpy as np
import pytest

from retriever.careers import Careers, diversity_of


def test_seniority_doubles():
    papers = np.array([1, 2, 3, 4, 7, 8, 15, 16, 900])
    assert Careers(papers, *[papers] * 4).seniority().tolist() == [0, 1, 1, 2, 2, 3, 3, 4, 4]


def test_diversity_counts_what_differs_and_how_much_careers_do():
    found = diversity_of(["a", "b", "a"], ["x", "x"], [1, 2, 6], [10, 10, 10])
    assert (found.institutions, found.countries, found.sigma_citations) == (2, 1, 0)
    assert found.sigma_papers == pytest.approx(np.std([1, 2, 6]))
    assert diversity_of([], [], [], []).sigma_papers == 0
