"""A live OpenReview: a venue comes out of it, and scores, conflicts and assignments go into it."""
