"""Readers: one file per format. Each is a generator of records; what it cannot use it reports and passes over."""
