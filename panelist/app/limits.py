"""How much one request may ask for. Everything here is far above what an editor needs and far below what would hurt."""

import re

MEGABYTE = 1 << 20

TITLE, ABSTRACT, NAME, ID = 1_000, 20_000, 300, 300
"""Characters of a title, an abstract, a name and an id."""

AUTHORS, INSTITUTIONS, COUNTRIES = 500, 500, 250
"""Authors of a submission; institutions and countries of a submission or a filter."""

REFERENCES, REFERENCE = 1_000, 1_000
"""References of a submission, and characters of one."""

PANEL, PAPERS, DEPTH = 100, 10, 5_000
"""Reviewers of a panel, papers shown for each, papers that each search returns."""

IDS, POOL = 2_000, 20_000
"""Ids in a list; reviewers in a pool."""

SUBMISSIONS, PAIRS_KEPT, INLINE_PAIRS = 5_000, 500, 20_000
"""Submissions of an affinity job, pairs kept per submission and reviewer, most pairs that are answered immediately."""

ASSIGNMENT_FILE = 60 * MEGABYTE
"""Characters of one file of an assignment: more than a million scores."""

RECORD, PEOPLE = 500_000, 50_000
RECORD_ELSEWHERE = 8 << 20
"""Characters of a record, and of a list of authors, that is pasted."""

NOTE, SUGGESTIONS, PAGE = 5_000, 10, 200
"""Characters of a note, suggestions, and kept submissions in one answer."""

WHO = 100
"""Characters of the name under which a chair's changes are recorded."""

COLUMNS = 200
"""Columns of a file of reviews."""

CANDIDATES_KEPT = 64
"""Searches whose candidates are remembered, so that re-ranking a panel does not search again."""

BODY = {
    "/api/v1/pdf": 20 * MEGABYTE,
    "/api/v1/calibration": 8 * MEGABYTE,
    "/api/v1/calibration/report": 8 * MEGABYTE,
    "/api/v1/affinity": 32 * MEGABYTE,
    "/api/v1/assignments": 64 * MEGABYTE,
    "/api/v1/reviews/check": 32 * MEGABYTE,
    "/api/v1/reviews/export": 32 * MEGABYTE,
}
"""Bytes of a request's body, by path."""

OTHER_BODY = 2 * MEGABYTE
"""Bytes of any other body."""

CONFERENCE_FILE = 256 * MEGABYTE
"""Bytes of a file that is sent to a conference."""

_CONFERENCE_FILES = re.compile(r"/api/v1/conferences/[^/]+/(files|reviews)/[^/]+")


def body_limit(path: str) -> int:
    """The most bytes that a request to this path may send."""
    if _CONFERENCE_FILES.fullmatch(path):
        return CONFERENCE_FILE
    return BODY.get(path, OTHER_BODY)
