"""TREC files: runs and relevance judgements, in and out, plain or `.gz`.

A run line is `query Q0 document rank score tag`, a qrels line `query 0 document relevance`; the rank column is ignored.
Reading is strict: the first error is reported with its line.
"""

import gzip
import io
import logging
import zlib
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count
from math import nan
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.runs import Qrels, Run
from panelist.errors import InputError

RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("query", "0", "document", "relevance")

log = logging.getLogger(__name__)
_LARGEST = float(np.finfo(np.float32).max)  # trec_eval compares in single precision


def read_qrels(path: Path) -> Qrels:
    """Read relevance judgements; the first line that is wrong is named."""
    pairs = _read_pairs(path, QRELS_COLUMNS, "relevance", integral=True)
    return Qrels.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values.astype(np.int64))


def read_run(path: Path, queries: Collection[str] | None = None, documents: Collection[str] | None = None) -> Run:
    """Read a run; ids outside `queries` or `documents`, where these are given, are errors."""
    pairs = _read_pairs(path, RUN_COLUMNS, "score")
    for column, ids, rows, allowed in (
        ("query", pairs.queries, pairs.query, queries),
        ("document", pairs.documents, pairs.doc, documents),
    ):
        if allowed is not None and (unknown := set(ids).difference(allowed)):
            row = int(np.argmax(np.isin(rows, [number for number, name in enumerate(ids) if name in unknown])))
            problem = f"unknown {column} '{ids[rows[row]]}'"
            raise pairs.refuse(path, row, problem, len(unknown), "use the ids of the benchmark")
    return Run.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values, tag=pairs.last)


def read_judged_run(path: Path, qrels: Qrels, documents: Collection[str] | None = None) -> Run:
    """Read a run to measure it: queries that nobody judged are ignored, as by trec_eval, and a warning counts them."""
    run = read_run(path, documents=documents)
    if strangers := len(set(run.queries).difference(qrels.queries)):
        log.warning("%s answers %d queries that nobody judged: ignored", path, strangers)
    return run


def write_run(run: Run, path: Path) -> None:
    """Write a run to a file, gzipped where its name ends in `.gz`."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as out:
        out.writelines(run_lines(run))


def run_lines(run: Run) -> Iterator[str]:
    """The lines of a run, such that any tool that orders by score finds its order; see `Run.distinct_scores`."""
    scores = run.distinct_scores().tolist()
    for query, span in run.spans():
        for rank, (doc, score) in enumerate(zip(run.docs[span].tolist(), scores[span], strict=True), 1):
            yield f"{query} Q0 {run.documents[doc]} {rank} {score!r} {run.tag}\n"


class _Pairs(NamedTuple):
    """A value for each (query, document) pair: parallel arrays of ordinals into the ids, values and line numbers.

    `queries` and `documents` are in the order of their appearance; `last` is the last field of the first line.
    """

    queries: list[str]
    documents: list[str]
    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    values: NDArray[np.float64]
    lines: NDArray[np.int64]
    last: str

    def refuse(self, path: Path, row: int, problem: str, count: int, remedy: str) -> InputError:
        """The error about a row of the file, and how many have the same problem."""
        return InputError(f"{path}, line {self.lines[row]}: {problem} ({count:,} such in the file): {remedy}")


def _read_pairs(path: Path, columns: tuple[str, ...], value: str, integral: bool = False) -> _Pairs:
    """Read a file of these whitespace-separated columns, of which `value` is a number; `.gz` is unpacked."""
    parse, most, expected = (int, 2**31 - 1, "whole") if integral else (float, _LARGEST, "finite")
    value_column, query_column, document_column = (columns.index(name) for name in (value, "query", "document"))
    queries: defaultdict[bytes, int] = defaultdict(count().__next__)
    documents: defaultdict[bytes, int] = defaultdict(count().__next__)
    query, doc, values, lines = array("q"), array("q"), array("d"), array("q")
    last = ""
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            fields = line.split()
            if not fields:
                continue
            if len(fields) != len(columns):
                line.decode()  # what is not even text is refused as a file
                raise InputError(
                    f"{path}, line {number}: expected {len(columns)} columns '{' '.join(columns)}', received "
                    f"{len(fields)}: is an id missing, or does it contain a space?"
                )
            try:
                values.append(parse(fields[value_column]))
            except (ValueError, OverflowError):
                values.append(nan)
            if not abs(values[-1]) <= most:  # true of NaN, too
                received = f"received '{fields[value_column].decode()}'"
                raise InputError(f"{path}, line {number}: the {value} must be a {expected} number, {received}")
            query.append(queries[fields[query_column]])
            doc.append(documents[fields[document_column]])
            lines.append(number)
            last = last or fields[-1].decode()
        if not queries:
            raise InputError(f"'{path}' is empty: expected lines of '{' '.join(columns)}'")
        names = [name.decode() for name in queries], [name.decode() for name in documents]
    pairs = _Pairs(*names, np.array(query), np.array(doc), np.array(values), np.array(lines), last)
    keys = pairs.query * len(documents) + pairs.doc
    order = np.argsort(keys, kind="stable")
    repeated = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if len(repeated):
        row = int(repeated.min())
        ids = f"query '{names[0][query[row]]}' and document '{names[1][doc[row]]}'"
        raise pairs.refuse(path, row, f"{ids} are on an earlier line too", len(repeated), "keep one line per pair")
    return pairs


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """The unpacked bytes of a file; an error of the file system becomes an `InputError`."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as raw, io.BufferedReader(raw, 1 << 20) as file:
            yield file
    except FileNotFoundError:
        raise InputError(f"no such file: '{path}'") from None
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise InputError(f"cannot read '{path}': {error}") from error
