"""Conflicts of interest: who should not review a submission, by which rules, and how sure that is."""
