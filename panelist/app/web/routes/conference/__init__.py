"""`/conferences`: a chair's conferences, their files and what is made of them."""

from panelist.app.web.routes.conference import conferences, conflicts, files, hand, reviews, scores, solutions

CONFERENCE_ROUTES = (conferences, scores, files, conflicts, solutions, hand, reviews)
