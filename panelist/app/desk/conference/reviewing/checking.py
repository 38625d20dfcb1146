"""The texts of a conference's reviews checked in the background, and shown paper by paper."""

from dataclasses import asdict
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal

import orjson

from eval.checking import check_reviews
from eval.reviews.checks import exports
from eval.reviews.checks.check import Check
from eval.reviews.reading.files import read_review_file
from eval.reviews.tagging.tagger import Tagger
from panelist.app.confined import read_as_file
from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.contents import file_content, load_submissions
from panelist.app.desk.conference.reviews import CHECK, CheckedPapers, review_content
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import Look
from panelist.app.desk.errors import NotFoundError
from panelist.progress import Progress, silent


def check_texts(conferences: Conferences, conference: Conference, progress: Progress) -> None:
    """Check the texts that may be seen, and save the result."""
    answer = exports.check_as_json(_check(conference, progress)) | {"of": _state(conference)}
    blob = conferences.blobs.put(orjson.dumps(answer, option=orjson.OPT_NON_STR_KEYS), ".json")
    with conferences.note(conference.id) as change:
        change.put(conference.row_by_sight(CHECK), blob)


def checked(conference: Conference, look: Look) -> dict[str, Any] | None:
    """The result for some of the papers whose id contains a text; None where these texts are not checked."""
    checked = _kept_check(conference)
    if checked is None:
        return None
    papers = look.select(checked["papers"], lambda view: (view["paper"],))
    return checked | {"total": papers.total} | asdict(_with_reviews(checked, papers.rows))


def of_paper(conference: Conference, paper: str) -> CheckedPapers | None:
    """What was noticed about one paper; None where there is nothing."""
    checked = _kept_check(conference) or {"papers": ()}
    # The conference's own calibration is what holds; the check has one of the texts' scores alone.
    views = [view | {"calibrated": None} for view in checked["papers"] if view["paper"] == paper]
    return _with_reviews(checked, views[:1]) if views else None


def table(conference: Conference, kind: Literal["authors", "sentences", "chair"]) -> str:
    """The result as CSV; the texts are checked once more for it."""
    write = {"authors": exports.authors_csv, "sentences": exports.sentences_csv, "chair": exports.chair_csv}[kind]
    return write(_check(conference, silent))


def _kept_check(conference: Conference) -> dict[str, Any] | None:
    """The result; None where these texts are not checked."""
    checked = conference.json(conference.row_by_sight(CHECK), dict[str, Any])
    return checked if checked is not None and checked["of"] == _state(conference) else None


def _state(conference: Conference) -> list[str]:
    """The texts that are checked, and the submissions that they are compared with, as far as they may be seen."""
    if conference.sight.hidden:
        contents = review_content(conference, "texts"), file_content(conference, "submissions")
        return [blake2b(content).hexdigest() for content in contents]
    return [conference.part(name).blob.partition(".")[0] for name in ("reviews/texts", "submissions")]


def _with_reviews(checked: dict[str, Any], papers: list[Any]) -> CheckedPapers:
    """These papers, and of all reviews theirs."""
    ids = {review for view in papers for review in view["reviews"]}
    tagged, contents = ([row for row in checked[name] if row["review"] in ids] for name in ("tagged", "contents"))
    return CheckedPapers(papers, tagged, contents)


def _check(conference: Conference, progress: Progress) -> Check:
    content = review_content(conference, "texts")
    if not content:
        raise NotFoundError("there are no texts of reviews yet: send a CSV file")
    file = read_as_file(content, "reviews.csv", read_review_file)
    return check_reviews(file, _tagger(), load_submissions(conference) or None, progress=progress)


@lru_cache(maxsize=1)
def _tagger() -> Tagger:
    return Tagger.load(fast=True)
