"""The texts of a conference's reviews checked in the background, and shown paper by paper."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import orjson

from eval.reviews.checks import exports
from eval.reviews.checks.check import Check, check_reviews
from eval.reviews.reading.files import read_review_file
from eval.reviews.tagging.tagger import Tagger
from panelist.app.desk.conference.files import SUBMISSIONS, fingerprint, load_submissions
from panelist.app.desk.conference.reviewing.intake import FILES
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import Look
from panelist.app.desk.errors import NotFoundError
from panelist.files import write_whole
from panelist.progress import Progress, silent

RESULT = "review_check.json"


def check(conference: StoredConference, progress: Progress) -> None:
    """Check the texts and save the result."""
    state = _state(conference)
    answer = exports.plain(_check(conference, progress)) | {"of": state}
    write_whole(conference.path / RESULT, orjson.dumps(answer, option=orjson.OPT_NON_STR_KEYS))


def checked(conference: StoredConference, look: Look) -> dict[str, Any] | None:
    """The result for some of the papers whose id contains a text; None where these texts are not checked."""
    whole = _whole(conference)
    if whole is None:
        return None
    papers = look.at(whole["papers"], lambda view: (view["paper"],))
    return whole | {"total": papers.total} | _with_reviews(whole, papers.rows)


def of_paper(conference: StoredConference, paper: str) -> dict[str, Any] | None:
    """What was noticed about one paper; None where there is nothing."""
    whole = _whole(conference) or {"papers": ()}
    # The conference's own calibration is what holds; the check has one of the texts' scores alone.
    views = [view | {"calibrated": None} for view in whole["papers"] if view["paper"] == paper]
    return _with_reviews(whole, views[:1]) if views else None


def table(conference: StoredConference, kind: Literal["authors", "sentences", "chair"]) -> str:
    """The result as CSV; the texts are checked once more for it."""
    write = {"authors": exports.authors_csv, "sentences": exports.sentences_csv, "chair": exports.chair_csv}[kind]
    return write(_check(conference, silent))


def _whole(conference: StoredConference) -> dict[str, Any] | None:
    """The result; None where these texts are not checked."""
    path = conference.path / RESULT
    if not path.exists():
        return None
    whole = _result(path, path.stat().st_mtime_ns)
    return whole if whole["of"] == _state(conference) else None


def _state(conference: StoredConference) -> list[str]:
    """The texts that are checked, and the submissions that they are compared with."""
    return [fingerprint(conference.path / name) for name in (FILES["texts"], SUBMISSIONS)]


def _with_reviews(whole: dict[str, Any], papers: list[dict[str, Any]]) -> dict[str, Any]:
    """These papers, and of all reviews theirs."""
    ids = {review for view in papers for review in view["reviews"]}
    reviews = {name: [review for review in whole[name] if review["review"] in ids] for name in ("tagged", "contents")}
    return {"papers": papers, **reviews}


def _check(conference: StoredConference, progress: Progress) -> Check:
    path = conference.path / FILES["texts"]
    if not path.exists():
        raise NotFoundError("there are no texts of reviews yet: send a CSV file")
    return check_reviews(read_review_file(path), _tagger(), load_submissions(conference) or None, progress=progress)


@lru_cache(maxsize=2)
def _result(path: Path, changed: int) -> dict[str, Any]:
    result: dict[str, Any] = orjson.loads(path.read_bytes())
    return result


@lru_cache(maxsize=1)
def _tagger() -> Tagger:
    return Tagger.load(fast=True)
