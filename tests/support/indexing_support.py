"""Papers and an encoder of our own making for tests of the index, and a process that builds, perhaps to be killed.

    python indexing_support.py WORKSPACE build|add [--engine E] [--executor E] [--limit-bytes N]
                               [--kill-at N] [--stop-at N]

`--kill-at N` ends the process by SIGKILL when it is about to touch the index directory for the N-th time, `--stop-at N`
stops it by SIGSTOP. At its end it prints the number of touches.
"""

import argparse
import multiprocessing
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from functools import cache
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np

from indexing.index import open_index
from indexing.jobs.build import IndexJobs
from indexing.jobs.executors import open_workers
from indexing.text import Text
from panelist.errors import ModelError, PanelistError
from panelist.records import Author, Authorship, Paper
from panelist.workspace import Workspace

SHARD_SIZE = 25
_TOUCHES = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.truncate"}


def make_papers(count, seed=0, first=0):
    """Papers about random words: some without an abstract, some with neither, some without authors."""
    dice = random.Random(seed)
    words = ["".join(dice.choices("bdfgklmnprst", k=2) + dice.choices("aeiou", k=2)) + str(n) for n in range(400)]
    papers = []
    for number in range(first, first + count):
        topic = dice.sample(words, 20)
        title = "" if number % 50 == 7 else " ".join(dice.choices(topic, k=6))
        abstract = "" if number % 10 == 7 else " ".join(dice.choices(topic, k=60))
        authors = dice.sample(range(80), 0 if number % 25 == 3 else dice.randint(1, 4))
        papers.append(
            Paper(
                id=f"https://papers.example/W{number * 7919 % 100_003}",
                title=title,
                abstract=abstract,
                year=None if number % 9 == 4 else 1990 + number % 35,
                authorships=tuple(Authorship(Author(f"a:{author}", f"Author {author}")) for author in authors),
                cited_by_count=number % 13,
                doi=f"10.1/{number}" if number % 3 else None,
                references=tuple(f"doi:10.1/{number * step % 300}" for step in range(2, 2 + number % 8)),
            )
        )
    return papers


def revised(paper, **changes):
    """A paper with some fields changed."""
    return msgspec.structs.replace(paper, **changes)


def with_text(papers):
    """Those that have a text, by id."""
    return {paper.id: paper for paper in papers if paper.title or paper.abstract}


def open_built(jobs):
    """The index that the jobs have made."""
    return open_index(jobs.path, load=load_hashing)


def units_of(ownership, author):
    """The unit numbers of one author, ascending."""
    return ownership.author_units[ownership.author_starts[author] : ownership.author_starts[author + 1]]


@cache
def _direction(word, dimension):
    seed = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "little")
    return np.random.default_rng(seed).standard_normal(dimension)


class HashingEncoder:
    """Each word is a random direction; a text is the direction of their sum, or zero. Counts what it encodes."""

    def __init__(self, name, dimension, revision):
        self.name, self.revision, self.dimension = name, revision, dimension
        self.encoded = 0

    def encode(self, texts, progress=None):
        self.encoded += len(texts)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = sum(_direction(word, self.dimension) for word in text.plain().split())
        if progress is not None:
            progress(len(texts))
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


class WordEncoder(HashingEncoder):
    """Knows nothing but words, in whatever case and beside whatever punctuation."""

    def encode(self, texts, progress=None):
        return super().encode([Text(" ".join(re.findall(r"\w+", text.plain().lower()))) for text in texts], progress)


def load_hashing(name):
    """`hashing`, of 16 dimensions; everything else is unknown."""
    if name != "hashing":
        raise ModelError(f"unknown model '{name}': only 'hashing' is known here")
    return HashingEncoder(name, 16, "1")


class SlowEncoder(HashingEncoder):
    """Takes 2 ms per text, so that a worker can be killed meanwhile."""

    def encode(self, texts, progress=None):
        time.sleep(0.002 * len(texts))
        return super().encode(texts, progress)


def load_slow(name):
    """As `load_hashing`, slowly."""
    return SlowEncoder(name, 16, "1")


def load_deadly(name):
    """Ends a worker process, as a system without memory does; elsewhere it is as `load_hashing`."""
    if multiprocessing.parent_process() is not None:
        os.kill(os.getpid(), signal.SIGKILL)
    return load_hashing(name)


def search(index, corpus, k=10):
    """What an index answers to some queries, free of unit numbers: ids and scores by engine and query."""
    papers = [paper for paper in corpus.iter_papers() if paper.title or paper.abstract]
    queries = [f"{paper.title} {paper.abstract}" for paper in papers[::12]]
    vectors = load_hashing("hashing").encode([Text(query) for query in queries])
    answers = {}
    for name, hits in (
        ("lexical", index.lexical().search(queries, k, allowed=index.live)),
        ("dense", index.dense().search(vectors, k, allowed=index.live)),
    ):
        for query, (units, scores) in enumerate(zip(hits.units, hits.scores, strict=True)):
            found = units >= 0
            ids = index.units.paper_ids(units[found])
            answers[name, query] = sorted(
                zip(np.round(scores[found].astype(float), 4).tolist(), ids, strict=True),
                key=lambda hit: (-hit[0], hit[1]),
            )
    return answers


class Runner:
    """Builds in processes of their own, which are forked off a server, so that each of them costs no imports."""

    def __init__(self, output):
        self.output = output
        command = [sys.executable, __file__, "serve"]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, workspace, job, *options):
        """Returns the exit code, negative for a signal, and what the process said."""
        self.server.stdin.write("\t".join([str(self.output), str(workspace.path), job, *options]) + "\n")
        self.server.stdin.flush()
        return int(self.server.stdout.readline()), self.output.read_text()

    def finish(self, workspace, job, *options):
        """Run to the end; returns how often the index directory was touched."""
        code, said = self.run(workspace, job, *options)
        assert code == 0, said
        return int(said)

    def kill(self, workspace, job, moment, *options):
        """Run until the index directory is touched for this time, and no further."""
        code, said = self.run(workspace, job, "--kill-at", str(moment), *options)
        assert code == -signal.SIGKILL, said

    def close(self):
        self.server.communicate()


def signal_at(signals, directory):
    """Count the touches of files below `directory`, with a signal at those of these numbers; returns the counter."""
    count = [0]

    def hook(event, arguments):
        if event in _TOUCHES and isinstance(arguments[0], str | os.PathLike) and directory in str(arguments[0]):
            count[0] += 1
            if count[0] in signals:
                os.kill(os.getpid(), signals[count[0]])

    sys.addaudithook(hook)
    return count


def main(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("workspace", type=Path)
    parser.add_argument("job", choices=["build", "add"])
    parser.add_argument("--engine", default="bm25s")
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--stop-at", type=int, default=0)
    parser.add_argument("--limit-bytes", type=int, default=0)
    parser.add_argument("--executor")
    options = parser.parse_args(arguments)
    workspace = Workspace.at(options.workspace)
    signals = {options.kill_at: signal.SIGKILL, options.stop_at: signal.SIGSTOP}
    touches = signal_at(signals, str(workspace.index_path))
    try:
        with workspace.open_corpus() as corpus:
            corpus.counts()
            if options.limit_bytes:  # only now: the corpus has files of its own
                resource.setrlimit(resource.RLIMIT_FSIZE, (options.limit_bytes, options.limit_bytes))
            run(workspace, corpus, options)
    except PanelistError as error:
        sys.exit(f"error: {error}")
    sys.stdout.write(f"{touches[0]}\n")


def serve():
    """Run each line of arguments from stdin in a fork of this process, and answer with its status.

    Its imports are made already, which is most of the time that a small build takes.
    """
    import bm25s  # noqa: F401

    for line in sys.stdin:
        errors, *arguments = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            with open(errors, "w") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            code = 1
            try:
                main(arguments)
                code = 0
            except SystemExit as stop:
                os.write(2, f"{stop.code}\n".encode())
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(code)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


def run(workspace, corpus, options):
    from indexing_support import load_hashing as load  # by a name that workers elsewhere can import

    with open_workers(options.executor) as workers:
        jobs = IndexJobs(workspace.index_path, load=load, workers=workers, shard_size=SHARD_SIZE)
        if options.job == "build":
            jobs.build(corpus, encoder="hashing", engine=options.engine)
        else:
            jobs.add(corpus)


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["serve"] else main()
