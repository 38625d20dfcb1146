"""Query time: a submission to a panel of reviewers."""
