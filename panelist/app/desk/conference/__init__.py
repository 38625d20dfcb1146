"""A conference: its files, scores, assignment, reviews and calibration, and the history of all changes."""
