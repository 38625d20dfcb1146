"""Who worked where: names compared, latest employers, files."""

import numpy as np
import pytest

from indexing.tables.affiliations import Affiliations, institution_key, normalised
from panelist.records import Institution

PLACES = [
    Institution("University of Nowhere", "https://ror.example/1", "XA"),
    Institution("The university of nowhere"),
    Institution("Atlantis Tech", None, "XB"),
]


def table(authors, units, places, count=3):
    return Affiliations.of(PLACES, count, np.array(authors), np.array(units), np.array(places))


@pytest.mark.parametrize(
    ("name", "plain"),
    [("The  École Normale", "ecole normale"), ("MIT.", "mit"), ("U.-of X", "u of x"), ("Łódź", "łodz"), ("", "")],
)
def test_names_are_compared_without_case_accents_and_punctuation(name, plain):
    assert normalised(name) == plain


def test_a_ror_identifies_and_a_name_only_suggests():
    affiliations = table([0], [0], [0])
    assert institution_key(PLACES[0]) != institution_key(PLACES[1])
    assert affiliations.name_numbers[0] == affiliations.name_numbers[1] != affiliations.name_numbers[2]
    assert affiliations.plain_names.find(["university of nowhere"]).tolist() == [affiliations.name_numbers[0]]
    assert [affiliations[number] for number in range(3)] == PLACES


def test_current_is_what_the_latest_paper_names_first():
    years = np.array([2010, 2020, 2020, 0], dtype=np.int16)
    # Author 0: 2010 at 0, 2020 (unit 1) at 2, then 2020 (unit 2) at 1 and 0; author 2: a unit without year
    affiliations = table([0, 0, 0, 0, 2], [0, 1, 2, 2, 3], [0, 2, 1, 0, 2])
    assert affiliations.current(np.array([0, 1, 2]), years).tolist() == [1, -1, 2]


def test_save_and_open_change_nothing(tmp_path):
    affiliations = table([2, 0, 0], [5, 3, 1], [2, 1, 0])
    affiliations.save(tmp_path / "a")
    opened = Affiliations.open(tmp_path / "a")
    for name in ("starts", "units", "institutions", "name_numbers"):
        np.testing.assert_array_equal(getattr(opened, name), getattr(affiliations, name))
    assert [opened[number] for number in range(3)] == PLACES
