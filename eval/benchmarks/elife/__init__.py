"""Real reviewers of real papers: eLife."""
