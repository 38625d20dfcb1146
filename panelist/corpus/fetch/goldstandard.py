"""The reviewer gold standard of Stelmakh et al. (https://arxiv.org/abs/2303.16750), from its public repository.

The release has a file for each paper, participant and reviewer. It is brought into few files, those that the readers
and benchmarks read:

    evaluations.csv         data/evaluations.csv as it is
    papers.jsonl.gz         data/papers/*.json, one per line
    participants.jsonl.gz   data/participants/*.json, one per line
    profiles.jsonl.gz       evaluation_datasets/*/archives/~*.jsonl as {dataset, reviewer, papers}
    openreview/d_20_1/      evaluation_datasets/d_20_1: archives and submissions.json as they are
    fulltexts.jsonl.gz      data/txts/*.txt as {ssId, text}
    wordcounts.jsonl.gz     data/txts/*.json as {ssId, counts}
    predictions.csv.gz      predictions/*.json, the rated pairs only

Semantic Scholar's metadata and the papers' texts in it belong to their owners: use them for evaluation, do not pass
them on. The release's layout was taken from its README and files; it may change, which is then reported.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

import orjson

from panelist.corpus.fetch.files import make_directory
from panelist.corpus.fetch.http import Client, FetchError
from panelist.spreadsheet import csv_text

OPENREVIEW_DATASET = "d_20_1"
_NEEDED = ("evaluations.csv", "papers.jsonl.gz", "participants.jsonl.gz")
_PREDICTION = re.compile(r"([a-z0-9_]+)_(d_(?:20|full_\d+)_\d+)_(t|ta|f)\.json")
_HEADER = "algorithm,dataset,regime,reviewer,paper,score\n"


def fetch_goldstandard(
    client: Client,
    url: str,
    directory: Path,
    progress: Callable[[int, int | None], None] = lambda done, total: None,
) -> list[str]:
    """Download the release and convert it into `directory`; the paths of the files written, in order.

    Raises:
        FetchError: the archive cannot be downloaded, is cut off, or does not have the layout described above.
    """
    make_directory(directory)
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=directory) as temporary:
        archive, converted = Path(temporary, "release.tar.gz"), Path(temporary, "converted")
        client.download(url, archive, progress)
        try:
            convert(archive, converted)
        except (tarfile.TarError, EOFError, OSError, ValueError) as error:
            raise FetchError(
                f"{url}: the archive is cut off or damaged ({error}): run the same command again"
            ) from None
        written = sorted(path.relative_to(converted) for path in converted.rglob("*") if path.is_file())
        missing = [name for name in _NEEDED if Path(name) not in written]
        if missing:
            raise FetchError(f"{url}: the release has not the expected layout: nothing found for {', '.join(missing)}")
        for path in written:  # all or nothing: until here the directory is as it was
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            os.replace(converted / path, directory / path)
    return [str(path) for path in written]


def convert(archive: Path, directory: Path) -> None:
    """Bring the files of the release's archive into the layout of this module's description."""
    directory.mkdir(parents=True)
    rated = _rated_pairs(archive)
    with ExitStack() as stack:
        outputs: dict[str, gzip.GzipFile] = {}

        def append(name: str, line: bytes, header: str = "") -> None:
            if name not in outputs:
                outputs[name] = stack.enter_context(gzip.GzipFile(directory / name, "wb", compresslevel=6))
                outputs[name].write(header.encode())
            outputs[name].write(line)

        for path, content in _files(archive):
            match path.parts:
                case ["data", "evaluations.csv"]:
                    (directory / "evaluations.csv").write_bytes(content)
                case ["data", "papers" | "participants" as kind, _] if path.suffix == ".json":
                    append(f"{kind}.jsonl.gz", _line(orjson.loads(content)))
                case ["data", "txts", _] if path.suffix == ".txt":
                    text = content.decode(errors="replace")
                    append("fulltexts.jsonl.gz", _line({"ssId": path.stem, "text": text}))
                case ["data", "txts", _] if path.suffix == ".json":
                    append("wordcounts.jsonl.gz", _line({"ssId": path.stem, "counts": orjson.loads(content)}))
                case ["evaluation_datasets", dataset, "archives", _] if path.suffix == ".jsonl":
                    papers = [orjson.loads(line)["id"] for line in content.splitlines() if line.strip()]
                    reviewer = path.stem.removeprefix("~")
                    profile = {"dataset": dataset, "reviewer": reviewer, "papers": papers}
                    append("profiles.jsonl.gz", _line(profile))
                    if dataset == OPENREVIEW_DATASET:
                        _copy(content, directory / "openreview" / dataset / "archives" / path.name)
                case ["evaluation_datasets", dataset, "submissions.json"] if dataset == OPENREVIEW_DATASET:
                    _copy(content, directory / "openreview" / dataset / path.name)
                case ["predictions", name] if parts := _PREDICTION.fullmatch(name):
                    scores = orjson.loads(content)
                    rows = (
                        (*parts.groups(), reviewer, paper, score)
                        for reviewer, paper in rated
                        if (score := scores.get(reviewer, {}).get(paper)) is not None
                    )
                    append("predictions.csv.gz", csv_text(rows).encode(), _HEADER)


def _rated_pairs(archive: Path) -> list[tuple[str, str]]:
    """Who rated what, in the order of the evaluations."""
    content = next((content for path, content in _files(archive) if path.parts == ("data", "evaluations.csv")), b"")
    rows = csv.DictReader(content.decode("utf-8-sig").splitlines(), delimiter="\t")
    return [
        (row["ParticipantID"], paper) for row in rows for number in range(1, 11) if (paper := row.get(f"Paper{number}"))
    ]


def _files(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The regular files of the archive, without the directory that contains them all."""
    with gzip.open(archive) as content:
        with tarfile.open(fileobj=content, mode="r|") as tar:
            for member in tar:
                path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                file = tar.extractfile(member) if member.isfile() and ".." not in path.parts else None
                if file is not None:
                    yield path, file.read()
        content.read()  # to the checksum: tar itself does not notice that an archive is cut off between two files


def _line(record: object) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def _copy(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
