"""The tables of the chair's desk: conferences, and who changed what in them and when."""

SCRIPT = """
CREATE TABLE conference (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    created TEXT NOT NULL,
    revision INTEGER NOT NULL
);
CREATE TABLE conference_event (
    number INTEGER PRIMARY KEY,
    conference TEXT NOT NULL,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    kind TEXT NOT NULL,
    detail TEXT NOT NULL
);
CREATE INDEX conference_event_of ON conference_event (conference, number)
"""
