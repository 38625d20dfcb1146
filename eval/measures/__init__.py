"""Measures and statistics."""
