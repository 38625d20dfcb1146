"""Affinity models: every submission against every reviewer. One file a model."""
