"""Waiting for what happens in another thread, process or browser, however busy the machine is."""

import time

PATIENCE = 300
"""Seconds: no answer of a healthy program takes as long, so only a broken one fails a test by it."""


def until(condition):
    """Wait until `condition()` is true, and return what it is."""
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return found


def finished(ask):
    """Ask about a job until it is over; the last answer."""
    return until(lambda: None if (job := ask())["state"] in ("waiting", "running") else job)
