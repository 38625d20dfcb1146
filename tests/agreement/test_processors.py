"""The same look-up as on another processor: numpy without its vector instructions, OpenBLAS with older kernels.

Given hits, aggregation is the same to the last bit; given texts, rankings agree up to the stated tolerance.
"""

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from indexing_support import load_hashing
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
from panel_support import make_finder
from rankings import difference
from tables_support import ownership_of

from panelist.app.demo import corpus, submissions
from panelist.workspace import Workspace
from retriever.aggregate import EXPERT, aggregate
from retriever.stages import DENSE, Candidates

VECTOR_INSTRUCTIONS = " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))


def digest_of_given_hits():
    """What aggregation makes of hits with thousands of different scores."""
    dice = np.random.default_rng(5)
    units, authors = 4_000, 900
    lists = [dice.permutation(authors)[: dice.integers(1, 8)] for _ in range(units - 1)] + [np.arange(authors)]
    lengths, people = np.array([len(one) for one in lists]), np.concatenate(lists).astype(np.int32)
    ownership = ownership_of([f"a{n:04}" for n in range(authors)], units, np.arange(units), lengths, people)
    found = []
    for count in (1, 551, 1_999):
        scores = np.sort(dice.random(count).astype(np.float32))[::-1]  # a reversed view
        found.append(Candidates(dice.permutation(units)[:count], scores, np.full(count, DENSE, np.uint8)))
    whole = sha256()
    for ranked in aggregate(found, ownership, EXPERT):
        for part in (ranked.authors, ranked.scores, ranked.vote_starts, ranked.votes, ranked.vote_weights):
            whole.update(part.tobytes())
    return whole.hexdigest()


def rankings_of(finder):
    return [[list(pair) for pair in ranking] for ranking in finder.rank(submissions())]


def main(workspace):
    from indexing.index import open_index
    from retriever.finder import Finder

    opened = Workspace.at(Path(workspace))
    with Finder(open_index(opened.index_path, load=load_hashing), opened.open_corpus()) as finder:
        print(json.dumps({"digest": digest_of_given_hits(), "rankings": rankings_of(finder)}))  # noqa: T201


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    directory = tmp_path_factory.mktemp("processors")
    with make_finder(directory, corpus()) as finder:
        return directory, rankings_of(finder)


@pytest.mark.parametrize(
    "environment",
    [
        {"OPENBLAS_CORETYPE": "Sandybridge"},
        {"OPENBLAS_CORETYPE": "Haswell"},
        {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": VECTOR_INSTRUCTIONS},
    ],
    ids=lambda environment: "+".join([*environment.values()])[:40],
)
def test_the_answer_is_that_of_this_processor(demo, environment):
    workspace, rankings = demo
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment}
    command = [sys.executable, __file__, str(workspace)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["digest"] == digest_of_given_hits()
    for here, there in zip(rankings, answer["rankings"], strict=True):
        assert difference(here, there) is None


if __name__ == "__main__":
    main(sys.argv[1])
