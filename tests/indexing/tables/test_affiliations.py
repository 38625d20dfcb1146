"""Who worked where: names compared, files."""

import numpy as np
import pytest
from tables_support import affiliations_of, save_table

from indexing.tables.affiliations import Affiliations, institution_key, normalised
from panelist.records import Institution

PLACES = [
    Institution("University of Nowhere", "https://ror.example/1", "XA"),
    Institution("The university of nowhere"),
    Institution("Atlantis Tech", None, "XB"),
]


def table(authors, units, places, count=3):
    return affiliations_of(PLACES, count, np.array(authors), np.array(units), np.array(places))


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


def test_save_and_open_change_nothing(tmp_path):
    affiliations = table([2, 0, 0], [5, 3, 1], [2, 1, 0])
    save_table(affiliations, tmp_path / "a")
    opened = Affiliations.open(tmp_path / "a")
    for name in ("starts", "units", "institutions", "name_numbers"):
        np.testing.assert_array_equal(getattr(opened, name), getattr(affiliations, name))
    assert [opened[number] for number in range(3)] == PLACES
