"""Measurement: benchmarks of what finds reviewers, calibration of review scores, and what review texts say.

All three measure with the same `measures` and write the same `reports`, and all come after the retriever. None of them
imports another: where reviews are checked with their scores, `checking` joins two of them.
"""
