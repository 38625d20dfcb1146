"""The tables of the chair's desk."""

SCRIPT = """
CREATE TABLE conference (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created TEXT NOT NULL
)
"""
