"""What a person writes about: co-authors, topics and terms, counted paper by paper."""

from panel_support import paper

from retriever.profiles import Coauthor, YearCount, coauthors, terms, topics
from retriever.terms import Rarity

PAPERS = [
    paper("p1", "ada", "bob", title="Coral bleaching in warm water", year=2018, topics=("reefs", "heat")),
    paper("p2", "ada", "bob", "cyd", title="Coral bleaching and larvae", year=2020, topics=("reefs",)),
    paper("p3", "ada", title="Larvae of corals", year=None, topics=("larvae",)),
]


def test_coauthors_are_counted_and_ordered():
    found = coauthors("ada", PAPERS)
    bob, cyd = PAPERS[1].authorships[1].author, PAPERS[1].authorships[2].author
    assert found == [Coauthor(bob, 2, 2020), Coauthor(cyd, 1, 2020)]
    assert coauthors("ada", [PAPERS[2]]) == []
    later = [
        paper("p4", "ada", "aby", year=2017),
        paper("p5", "ada", "zoe", year=2021),
        paper("p6", "ada", "xan", year=None),
    ]
    assert [one.author.id for one in coauthors("ada", later)] == ["zoe", "aby", "xan"]  # the latest first


def test_topics_are_counted_by_year():
    reefs, *others = topics(PAPERS, 10)
    assert (reefs.name, reefs.papers, reefs.years) == ("reefs", 2, (YearCount(2018, 1), YearCount(2020, 1)))
    assert [one.name for one in others] == ["heat", "larvae"]
    assert others[1].years == ()
    assert len(topics(PAPERS, 1)) == 1


def test_terms_mark_several_papers_and_are_spelled_as_written():
    rarity = Rarity([f"water of kind {number}" for number in range(200)])
    found = {one.name: one for one in terms(PAPERS, rarity, 10)}
    assert {"coral bleaching", "larvae"} <= found.keys()
    assert "water" not in found  # in one paper only
    assert "bleaching" not in found  # never without coral
    assert found["coral bleaching"].papers == 2
    alone = paper("p7", title="Bleaching of paper"), paper("p8", title="Bleaching of wool")
    assert {"coral bleaching", "bleaching"} <= {
        one.name for one in terms([*PAPERS, *alone], rarity, 10)
    }  # often without
    assert terms([], rarity, 10) == []
    assert terms(PAPERS[:1], rarity, 3)
