"""Long compiled loops are watched, and stop when the progress raises."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from assignment_support import dense_problem

from retriever.assignment import watch as watch_module
from retriever.assignment.flow import cheapest_flow
from retriever.assignment.methods import METHODS, certain, perturbed
from retriever.assignment.options import AssignOptions
from retriever.assignment.solve import assign
from retriever.assignment.watch import run, watching


class CancelledError(Exception):
    pass


def problem(papers=49, reviewers=30):
    scores = np.random.default_rng(3).random((papers, reviewers))
    return dense_problem(scores, 3, np.full(reviewers, 5))


def counting(until):
    """A kernel that counts until it is told to stop, or to the end."""

    def kernel(watch):
        while watch[0] < until and not watch[1]:
            watch[0] += 1
            time.sleep(0.001)
        return int(watch[0])

    return kernel


def test_progress_is_told_how_far_a_kernel_is(monkeypatch):
    monkeypatch.setattr(watch_module, "_SECONDS", 0.001)
    seen = []
    with watching(lambda *told: seen.append(told)):
        assert run("counting", 50, counting(50)) == 50
    assert {(stage, total) for stage, _, total in seen} == {("counting", 50)}
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)
    assert run("counting", 5, counting(5)) == 5, "and nobody has to watch"


def test_what_progress_raises_ends_the_kernel(monkeypatch):
    monkeypatch.setattr(watch_module, "_SECONDS", 0.001)

    def cancel(stage, done, total):
        if done:
            raise CancelledError

    before = set(threading.enumerate())
    with watching(cancel), pytest.raises(CancelledError):
        run("counting", 0, counting(10**9))
    assert set(threading.enumerate()) <= before


def test_ctrl_c_ends_the_kernel(monkeypatch):
    monkeypatch.setattr(watch_module, "_SECONDS", 0.001)
    looked = threading.Event()

    def look(stage, done, total):
        if done:
            looked.set()

    def interrupted(watch):
        watch[0] = 1
        looked.wait()
        os.kill(os.getpid(), signal.SIGINT)
        return counting(10**9)(watch)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with watching(look), pytest.raises(KeyboardInterrupt):
            run("counting", 0, interrupted)
    finally:
        signal.signal(signal.SIGINT, previous)


STAGES = {"fair": "raising the lowest", "leximin": "raising one by one", "envy": "picking", "perturbed": "spreading"}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_can_be_cancelled_in_its_own_stage(method):
    def cancel(stage, done, total):
        if stage == STAGES.get(method, "assigning"):
            raise CancelledError

    with pytest.raises(CancelledError):
        assign(problem(), AssignOptions(method), cancel)


def test_kernels_that_are_told_to_stop_do_nothing_more(monkeypatch):
    told, whole = [], cheapest_flow(problem())

    def stopped(stage, total, kernel):
        watch = np.array([0, 1])
        told.append((stage, kernel(watch), int(watch[0])))
        return told[-1][1]

    for module in (certain, perturbed, "retriever.assignment.flow"):
        monkeypatch.setattr(f"{module}.run" if isinstance(module, str) else f"{module.__name__}.run", stopped)
    assert not cheapest_flow(problem()).amount.any()
    certain.leximin(problem(), whole)
    certain.envy(problem(), whole)
    likely = perturbed.capped(problem())
    perturbed._Ascent(problem(), likely, None).solve(1.0, 1e-7)
    stages = {stage for stage, *_ in told}
    assert stages == {"assigning", "raising the lowest", "raising one by one", "picking", "spreading"}
    assert all(done == 0 for *_, done in told)
