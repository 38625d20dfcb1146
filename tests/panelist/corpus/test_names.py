"""Names that a reader would take for the same are the same; other letters stay other letters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelist.corpus.names import normalise_name, plain_name, without_titles


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


@pytest.mark.parametrize(
    "written",
    [
        *("Karl Huber", "Dr. Karl Huber", "Dr Karl Huber", "Prof.Dr. Karl Huber", "PROF. DR. KARL HUBER"),
        *("Dr.-Ing. Karl Huber", "Dipl.-Ing. Karl Huber", "Dr. rer. nat. Karl Huber", "Assoc. Prof. Karl Huber"),
        *("Karl Huber, PhD", "Karl Huber Ph.D.", "Karl Huber, M.D., Ph. D.", "Mr. Karl Huber Jr.", "Karl Huber III"),
        *("Huber, Karl", "Huber, Karl, PhD", "Karl Huber (MIT)", "Karl Huber <karl@x.org>", "KARL HUBER, MSC"),
    ],
)
def test_titles_and_remarks_are_no_part_of_a_name(written: str) -> None:
    assert plain_name(written) == "karl huber"


@pytest.mark.parametrize(
    "name", ["JR Smith", "Smith JR", "Smith MD", "MS Smith", "Md. Rahman", "Dr", "Prof.", "Drew Li"]
)
def test_initials_and_names_that_look_like_titles_stay(name: str) -> None:
    assert without_titles(name) == name


@given(st.text())
def test_a_plain_name_is_its_own_normal_name(name: str) -> None:
    assert normalise_name(plain_name(name)) == plain_name(name)
