"""Affinity models: every submission against every reviewer. One file per model."""
