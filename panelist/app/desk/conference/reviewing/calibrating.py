"""The scores of a conference's reviews calibrated: what came out is kept, and with what settings."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

import orjson

from panelist.app.confined.reviews import CalibrationIn, calibrate
from panelist.app.desk.conference.files import fingerprint
from panelist.app.desk.conference.reviewing.intake import FILES
from panelist.app.desk.conference.store import By, Conferences, StoredConference
from panelist.app.desk.errors import NotFoundError

RESULT = "calibration.json"


def source(conference: StoredConference) -> Path:
    """The file whose scores are calibrated: that of scores, or else that of texts."""
    for kind in ("scores", "texts"):
        if (path := conference.path / FILES[kind]).exists():
            return path
    raise NotFoundError("there are no scores of reviews yet: send a CSV file with paper, reviewer and score")


def make(conferences: Conferences, conference: str, settings: CalibrationIn, **by: Unpack[By]) -> dict[str, Any]:
    """Calibrate and save what came out."""
    before = conferences.get(conference)
    answer = calibrated(before, settings)
    words = f"calibrated {answer['reviews']:,} scores, {answer['accepted']:,} papers to accept"
    by["revision"] = by.get("revision") or before.revision
    with conferences.change(conference, "calibrated", {"words": words, "settings": asdict(settings)}, **by) as change:
        change.stage.file(RESULT).write_bytes(orjson.dumps(answer))
    return answer


def calibrated(conference: StoredConference, settings: CalibrationIn) -> dict[str, Any]:
    """The calibrated scores, with the settings and the state of the file that they were made from."""
    path = source(conference)
    answer: dict[str, Any] = orjson.loads(calibrate(path.read_bytes(), settings, "answer"))
    return answer | {"settings": asdict(settings), "of": fingerprint(path)}


def read(conference: StoredConference) -> dict[str, Any] | None:
    """What came out last, with `stale` where the scores are others by now; None where nothing was calibrated."""
    path = conference.path / RESULT
    if not path.exists():
        return None
    result: dict[str, Any] = orjson.loads(path.read_bytes())
    try:
        stale = fingerprint(source(conference)) != result["of"]
    except NotFoundError:
        stale = True
    return result | {"stale": stale}


def report(conference: StoredConference) -> bytes:
    """The calibration as a page to keep, with the settings that were used last."""
    result = read(conference)
    if result is None:
        raise NotFoundError("nothing is calibrated yet")
    fields = result["settings"] | {"covariates": tuple(result["settings"]["covariates"])}
    return calibrate(source(conference).read_bytes(), CalibrationIn(**fields), "report")
