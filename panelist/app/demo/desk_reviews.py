"""The demo's conference goes on: two assignments to compare, one chosen, reviews checked and calibrated."""

from __future__ import annotations

from random import Random
from typing import Literal

from panelist.app.confined.calibration import Settings
from panelist.app.demo.desk_texts import Scored, write_texts
from panelist.app.demo.generator import SEED
from panelist.app.demo.reviews import MEAN, OFFSET, OPINION, QUALITY, in_half_points
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.conference.view import ConferenceView
from panelist.progress import Progress
from panelist.spreadsheet import csv_text

_METHODS: tuple[Literal["total", "fair"], ...] = ("total", "fair")


def assign_and_review(conferences: Conferences, view: ConferenceView, progress: Progress, who: str) -> None:
    """Assign a scored conference by two methods, choose the fair one, send reviews back, check and calibrate them."""
    number, conference = 0, view.stored
    for method in _METHODS:
        settings = ConferenceSettings(demand={"reviewer": 3, "area chair": 1}, most={"area chair": 12}, method=method)
        number = solutions.begin(view, settings, who=who).number
        make(conference, number, progress)
    detail = {"words": f"chose solution {number}", "solution": number, "before": None}
    with conferences.change(conference.id, "chose", detail, who=who) as (_, found, stage):
        solutions.choose(found, number, stage)
    reviews = _reviews(conference, number)
    scored = csv_text([("paper", "reviewer", "score"), *reviews]).encode()
    texts = ((*one, text) for one, text in zip(reviews, write_texts(reviews), strict=True))
    written = csv_text([("paper", "reviewer", "score", "text"), *texts]).encode()
    intake.accept(conferences, conference.id, "scores", "scores.csv", scored, who=who)
    intake.accept(conferences, conference.id, "texts", "reviews.csv", written, who=who)
    checking.check(conferences.get(conference.id), progress)
    calibrating.make(conferences, conference.id, Settings(), who=who)


def _reviews(conference: StoredConference, number: int) -> list[Scored]:
    """Scores in half points by everybody who was assigned but the area chairs: worth, offset and opinion."""
    random = Random(f"{SEED} conference")
    pairs = [one for one in solutions.read_pairs(conference, number).pairs if one.role == "reviewer"]
    worth = {paper: random.gauss(MEAN, QUALITY) for paper in dict.fromkeys(one.paper for one in pairs)}
    offset = {who: random.gauss(0, OFFSET) for who in dict.fromkeys(one.reviewer for one in pairs)}
    reviews = []
    for one in pairs:
        score = worth[one.paper] + offset[one.reviewer] + random.gauss(0, OPINION)
        reviews.append(Scored(one.paper, one.reviewer, in_half_points(score)))
    return reviews
