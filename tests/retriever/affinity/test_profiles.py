"""Which papers stand for a reviewer, and their arrays."""

from affinity_support import PAPERS

from panelist.records import Paper
from retriever.affinity.profiles import Profiles, most_recent


def test_profiles_are_the_most_recent_papers_by_year_then_id_each_once():
    papers = [
        Paper("b", "B", year=2020),
        Paper("a", "A", year=2020),
        Paper("c", "C", year=2021),
        Paper("d", "D"),
        Paper("e", " ", year=2022),
        Paper("f", "C ", year=2019),
    ]
    assert [paper.id for paper in most_recent(papers)] == ["c", "a", "b", "d"]
    assert [paper.id for paper in most_recent(papers, 2)] == ["c", "a"]


def test_profiles_become_arrays_without_empty_and_double_papers():
    profiles = Profiles.of([[PAPERS["nets"], PAPERS["empty"], PAPERS["nets"]], [], [PAPERS["bees"], PAPERS["nets"]]])
    assert [paper.id for paper in profiles.papers] == ["p1", "p2"]
    assert profiles.starts.tolist() == [0, 1, 1, 3]
    assert profiles.members.tolist() == [0, 1, 0]
    assert profiles.joined().members.tolist() == [0, 2]
