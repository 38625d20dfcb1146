"""The routes of the editor's desk."""

from panelist.app.web.routes.editor import export, people, profiles, records, submissions

EDITOR_ROUTES = (submissions, people, profiles, records, export)
