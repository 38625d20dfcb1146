"""The demo's conference goes on: two assignments to compare, one chosen, and invented scores that are calibrated."""

from __future__ import annotations

import csv
from io import StringIO
from random import Random
from typing import Literal

from panelist.app.confined.calibration import Settings
from panelist.app.demo.generator import SEED
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.hand import put_together
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.reviewing import calibrating, intake
from panelist.app.desk.conference.store import Conference, Conferences
from panelist.progress import Progress

_METHODS: tuple[Literal["total", "fair"], ...] = ("total", "fair")
_MEAN, _QUALITY, _OFFSET, _OPINION = 5.5, 1.2, 0.9, 0.8


def assign_and_review(conferences: Conferences, conference: Conference, progress: Progress, who: str) -> None:
    """Assign a scored conference by two methods, choose the fair one, send scores back and calibrate them."""
    number, hand = 0, put_together(conferences.events(conference.id))
    for method in _METHODS:
        settings = ConferenceSettings(demand={"reviewer": 3, "area chair": 1}, most={"area chair": 12}, method=method)
        number = solutions.begin(conference.path, settings, hand, who=who).number
        make(conference.path, number, progress)
    detail = {"words": f"chose solution {number}", "solution": number, "before": None}
    with conferences.change(conference.id, "chose", detail, who=who) as (_, found):
        solutions.choose(found.path, number)
    intake.accept(conferences, conference.id, "scores", "scores.csv", _scores(conference, number).encode(), who=who)
    calibrating.make(conferences, conference.id, Settings(), who=who)


def _scores(conference: Conference, number: int) -> str:
    """Scores in half points by everybody who was assigned but the area chairs: worth, offset and opinion."""
    random = Random(f"{SEED} conference")
    pairs = [one for one in solutions.read_pairs(conference.path, number).pairs if one.role == "reviewer"]
    worth = {paper: random.gauss(_MEAN, _QUALITY) for paper in dict.fromkeys(one.paper for one in pairs)}
    offset = {who: random.gauss(0, _OFFSET) for who in dict.fromkeys(one.reviewer for one in pairs)}
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["paper", "reviewer", "score"])
    for one in pairs:
        score = worth[one.paper] + offset[one.reviewer] + random.gauss(0, _OPINION)
        writer.writerow([one.paper, one.reviewer, min(10.0, max(1.0, round(2 * score) / 2))])
    return out.getvalue()
