"""The tables of the editor's desk."""

SCRIPT = """
CREATE TABLE kept_submission (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    created TEXT NOT NULL,
    changed TEXT NOT NULL,
    revision INTEGER NOT NULL,
    request TEXT NOT NULL
);
CREATE INDEX kept_submission_changed ON kept_submission (changed);
CREATE TABLE kept_reviewer (
    submission TEXT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    added TEXT NOT NULL,
    invited TEXT,
    answered TEXT,
    due TEXT,
    reminder TEXT,
    revision INTEGER NOT NULL,
    PRIMARY KEY (submission, person)
) WITHOUT ROWID;
CREATE INDEX kept_reviewer_person ON kept_reviewer (person);
CREATE TABLE note (
    person TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    changed TEXT NOT NULL,
    revision INTEGER NOT NULL
) WITHOUT ROWID
"""
