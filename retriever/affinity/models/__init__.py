"""The affinity models, one file per model."""
