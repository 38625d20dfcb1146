"""The names of columns in the files of conference and journal systems, by Panelist's own names. Nowhere else.

docs/reference/formats.md lists the systems with their files. Names are compared in lower case.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

Columns = Mapping[str, tuple[str, ...]]
"""The columns of a file, each with the names that it may have in a header."""
NONE: Columns = MappingProxyType({})

PAPER = (
    *("paper", "paper_id", "paper id", "pid"),  # the last two are CMT's and HotCRP's
    *("submission", "submission_id", "submission #", "submission id"),  # the last two are EasyChair's and OJS's
    *("head", "manuscript number"),  # of OpenReview's edges, and Editorial Manager
    *("manuscript id - original", "manuscript id"),  # ScholarOne
)
PERSON = (
    *("reviewer", "reviewer_id", "member #", "reviewer email"),  # the last two are EasyChair's and CMT's
    *("email", "e-mail", "# email"),  # HotCRP and CMT; the last one is that of CMT's template of quotas
    *("user", "tail"),  # HotCRP, and OpenReview's edges
    *("reviewer email address", "reviewer person id", "reviewer name"),  # ScholarOne; the last is Editorial Manager's
)
_TITLE = ("title", "paper title", "article title", "manuscript title", "submission title")

SUBMISSIONS: Columns = {"id": ("id", "#", *PAPER), "title": _TITLE, "abstract": ("abstract", "manuscript abstract")}
"""What a table of submissions must have, in the order that it has without a header."""

_WIDE = {"given": "given name", "family": "family name", "email": "email", "orcid": "orcid id", "place": "affiliation"}
MOST_AUTHORS = 40
"""How many authors with columns of their own (OJS) are read."""

MORE_SUBMISSIONS: Columns = {
    "authorids": ("authorids", "author_ids", "author ids", "authorid", "author_id", "author id"),
    "emails": (
        *("emails", "email", "e-mails", "e-mail", "author_emails", "author emails", "author_email", "author email"),
        *("authors' emails", "email addresses", "email address"),
    ),
    "orcids": ("orcids", "orcid", "orcid(s)", "author_orcids", "author orcids", "author_orcid", "author orcid"),
    "authors": (
        *("authors", "author", "author names", "author_names", "author_name", "author name"),
        *("all authors", "author full names"),  # Editorial Manager, ScholarOne
    ),
    "references": ("references", "reference", "cites"),
    "deleted": ("deleted?",),  # EasyChair
} | {
    f"{field} {number}": (f"{name} (author {number})", f"{name.replace(' id', '')} (author {number})")
    for number in range(1, MOST_AUTHORS + 1)
    for field, name in _WIDE.items()
}
"""What it may have."""

PAIRS: Mapping[str, Columns] = {
    "constraint": {"paper": PAPER, "reviewer": PERSON},
    "bid": {"paper": PAPER, "reviewer": PERSON, "bid": ("bid", "preference", "label")},
    "score": {"paper": PAPER, "reviewer": PERSON},
    "max": {"reviewer": PERSON, "max": ("max", "quota", "max papers", "custom max papers", "weight")},
    "demand": {"paper": PAPER, "demand": ("demand",)},
    "author": {"paper": PAPER, "last": ("last name", "last", "family name")},
}
"""What each kind of table must have, by the name of its last column in Panelist's own form."""

MORE_PAIRS: Columns = {
    "score": ("score", "weight"),
    "constraint": ("constraint",),
    "min": ("min",),
    "role": ("role",),
    "bid": ("bid", "preference"),
    "conflict": ("conflict",),  # HotCRP's preferences: 'conflict', or empty
    "action": ("action",),  # HotCRP's assignments
    "first": ("first name", "first", "given name"),
    "email": ("email", "e-mail"),
    "institution": ("affiliation", "organization"),
    "person": ("person #",),
}
"""What any of them may have."""

PEOPLE: Columns = {
    "reviewer": ("#", "member #", "email", "e-mail", "reviewer email"),
    "name": ("name", "reviewer name"),
    "first": ("first name", "first", "given_name"),
    "last": ("last name", "last", "family_name"),
    "email": ("email", "e-mail", "reviewer email"),
    "orcid": ("orcid",),
    "institution": ("affiliation", "organization", "institution"),
    "country": ("country",),
    "role": ("role", "roles"),
}
"""The committee."""

EASYCHAIR = "easychair:"
"""Before the number by which EasyChair knows a person, as an author and on the committee."""

REVIEWS: Columns = {
    "id": ("id", "review_id", "reviewid"),
    "paper": (*PAPER, "forum"),
    "reviewer": (*PERSON, "signature"),
    "text": (
        *("text", "review", "comments", "review_text", "main_review"),
        *("comments on submission", "comments to author"),  # OJS; Editorial Manager and ScholarOne
    ),
    "score": (
        *("score", "rating", "recommendation", "overall", "total score", "scores", "overall merit", "overmerit"),
        *("reviewer recommendation term", "reviewer recommendation"),  # Editorial Manager, ScholarOne
    ),
}
"""Reviews. CMT's and HotCRP's questions have names of the conference's own: see `panelist.corpus.systems.reviews`."""

HISTORY: Columns = {
    "person": ("person", "reviewer_id"),  # an id of the corpus; numbers and user names of systems are not
    "reviewer": ("reviewer",),
    "own": ("paper",),
    "name": ("reviewer name", "reviewer full name", "name", "member name", "reviewername"),
    "first": ("reviewer first name", "first name", "given name", "first", "given_name"),
    "last": ("reviewer last name", "last name", "family name", "last", "family_name"),
    "email": (
        "email",
        "reviewer email",
        "reviewer email address",
        "reviewer e-mail address",
        "e-mail",
        "email address",
    ),
    "orcid": ("orcid", "orcid id", "reviewer orcid", "reviewer orcid id"),
    "member": ("member #",),
    "title": _TITLE,
    "abstract": SUBMISSIONS["abstract"],
    "role": ("role", "reviewer role", "action", "review type", "reviewtype"),
    "invited": (
        *("invited", "date reviewer invited", "date invited", "reviewer invited date", "invitation date"),
        *("date notified", "date assigned", "date reviewer assigned", "assigned"),
    ),
    "answered": (
        *("answered", "date confirmed", "date reviewer agreed", "agree date", "date agreed", "date reviewer responded"),
        *("date of response", "response date", "reviewer response date"),
    ),
    "submitted": (
        *("submitted", "date completed", "date review completed", "date reviewer completed", "review complete"),
        *("date review submitted", "review submitted date", "date review returned", "date returned", "date"),
        *("last modified", "modified"),  # CMT
    ),
    "published": ("published", "date published", "publication date"),
    "due": ("due", "date due", "date review due", "review due date", "date response due"),
    "late": ("late_days", "days late", "overdue days"),
    "declined": ("declined", "date reviewer declined", "decline date", "date declined"),
    "cancelled": ("cancelled", "date reviewer uninvited", "date reviewer un-invited", "date reviewer terminated"),
    "outcome": ("outcome", "reviewer response", "review status", "reviewer status", "response", "invitation response"),
    "score": REVIEWS["score"],
    "text": REVIEWS["text"],
}
"""Who was asked to review what, when, and what came of it: review reports, and tables of reviews or assignments."""

OUTCOMES: Mapping[str, str] = {
    **dict.fromkeys(
        ("done", "complete", "completed", "submitted", "returned", "review complete", "review received"), "done"
    ),
    **dict.fromkeys(("accepted", "agreed", "agree", "accept", "under review", "review pending"), "accepted"),
    **dict.fromkeys(("declined", "decline", "unable to review", "refused"), "declined"),
    **dict.fromkeys(("no_answer", "no answer", "no response", "not responded", "invited", "request sent"), "no_answer"),
    **dict.fromkeys(("cancelled", "uninvited", "un-invited", "terminated", "auto-declined"), ""),
}
"""Words for what came of an invitation; empty where it was taken back."""

HANDLING: Mapping[str, str] = {
    **dict.fromkeys(("editor", "handling editor", "associate editor", "academic editor", "section editor"), "editor"),
    **dict.fromkeys(("senior_editor", "senior editor", "editor in chief", "editor-in-chief"), "senior_editor"),
    **dict.fromkeys(("area_chair", "area chair", "meta-reviewer", "metareview", "senior pc member"), "area_chair"),
}
"""Words for roles of people who were not plain reviewers."""

BID_WORDS: Mapping[str, float] = {
    # OpenReview
    **{"very high": 1.0, "high": 0.5, "neutral": 0.0, "low": -0.5, "very low": -1.0, "no bid": 0.0},
    **{"yes": 1.0, "maybe": 0.5, "no": -1.0},  # EasyChair
    **{"eager": 1.0, "willing": 0.5, "in a pinch": 0.0, "not willing": -1.0},  # CMT
}
"""Words for bids, and what they count."""

CONFLICT = "conflict"
"""The word for a conflict among bids (EasyChair), actions and in a column of its own (HotCRP)."""

ASSIGNING = frozenset(
    {"primary", "secondary", "optional", "review", "pcreview", "external", "metareview"}
    | {f"{kind}review" for kind in ("primary", "secondary", "optional", "external", "meta")}
)
"""HotCRP's actions that assign a review."""

RECOMMENDATIONS: Mapping[str, float] = {
    **{"accept": 4.0, "accept submission": 4.0},
    **{"minor revision": 3.0, "minor revisions": 3.0, "revisions required": 3.0},
    **{"major revision": 2.0, "major revisions": 2.0, "resubmit for review": 2.0},
    **{"reject and resubmit": 1.0, "reject & resubmit": 1.0, "resubmit elsewhere": 1.0},
    **{"reject": 0.0, "decline submission": 0.0},
}
"""Recommendations of journals as scores, the best highest."""

ROLES: Mapping[str, str] = {"pc member": "reviewer", "pc": "reviewer", "reviewers": "reviewer"}
"""Systems' words for a plain reviewer; other roles are kept as they are."""


def position(names: Sequence[str], aliases: Sequence[str]) -> int:
    """Where a header has a column under the first of its names that it has; -1 where under none."""
    return next((names.index(alias) for alias in aliases if alias in names), -1)


def plain(names: Sequence[str]) -> list[str]:
    """The names of a header as they are compared."""
    return [" ".join(name.strip().strip('"').lower().split()) for name in names]
