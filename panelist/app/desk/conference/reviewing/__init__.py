"""What comes back from the reviewers of a conference: texts that are checked, scores that are calibrated."""
