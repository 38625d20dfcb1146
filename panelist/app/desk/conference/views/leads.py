"""Leads on collusion for chairs: groups whose bids on each other's papers nothing else explains.

They are made of what the chair who asks may see, so nothing of a hidden paper is in them, and kept for everybody who
sees the same. A lead is where to look, with its evidence, and never a verdict.
"""

from datetime import datetime

from msgspec import Struct

from panelist.app.desk.conference.audit import content_digest
from panelist.app.desk.conference.conflicts import SOURCES
from panelist.app.desk.conference.contents import FILE_NAMES, file_content, load_bids, load_people
from panelist.app.desk.conference.outcomes import forbidden_pairs
from panelist.app.desk.conference.scores import load_scores
from panelist.app.desk.conference.state import Conference, remembered
from panelist.app.desk.conference.view import ConferenceView
from panelist.errors import InputError
from panelist.words import encoded
from retriever.assignment.building.records import AFFINITY, BIDS, Records
from retriever.assignment.collusion import bidding_of, find_leads

LEADS = "leads"  # the row of leads, for everybody who sees the same papers
_LARGEST = 6_000_000  # people times papers: arrays of this size are looked through many times


class LeadBid(Struct, frozen=True):
    """A bid of a member on a paper of another one."""

    reviewer: str
    name: str
    paper: str
    title: str


class BidLead(Struct, frozen=True):
    """A group to look at; see `retriever.assignment.collusion.Lead`."""

    members: list[tuple[str, str]]  # ids and names
    bids: list[LeadBid]
    possible: int
    expected: float
    evidence: float
    distant: int
    ring: bool


class FoundLeads(Struct, frozen=True):
    """What was found in which files, and when."""

    at: datetime
    inputs: str
    leads: list[BidLead]


@remembered("bids", "scores", *SOURCES)
def inputs_of_leads(conference: Conference) -> str:
    """A digest of what leads are made of, as far as it may be seen."""
    filtered = FILE_NAMES if conference.sight.hidden else ()
    rows = [
        file_content(conference, name) if name in filtered else conference.part(name)
        for name in ("bids", "scores", *SOURCES)
    ]
    return content_digest(encoded(rows).decode())


def look_for_leads(view: ConferenceView, at: datetime) -> FoundLeads:
    """Look for groups in the bids of a conference.

    Raises:
        InputError: there are no bids, nobody is known to be an author, or there are too many people and papers.
    """
    conference = view.stored
    bids = load_bids(conference)
    if bids is None:
        raise InputError("leads are found in bids: add the file of bids first")
    scores = {AFFINITY: load_scores(conference).table} if conference.part("scores").blob else {}
    records = Records(
        scores={BIDS: bids, **scores},
        people=load_people(conference),
        conflicts=view.conflicts,
        forbidden=[*forbidden_pairs(conference, view.manual)],
    )
    tables = records.scores.values()
    people, papers = (max(len(getattr(table, name)) for table in tables) for name in ("reviewers", "papers"))
    if people * papers > _LARGEST:
        raise InputError(
            f"{people:,} people and {papers:,} papers are too many for the desk: use `panelist assign leads` at the "
            "command line"
        )
    bidding, ids, titles = bidding_of(records)
    labels = view.labels
    leads = [
        BidLead(
            members=[(ids[member], labels.person(ids[member])) for member in lead.members],
            bids=[
                LeadBid(ids[bidder], labels.person(ids[bidder]), titles[paper], labels.paper(titles[paper]))
                for bidder, paper in lead.bids
            ],
            **{name: getattr(lead, name) for name in ("possible", "expected", "evidence", "distant", "ring")},
        )
        for lead in find_leads(bidding)
    ]
    return FoundLeads(at, inputs_of_leads(conference), leads)
