"""`/conferences`: a chair's conferences, their files and what is made of them."""

from panelist.app.web.routes.conference import (
    assigned,
    calibration,
    conferences,
    files,
    hand,
    reviews,
    scores,
    scoring,
    solutions,
)

CONFERENCE_ROUTES = (conferences, files, scoring, scores, solutions, assigned, hand, reviews, calibration)
