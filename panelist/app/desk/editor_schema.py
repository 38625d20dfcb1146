"""The tables of the editor's desk."""

SCRIPT = """
CREATE TABLE kept_submission (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    created TEXT NOT NULL
)
"""
