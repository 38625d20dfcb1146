"""How much one request may ask for. Everything here is far above what an editor needs and far below what would hurt."""

import re

MEGABYTE = 1 << 20

# Characters.
TITLE, ABSTRACT, NAME, ID, REFERENCE = 1_000, 20_000, 300, 300, 1_000
NOTE, WHO = 5_000, 100  # of a note, and of the name under which a chair's changes are recorded
RECORD, PEOPLE = 500_000, 50_000  # of a record, and of a list of authors, that is pasted
RECORD_ELSEWHERE = 8 * MEGABYTE  # of the answer of a catalogue
ASSIGNMENT_FILE = 60 * MEGABYTE  # of one file of an assignment: more than a million scores

# Numbers of things.
AUTHORS, REFERENCES = 500, 1_000  # of a submission
INSTITUTIONS, COUNTRIES = 500, 250  # of a submission or a filter
PANEL, PAPERS, DEPTH = 100, 10, 5_000  # reviewers of a panel, papers shown for each, papers that each search returns
IDS, POOL = 2_000, 20_000  # ids in a list; reviewers in a pool
SUBMISSIONS, PAIRS_KEPT = 5_000, 500  # of an affinity job; pairs retained per submission and reviewer
INLINE_PAIRS = 20_000  # that are answered immediately
SUGGESTIONS, PAGE = 10, 200  # suggestions, and saved submissions in one answer
COLUMNS = 200  # of a file of reviews
CANDIDATES_KEPT = 64  # searches whose candidates are remembered, so that re-ranking a panel does not search again

# Bytes of a request's body, by path.
BODY = {
    "/api/v1/manuscript": 20 * MEGABYTE,
    "/api/v1/bibliography": 16 * MEGABYTE,
    "/api/v1/desk/history": 64 * MEGABYTE,
    "/api/v1/calibration": 8 * MEGABYTE,
    "/api/v1/calibration/report": 8 * MEGABYTE,
    "/api/v1/affinity": 32 * MEGABYTE,
    "/api/v1/assignments": 64 * MEGABYTE,
    "/api/v1/reviews/check": 32 * MEGABYTE,
    "/api/v1/reviews/export": 32 * MEGABYTE,
}
OTHER_BODY = 2 * MEGABYTE
CONFERENCE_FILE = 256 * MEGABYTE  # sent to a conference


def body_limit(path: str) -> int:
    """The most bytes that a request to this path may send."""
    to_conference = re.fullmatch(r"/api/v1/conferences/[^/]+/(files|reviews)/[^/]+", path)
    return CONFERENCE_FILE if to_conference else BODY.get(path, OTHER_BODY)
