"""The reviewer gold standard of Stelmakh et al. (https://arxiv.org/abs/2303.16750), from its public repository.

The release has a file for each paper, participant and reviewer. It is brought into few files, those that the readers
and benchmarks read: docs/reference/data.md has the layout.

Semantic Scholar's metadata and the papers' texts in it belong to their owners: use them for evaluation, do not pass
them on. The release's layout was taken from its README and files; it may change, which is then reported.
"""

import csv
import gzip
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import orjson

from panelist.corpus.fetch.sets.archives import files_of, json_line
from panelist.spreadsheet import csv_text

OPENREVIEW_DATASET = "d_20_1"
_PREDICTION = re.compile(r"([a-z0-9_]+)_(d_(?:20|full_\d+)_\d+)_(t|ta|f)\.json")
_HEADER = "algorithm,dataset,regime,reviewer,paper,score\n"


def convert_goldstandard(archives: Mapping[str, Path], directory: Path) -> None:
    """Bring the files of the release's archive into few files."""
    archive = archives["release"]
    content = next((content for path, content in files_of(archive) if path.parts == ("data", "evaluations.csv")), b"")
    people = csv.DictReader(content.decode("utf-8-sig").splitlines(), delimiter="\t")
    papers_of = ((row["ParticipantID"], [row.get(f"Paper{number}") for number in range(1, 11)]) for row in people)
    rated = [(person, paper) for person, papers in papers_of for paper in papers if paper]
    with ExitStack() as stack:
        outputs: dict[str, gzip.GzipFile] = {}

        def append(name: str, content: bytes, header: str = "") -> None:
            if name not in outputs:
                outputs[name] = stack.enter_context(gzip.GzipFile(directory / name, "wb", compresslevel=6))
                outputs[name].write(header.encode())
            outputs[name].write(content)

        for path, content in files_of(archive):
            match path.parts:
                case ["data", "evaluations.csv"]:
                    (directory / "evaluations.csv").write_bytes(content)
                case ["data", "papers" | "participants" as kind, _] if path.suffix == ".json":
                    append(f"{kind}.jsonl.gz", json_line(orjson.loads(content)))
                case ["data", "txts", _] if path.suffix == ".txt":
                    text = content.decode(errors="replace")
                    append("fulltexts.jsonl.gz", json_line({"ssId": path.stem, "text": text}))
                case ["data", "txts", _] if path.suffix == ".json":
                    append("wordcounts.jsonl.gz", json_line({"ssId": path.stem, "counts": orjson.loads(content)}))
                case ["evaluation_datasets", dataset, "archives", _] if path.suffix == ".jsonl":
                    papers = [orjson.loads(line)["id"] for line in content.splitlines() if line.strip()]
                    reviewer = path.stem.removeprefix("~")
                    append("profiles.jsonl.gz", json_line({"dataset": dataset, "reviewer": reviewer, "papers": papers}))
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


def _copy(content: bytes, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
