"""The routes of the editor's desk."""

from panelist.app.web.routes.editor import lookups, people, submissions

EDITOR_ROUTES = (submissions, lookups, people)
