"""Measurement: runs, measures, benchmarks, calibration."""
