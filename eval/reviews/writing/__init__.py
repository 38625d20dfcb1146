"""Texts around a review: the sentences of a paper that matter, questions to the reviewer, drafts by an endpoint."""
