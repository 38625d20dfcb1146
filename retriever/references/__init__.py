"""What a submission cites: which papers are meant, and what they are worth as evidence."""
