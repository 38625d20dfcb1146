"""All about one paper: who reviews it, who could, what they said and scored, and what the scores are worth."""

from typing import Any

import msgspec

from panelist.app.desk.conference.assignment import solutions, viewing
from panelist.app.desk.conference.conflicts import ConflictRow
from panelist.app.desk.conference.files import hidden_titles, load_submissions, scored_ids
from panelist.app.desk.conference.reviewing import calibrating, checking
from panelist.app.desk.conference.reviewing.intake import read_all
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.errors import NotFoundError


def paper_view(view: ConferenceView, paper: str) -> dict[str, Any]:
    """Everything that the conference knows of a paper."""
    conference, labels, conflicts = view.stored, view.labels, view.conflicts
    if (title := hidden_titles(conference).get(paper)) is not None:
        raise NotFoundError(f"you have a conflict of interest with “{title}”: nothing else of it is shown to you")
    submission = next((each for each in load_submissions(conference) if each.id == paper), None)
    number = solutions.chosen(conference)
    chosen = None if number is None else viewing.cached_pairs(conference, number)
    assigned = [] if chosen is None else [pair for pair in chosen.pairs if pair.paper == paper]
    if submission is None and not assigned and paper not in scored_ids(conference)[0]:
        raise NotFoundError(f"there is no paper '{paper}' in this conference")
    scores = _scores(conference, paper)
    calibration = calibrating.read(conference)
    papers, reviewers = ((), ()) if calibration is None else (calibration["papers"], calibration["reviewers"])
    by_paper, offsets = {row["paper"]: row for row in papers}, {row["reviewer"]: row for row in reviewers}
    pairs = {pair.reviewer: pair for pair in assigned}
    grades = [] if number is None else viewing.grades_of(conference, number, assigned)
    confidence = {pair.reviewer: grade for pair, grade in zip(assigned, grades, strict=True)}
    answer: dict[str, Any] = {
        "paper": paper,
        "title": "" if submission is None else submission.title,
        "abstract": "" if submission is None else submission.abstract,
        "solution": number,
        "reviewers": [
            {
                "reviewer": who,
                "name": labels.person(who),
                "conflict": view.conflict(paper, who),
                "hand": view.manual.pairs.get((paper, who)),
                "assigned": msgspec.to_builtins(pairs[who]) if who in pairs else None,
                "confidence": confidence.get(who),
                "score": scores.get(who),
                "offset": offsets[who]["bias"] if who in offsets else None,
                "offset_sd": offsets[who]["bias_sd"] if who in offsets else None,
            }
            for who in dict.fromkeys([*pairs, *scores])
        ],
        "alternates": [
            {**msgspec.to_builtins(alternate), "name": labels.person(alternate.reviewer)}
            for alternate in (() if chosen is None else chosen.alternates)
            if alternate.paper == paper and not conflicts.check([(paper, alternate.reviewer)])
        ],
        "conflicts": [ConflictRow.of(conflict, labels) for conflict in conflicts if conflict.submission == paper],
        "calibrated": by_paper.get(paper),
        "accepted": None if calibration is None else calibration["accepted"],
        "papers": len(by_paper),
        "stale": bool(calibration and calibration["stale"]),
        "reviews": checking.of_paper(conference, paper),
    }
    answer = msgspec.to_builtins(answer)
    return answer


def _scores(conference: StoredConference, paper: str) -> dict[str, float | None]:
    """The scores of a paper's reviews by reviewer: of the file of scores, or else of the texts."""
    records = read_all(conference)
    record = records.get("scores") or records.get("texts")
    return {} if record is None else {row.reviewer: row.score for row in record.rows if row.paper == paper}
