"""Each filter by hand, on people whose careers are known."""

import dataclasses

import pytest
from panel_support import at, ids, make_finder, paper

from panelist.records import Submission
from retriever.filters import Filters
from retriever.lookup import Lookup
from retriever.search import Search

LYON, KYOTO = ("Université de Lyon", "https://ror.example/lyon", "FR"), ("Kyoto University", None, "JP")

# amy: one paper, 2010, Lyon · ben: three papers, 2015–2020, Lyon then Kyoto · cat: two papers, one relevant, no place
# dan: one paper without a year, Lyon · eve: four papers, 2020 to 2023, Kyoto
PAPERS = [
    paper("p01", at("amy", LYON), year=2010),
    paper("p02", at("ben", LYON), year=2015),
    paper("p03", at("ben", LYON), year=2018),
    paper("p04", at("ben", KYOTO), year=2020),
    paper("p05", at("cat"), year=2021),
    paper("p06", at("cat"), title="granite", year=2022),
    paper("p07", at("dan", LYON), year=None),
    *(paper(f"p1{n}", at("eve", KYOTO), year=2020 + n) for n in range(4)),
]
ASKED = Submission("s", "coral bleaching")


@pytest.fixture(scope="module")
def passing(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("filters"), PAPERS) as finder:

        def find(**filters):
            lookup = Lookup(search=Search(mode="lexical"), filters=Filters(**filters))
            panel = finder.find(ASKED, lookup)
            ranked = next(finder.rank([ASKED], lookup))
            assert [reviewer for reviewer, _ in ranked] == ids(panel)
            return set(ids(panel))

        yield find


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, "amy ben cat dan eve"),
        ({"countries": ("FR",)}, "amy dan"),
        ({"countries": ("jp",)}, "ben eve"),
        ({"countries": ("FR", "JP")}, "amy ben dan eve"),
        ({"countries": ("BR",)}, ""),
        ({"institutions": ("universite de LYON",)}, "amy dan"),
        ({"institutions": ("https://ror.example/lyon",)}, "amy dan"),
        ({"institutions": ("Kyoto-University", "Université de Lyon")}, "amy ben dan eve"),
        ({"institutions": ("Kyoto University",), "countries": ("FR",)}, ""),
        ({"min_papers": 2}, "ben cat eve"),
        ({"min_papers": 4}, "eve"),
        ({"max_papers": 1}, "amy dan"),
        ({"max_papers": 0}, ""),
        ({"min_papers": 2, "max_papers": 3}, "ben cat"),
        ({"active_since": 2020}, "ben cat eve"),
        ({"active_since": 2021}, "cat eve"),
        ({"min_relevant": 2}, "ben eve"),
        ({"min_relevant": 4}, "eve"),
        ({"exclude": ("eve", "amy", "ghost")}, "ben cat dan"),
        ({"countries": ("FR",), "include": ("eve", "ghost")}, "amy dan eve"),
        ({"include": ("eve",), "exclude": ("eve",)}, "amy ben cat dan"),
        ({"include": ("amy",)}, "amy ben cat dan eve"),
    ],
    ids=str,
)
def test_filters_let_pass_whom_they_describe(passing, filters, expected):
    assert passing(**filters) == set(expected.split())


def test_a_filter_is_applied_before_the_panel_is_cut(tmp_path):
    papers = [paper(f"p{n:03}", at(f"a{n:03}", LYON if n > 90 else KYOTO)) for n in range(100)]
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(ASKED, Lookup(size=5, search=Search(mode="lexical"), filters=Filters(countries=("FR",))))
    assert len(panel.matches) == 5
    assert not panel.notes


def test_ids_that_are_not_in_the_index_are_noted(tmp_path):
    with make_finder(tmp_path, PAPERS) as finder:
        filters = Filters(include=("ghost", "amy"), exclude=("spectre",))
        panel = finder.find(ASKED, Lookup(size=3, search=Search(mode="lexical"), filters=filters))
        quiet = finder.find(ASKED, dataclasses.replace(Lookup(size=3), filters=Filters(include=("amy",))))
    assert any("ghost" in note and "spectre" in note and "amy" not in note for note in panel.notes)
    assert quiet.notes == ()
