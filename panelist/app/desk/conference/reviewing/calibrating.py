"""The scores of a conference's reviews calibrated: what came out is kept, and with what settings."""

from dataclasses import asdict
from typing import Any, Unpack

import orjson

from panelist.app.confined.reviews import CalibrationIn, calibrate
from panelist.app.desk.conference.changes import By, Conferences
from panelist.app.desk.conference.reviews import CALIBRATION, calibrated, calibration_settings, scored_reviews
from panelist.app.desk.conference.state import Conference


def make(conferences: Conferences, conference: str, settings: CalibrationIn, **by: Unpack[By]) -> dict[str, Any]:
    """Calibrate and save what came out."""
    before = conferences.get(conference)
    answer = calibrated(before, settings)
    words = f"calibrated {answer['reviews']:,} scores, {answer['accepted']:,} papers to accept"
    by["revision"] = by.get("revision") or before.revision
    blob = conferences.blobs.put(orjson.dumps(answer), ".json")
    with conferences.change(conference, "calibrated", {"words": words, "settings": asdict(settings)}, **by) as change:
        change.put(CALIBRATION, blob)
    return answer | {"stale": False}


def report(conference: Conference) -> bytes:
    """The calibration as a page to keep, with the settings that were used last."""
    settings = calibration_settings(conference)
    return calibrate(scored_reviews(conference), settings, "report")
