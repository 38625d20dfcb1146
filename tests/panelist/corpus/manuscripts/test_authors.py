"""Names between a title and an abstract: lists that lines break, columns, capitals, marks and addresses."""

import pytest

from panelist.corpus.manuscripts.authors import find_authors
from panelist.corpus.manuscripts.lines import Line

WIDE = 400.0


def block(*rows, top=700.0):
    """Lines below each other; each is its text, and perhaps its font and its width."""
    lines = []
    for text, font, width in ((*row, *("Bold 11", WIDE)[len(row) - 1 :]) for row in rows):
        plain = text.replace("\t", " ").replace("†", "1")
        lines.append(Line(plain, 0, 72.0, 72.0 + width, top, top, 11.0, text, font))
        top -= 13
    return lines


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        pytest.param(
            [("Björn Åström†, Ana Cristina Franco da",), ("Silva†, Daniel P.",), ("García-Molina†",)],
            ["Björn Åström", "Ana Cristina Franco da Silva", "Daniel P. García-Molina"],
            id="a list that lines break",
        ),
        pytest.param(
            [("Yusuke Shinyama\tSatoshi Sekine",), ("New York University\tNew York University",)],
            ["Yusuke Shinyama", "Satoshi Sekine"],
            id="two columns",
        ),
        pytest.param(
            [("XU WANG, ETH Zürich, Germany",), ("KAVITA DE LA CRUZ, INRIA Rennes",)],
            ["Xu Wang", "Kavita de la Cruz"],
            id="capitals tell names from places",
        ),
        pytest.param(
            [("Ada Lovelace†, Mary Somerville† and Émilie du Châtelet†",), ("†Turin Works, New York", "Italic 9")],
            ["Ada Lovelace", "Mary Somerville", "Émilie du Châtelet"],
            id="other letters",
        ),
        pytest.param(
            [("Ada Lovelace",), ("UC San Diego",), ("New York",), ("ada@ucsd.edu",)], ["Ada Lovelace"], id="places"
        ),
        pytest.param(
            [("Li Xu, Member, IEEE, Wei York, IEEE, Mohammed van den",), ("Berg, Member, IEEE", "Bold 11", 90.0)],
            ["Li Xu", "Wei York", "Mohammed van den Berg"],
            id="members of a society",
        ),
        pytest.param([("Ada Lovelace · Charles Babbage ·",), ("Luigi Menabrea",)],
                     ["Ada Lovelace", "Charles Babbage", "Luigi Menabrea"], id="dots"),
    ],
)  # fmt: skip
def test_authors_are_found_exactly(rows, names):
    assert find_authors(block(*rows))[0] == names


def test_what_is_neither_a_name_nor_an_address_makes_the_list_less_sure():
    assert find_authors(block(("Ada Lovelace, Charles Babbage",))) == (["Ada Lovelace", "Charles Babbage"], True)
    assert find_authors(block(("Ada Lovelace, the enchantress of numbers",))) == (["Ada Lovelace"], False)
