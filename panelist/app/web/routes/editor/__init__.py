"""The routes of the editor's desk."""
