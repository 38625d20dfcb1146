"""Xenia Reef, her co-authors, colleagues and namesakes: papers and submissions for tests of conflicts of interest."""

import dataclasses

from panel_support import at, paper

from panelist.records import Author, ConflictKind, Submission
from retriever.lookup import Lookup
from retriever.search import Search

AUTHOR, COAUTHOR, INSTITUTION, DECLARED = ConflictKind
REEF, OTHER = ("Reef University", "https://ror.example/reef", "AU"), ("Elsewhere", "https://ror.example/else", "FR")
PAPERS = [
    paper("p01", at("xenia", REEF, name="Xenia Reef"), at("c2019", OTHER), title="Coral one", year=2019),
    paper("p02", at("xenia", name="Xenia Reef"), "c2017", title="Coral two", year=2017),
    paper("p03", at("xenia", name="Xenia Reef"), "c2016", title="Coral three", year=2016),
    paper("p04", at("xenia", name="Xenia Reef"), "undated", title="Coral four", year=None),
    paper("p05", at("colleague", REEF), year=2019),
    paper("p06", at("left", REEF), year=2015),
    paper("p07", at("left", OTHER), year=2019),
    paper("p08", at("moved", OTHER), year=2020),
    paper("p09", at("moved", REEF), year=2018),
    paper("p10", at("silent", REEF), year=2009),
    paper("p11", at("unlisted", "the REEF university"), year=2019),
    paper("p12", at("homonym", ("Reef University", "https://ror.example/another", "US")), year=2019),
    paper("p13", at("nobody", OTHER), year=2019),
    paper("p14", at("xenia2", name="Xenia Reef"), year=2019),
    paper("p15", at("nora1", ("Nora's Place", "https://ror.example/nora"), name="Nora Nym"), "friend", title="Coral N"),
    paper("p16", at("nora2", name="Nóra  NYM"), year=2019),
    paper("p17", at("neighbour", ("Nora's Place", "https://ror.example/nora")), year=2019),
    # On an older paper with a higher number than the newer one: evidence goes by the year.
    paper("p18", at("colleague", REEF), year=2018),
    paper("p19", at("xenia", name="Xenia Reef"), "c2019", title="Coral nine", year=2018),
    paper("p20", at("neighbour", ("Nora's Place", "https://ror.example/nora")), year=2018),
]
XENIA = Author("xenia", "Xenia Reef")
EVERYONE = Lookup(size=50, search=Search(mode="lexical"))


def asked(**more):
    return Submission("s1", "bleaching of coral reefs", year=2020, **more)


def look(**changes):
    return dataclasses.replace(EVERYONE, **changes)
