"""Scores and assignments of a conference are computed: by jobs that get records and write what came out by a change."""
