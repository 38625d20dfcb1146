"""A directory of OpenAlex parts, read by workers: each turns a part into a file of papers; this process stores them.

    data/works/updated_date=*/part_*.gz        the works
    data/merged_ids/{works,authors}/*.csv.gz   ids that were merged into others

An import that is interrupted resumes with the first part that was not stored.
"""

import csv
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from hashlib import blake2b
from pathlib import Path

import msgspec
import orjson
from msgspec.structs import replace

from panelist.corpus.documents import batches
from panelist.corpus.importing import ImportSummary, Tally
from panelist.corpus.readers import openalex
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.corpus.store import CorpusStore
from panelist.files import replacing, write_whole
from panelist.records import Paper

_LOG = "import.json"
_FILES = "import.parts"
_OPENALEX = "https://openalex.org/"
_MERGED = 1_000  # authors that are looked up at a time


def import_parts(
    files: Sequence[Path],
    store: CorpusStore,
    directory: Path,
    run: Callable[[Iterable[Callable[[], ReadReport]]], Generator[ReadReport]],
    progress: Callable[[int], None] = lambda bytes_read: None,
) -> tuple[ImportSummary, int]:
    """Store the works of all parts, each as soon as all before it are stored.

    `run` gives what tasks return, in their order; its workers see `directory`, the workspace, under the same path.
    `progress` is called with the bytes read so far.
    Returns what was imported, and how many parts an interrupted run of the same import had stored before.
    """
    log, scratch = directory / _LOG, directory / _FILES
    described = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    key = blake2b(orjson.dumps(described), digest_size=8).hexdigest()
    stored = _stored(log, key, store)
    waiting_files = [file for file in files if str(file) not in stored]
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    total, tally, removals = ReadReport(), Tally(), Removals(directory)
    targets = [scratch / f"{number:06d}.jsonl" for number in range(len(waiting_files))]
    tasks = (partial(read_part, *paths) for paths in zip(waiting_files, targets, strict=True))
    with closing(run(tasks)) as reports:
        for file, target, report in zip(waiting_files, targets, reports, strict=True):
            with target.open("rb") as lines:
                papers = map(msgspec.json.Decoder(Paper).decode, lines)
                store.upsert(tally.count(removals.apply(papers), lambda: None))
            target.unlink()
            total.add(report)
            progress(total.bytes_read)
            stored.append(str(file))
            write_whole(log, orjson.dumps({"import": key, "papers": store.counts().papers, "stored": stored}))
    _merge(files, store, removals, total)
    shutil.rmtree(scratch)
    log.unlink(missing_ok=True)
    return tally.summary(total), len(files) - len(waiting_files)


def read_part(file: Path, target: Path) -> ReadReport:
    """Write the papers of one part as JSON lines to `target`; says what could not be read."""
    report, encode = ReadReport(), msgspec.json.Encoder().encode
    with replacing(target) as temporary, temporary.open("wb") as out:  # two workers may be given the same part
        out.writelines(encode(paper) + b"\n" for paper in openalex.read([file], report))
    return report


def _merge(files: Iterable[Path], store: CorpusStore, removals: Removals, report: ReadReport) -> None:
    """Do as the snapshot of these parts says: works that were merged into others go, authors get their new ids."""
    store.delete(form for old_id, _ in _merged_ids(files, "works", report) for form in (old_id, f"{_OPENALEX}{old_id}"))
    for batch in batches(_merged_ids(files, "authors", report), _MERGED):
        ids = {prefix + old_id: prefix + new_id for old_id, new_id in batch for prefix in ("", _OPENALEX)}
        papers = sorted({paper for paper_ids in store.papers_of(list(ids)).values() for paper in paper_ids})
        store.upsert(removals.apply(_with_ids(paper, ids) for paper in store.papers(papers).values()))


def _with_ids(paper: Paper, ids: Mapping[str, str]) -> Paper:
    """A paper whose authors have their new ids, each once."""
    authorships = {
        author_id: replace(authorship, author=replace(authorship.author, id=author_id))
        for authorship in paper.authorships
        for author_id in [ids.get(authorship.author.id, authorship.author.id)]
    }
    return replace(paper, authorships=tuple(authorships.values()))


def _merged_ids(files: Iterable[Path], kind: str, report: ReadReport) -> Iterator[tuple[str, str]]:
    """The old and the new id of everything of a kind that was merged, without the address."""
    for root in sorted({parent for file in files for parent in list(file.absolute().parents)[:4]}):
        for path in sorted((root / "merged_ids" / kind).glob("*.csv.gz")):
            lines = (line.decode(errors="replace") for _, line in read_lines(path, report))
            for row in csv.DictReader(lines):
                if row.get("id") and row.get("merge_into_id"):
                    yield row["id"].removeprefix(_OPENALEX), row["merge_into_id"].removeprefix(_OPENALEX)


def _stored(log: Path, key: str, store: CorpusStore) -> list[str]:
    """Which parts an import of this key has stored; none where the log is of another one, or of another corpus."""
    try:
        saved = orjson.loads(log.read_bytes())
        if saved["import"] == key and saved["papers"] <= store.counts().papers:
            return list(saved["stored"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return []
