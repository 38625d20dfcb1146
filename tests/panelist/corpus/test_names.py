"""Names that a reader would take for the same are the same; other letters stay other letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelist.corpus.names import normalise_name


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Ada Lovelace", "ada lovelace"),
        ("  ADA \u00a0 Lovelace\n", "ada lovelace"),
        ("José Muñoz", "jose munoz"),
        ("Jose\u0301 Mun\u0303oz", "jose munoz"),
        ("Łukasz Weiß", "lukasz weiss"),
        ("Ǿrsted Ærø", "orsted aero"),
        ("İnci Işık", "inci isik"),
        ("Нгуен Й", "нгуен и"),
        ("がくと", "がくと"),
        ("김민준", "김민준"),
        ("王 小明", "王 小明"),
        ("", ""),
    ],
)
def test_case_accents_and_spacing_are_levelled(name: str, normal: str) -> None:
    assert normalise_name(name) == normal


def test_what_nobody_sees_makes_no_other_name() -> None:
    assert normalise_name("Yue\u200b\ufeff Zh\u00adang\u200f") == "yue zhang"


def test_marks_that_make_another_letter_are_kept() -> None:
    assert normalise_name("が") != normalise_name("か")


@given(st.text())
def test_a_normal_name_is_its_own_normal_name(name: str) -> None:
    assert normalise_name(normalise_name(name)) == normalise_name(name)
