"""TREC files: runs and relevance judgements, in and out, plain or `.gz`.

A run line is `query Q0 document rank score tag`, a qrels line `query 0 document relevance`; the rank column is ignored.
Reading is strict: the first error is reported with its line. Files hold millions of lines, so they are parsed block by
block, without an object per line; only where something is wrong the file is read a second time to find its line.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eval.runs import Qrels, Run
from panelist.errors import InputError

RUN_COLUMNS = ("query", "Q0", "document", "rank", "score", "tag")
QRELS_COLUMNS = ("query", "0", "document", "relevance")

_BLOCK = 1 << 22  # bytes
_LARGEST_WHOLE = 2**31 - 1
_LARGEST = float(np.finfo(np.float32).max)  # trec_eval compares in single precision


def read_qrels(path: Path) -> Qrels:
    """Read relevance judgements.

    Raises:
        InputError: the file cannot be read or a line is wrong (columns, relevance, duplicate pair).
    """
    pairs = _read_pairs(path, QRELS_COLUMNS, "relevance", whole=True)
    return Qrels.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values.astype(np.int64))


def read_run(path: Path, queries: Collection[str] | None = None, documents: Collection[str] | None = None) -> Run:
    """Read a run; ids outside `queries` or `documents`, where these are given, are errors.

    Raises:
        InputError: the file cannot be read or a line is wrong (columns, score, duplicate pair, unknown id).
    """
    pairs = _read_pairs(path, RUN_COLUMNS, "score")
    _refuse_unknown(path, "query", pairs.queries, queries)
    _refuse_unknown(path, "document", pairs.documents, documents)
    _, first = _find_row(path, lambda record, _: record == 0)
    return Run.of(pairs.queries, pairs.documents, pairs.query, pairs.doc, pairs.values, tag=first[5])


def write_run(run: Run, path: Path) -> None:
    """Write a run to a file, gzipped where its name ends in `.gz`; see `run_lines`."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as out:
        out.writelines(run_lines(run))


def run_lines(run: Run) -> Iterator[str]:
    """The lines of a run, such that any tool that orders by score finds its order.

    Of answers with equal scores, those that trec_eval would put in another order get the next lower score that single
    precision knows: no measure can then depend on who reads the file.
    """
    for query, start, end in zip(run.queries, run.offsets[:-1], run.offsets[1:], strict=True):
        docs, scores = run.docs[start:end], _distinct(run.docs[start:end], run.scores[start:end])
        for rank, (doc, score) in enumerate(zip(docs.tolist(), scores.tolist(), strict=True), 1):
            yield f"{query} Q0 {run.documents[doc]} {rank} {score!r} {run.tag}\n"


def _distinct(docs: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of one ranking, lowered where equal ones would not be read in its order."""
    single = scores.astype(np.float32)
    if not ((single[1:] >= single[:-1]) & (docs[1:] >= docs[:-1])).any():
        return scores
    lowered = scores.copy()
    for i in range(1, len(docs)):
        most = single[i - 1] if docs[i] < docs[i - 1] else np.nextafter(single[i - 1], np.float32(-np.inf))
        if single[i] > most:
            single[i] = lowered[i] = most
    return lowered


def _refuse_unknown(path: Path, column: str, seen: Collection[str], known: Collection[str] | None) -> None:
    unknown = set() if known is None else set(seen).difference(known)
    if unknown:
        number = RUN_COLUMNS.index(column)
        line, row = _find_row(path, lambda _, row: row[number].decode() in unknown)
        raise InputError(
            f"{path}, line {line}: unknown {column} '{row[number]}' ({len(unknown):,} such in the file): "
            f"use the ids of the benchmark"
        )


class _Pairs(NamedTuple):
    """A value for each (query, document) pair: parallel arrays of ordinals into the ids, and of values.

    `queries` and `documents` are in the order of their appearance.
    """

    queries: list[str]
    documents: list[str]
    query: NDArray[np.int64]
    doc: NDArray[np.int64]
    values: NDArray[np.float64]


def _read_pairs(path: Path, columns: tuple[str, ...], value: str, whole: bool = False) -> _Pairs:
    """Read a file of these whitespace-separated columns, of which `value` is a number; `.gz` is unpacked.

    Raises:
        InputError: the file cannot be read, a line has another number of columns, a value is not a finite (`whole`: a
            whole) number, or a pair of query and document occurs twice.
    """
    parse, value_column = _whole if whole else _finite, columns.index(value)
    query_column, document_column, width = columns.index("query"), columns.index("document"), len(columns)
    queries: defaultdict[bytes, int] = defaultdict(count().__next__)
    documents: defaultdict[bytes, int] = defaultdict(count().__next__)
    chunks: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    with _opened(path) as file:
        while block := file.read(_BLOCK):
            block += file.readline()
            if not np.isin(_fields_per_line(block), (0, width)).all():
                raise _wrong_width(path, columns)
            fields = block.split()
            rows = len(fields) // width
            try:
                values = np.fromiter(map(parse, fields[value_column::width]), np.float64, rows)
            except ValueError:
                raise _wrong_value(path, value, value_column, parse) from None
            query = np.fromiter(map(queries.__getitem__, fields[query_column::width]), np.int64, rows)
            doc = np.fromiter(map(documents.__getitem__, fields[document_column::width]), np.int64, rows)
            chunks.append((query, doc, values))
        if not queries:
            raise InputError(f"'{path}' is empty: expected lines of '{' '.join(columns)}'")
        names = [[name.decode() for name in ids] for ids in (queries, documents)]
    query, doc, values = (np.concatenate(column) for column in zip(*chunks, strict=True))
    _refuse_duplicates(path, columns, query * len(documents) + doc)
    return _Pairs(names[0], names[1], query, doc, values)


def _fields_per_line(block: bytes) -> NDArray[np.int64]:
    """How many fields each line of a block has. Only ASCII whitespace divides, as in `bytes.split`."""
    codes = np.frombuffer(block, dtype=np.uint8)
    blank = (codes == 32) | ((codes >= 9) & (codes <= 13))
    starts = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    lines = np.flatnonzero(codes == 10)
    return np.bincount(np.searchsorted(lines, starts), minlength=len(lines))


def _find_row(path: Path, wanted: Callable[[int, list[bytes]], bool]) -> tuple[int, list[str]]:
    """Line number and fields of the first record that is `wanted`, by its ordinal and fields."""
    with _opened(path) as file:
        rows = ((number, row) for number, line in enumerate(file, 1) if (row := line.split()))
        number, row = next(found for record, found in enumerate(rows) if wanted(record, found[1]))
        return number, [field.decode() for field in row]


def _refuse_duplicates(path: Path, columns: tuple[str, ...], keys: NDArray[np.int64]) -> None:
    order = np.argsort(keys, kind="stable")
    repeated = order[1:][keys[order[1:]] == keys[order[:-1]]]
    if not len(repeated):
        return
    first = int(repeated.min())
    line, row = _find_row(path, lambda record, _: record == first)
    raise InputError(
        f"{path}, line {line}: query '{row[columns.index('query')]}' and document '{row[columns.index('document')]}' "
        f"are on an earlier line too ({len(repeated):,} such in the file): keep one line per pair"
    )


def _wrong_width(path: Path, columns: tuple[str, ...]) -> InputError:
    line, row = _find_row(path, lambda _, row: len(row) != len(columns))
    return InputError(
        f"{path}, line {line}: expected {len(columns)} columns '{' '.join(columns)}', received {len(row)}: "
        f"is an id missing, or does it contain a space?"
    )


def _wrong_value(path: Path, name: str, column: int, parse: Callable[[bytes], float]) -> InputError:
    def is_wrong(_: int, row: list[bytes]) -> bool:
        try:
            parse(row[column])
        except ValueError:
            return True
        return False

    line, row = _find_row(path, is_wrong)
    wanted = "a whole number" if parse is _whole else "a finite number"
    return InputError(f"{path}, line {line}: the {name} must be {wanted}, received '{row[column]}'")


def _whole(text: bytes) -> int:
    value = int(text)
    if abs(value) > _LARGEST_WHOLE:
        raise ValueError(text)
    return value


def _finite(text: bytes) -> float:
    value = float(text)
    if not -_LARGEST <= value <= _LARGEST:  # false of NaN, too
        raise ValueError(text)
    return value


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
