"""`panelist export` and `panelist openreview`: files and servers of conference systems."""
