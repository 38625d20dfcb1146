"""Models that learn: encoders trained on a corpus."""
