"""The routes of the editor's desk."""

from panelist.app.web.routes.editor import desk, lookups, people, profiles, records, submissions

EDITOR_ROUTES = (submissions, lookups, people, profiles, records, desk)
