"""`/conferences`: a chair's conferences, their files and what is made of them."""

from panelist.app.web.routes.conference import (
    assigned,
    calibration,
    conferences,
    conflicts,
    files,
    hand,
    overview,
    reviews,
    scores,
    scoring,
    solutions,
)

CONFERENCE_ROUTES = (
    conferences,
    overview,
    files,
    conflicts,
    scoring,
    scores,
    solutions,
    assigned,
    hand,
    reviews,
    calibration,
)
