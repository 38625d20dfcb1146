"""Measures of rankings and expertise, and the statistics of their figures."""
