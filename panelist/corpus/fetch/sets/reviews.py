"""Peer reviews with labels, from five public repositories."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from panelist.corpus.fetch.sets.archives import files_of, json_line, write_lines
from panelist.spreadsheet import csv_text

_UNIT = re.compile(r"(.+?)\[\[([^\]]*)\]\s*,\s*\[([^\]]*)\]\]", re.DOTALL)
_F1000_SENTENCE = re.compile(r"report\d+_[\d@]+")
_F1000_LABELS = {"Recap", "Strength", "Weakness", "Todo", "Structure", "Other"}
_REVIEW = {"review": "review_id", "forum": "forum_id", "rating": "rating"}
_SENTENCE = ("text", "review_action", "fine_review_action", "aspect", "polarity")


def convert_reviews(archives: Mapping[str, Path], folder: Path) -> None:
    """One gzipped file of JSON lines for each data set and part, see docs/reference/data.md."""
    lines_by_set: dict[str, list[tuple[str, bytes]]] = {}
    for path, content in files_of(archives["disapere"]):
        if path.parts[1:2] == ("final_dataset",) and path.parts[2] in ("train", "dev") and path.suffix == ".json":
            record = _disapere(orjson.loads(content))
            lines_by_set.setdefault(f"disapere_{path.parts[2]}", []).append((path.name, json_line(record)))
    for path, content in files_of(archives["peerread"]):
        match path.parts:
            case ("data", "acl_2017" | "conll_2016" as venue, split, "reviews", name) if name.endswith(".json"):
                paper = _peerread(orjson.loads(content), venue, split)
                lines_by_set.setdefault("peerread", []).append((str(path), json_line(paper)))
    for path, content in files_of(archives["substanreview"]):
        if path.parts == ("annotation_final", "train.jsonl"):
            lines_by_set["substanreview_train"] = [("", content)]
    for path, content in files_of(archives["peer-review-analyze"]):
        if path.name == "Peer-Review-Analyze-1.0.zip":
            lines = [(review["review"], json_line(review)) for review in _analyzed(content)]
            lines_by_set["peer_review_analyze"] = lines
    for name, lines in lines_by_set.items():
        write_lines(folder / f"{name}.jsonl.gz", [content for _, content in sorted(lines)])


def convert_f1000rd(archives: Mapping[str, Path], folder: Path) -> None:
    """`f1000rd.csv.gz`: the labelled sentences, from whichever table of `data/simple` has them.

    The names of its files and columns could not be verified, so that columns are told by what they hold: an id such as
    `report123_4@5`, one of the six labels, and the longest text.
    """
    for path, content in files_of(archives["f1000rd"]):
        if path.parts[:2] == ("data", "simple") and path.suffix == ".csv":
            header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
            columns = list(zip(*(row for row in rows if len(row) == len(header)), strict=True))
            ids = [values for values in columns if all(map(_F1000_SENTENCE.fullmatch, values))]
            labels = [values for values in columns if set(values) <= _F1000_LABELS]
            if ids and labels:
                texts = max(columns, key=lambda column: sum(map(len, column)))
                table = zip((key.partition("_")[0] for key in ids[0]), ids[0], texts, labels[0], strict=True)
                head = ("review", "sentence", "text", "pragmatics")
                write_lines(folder / "f1000rd.csv.gz", [csv_text([head, *table]).encode()])


def _disapere(record: dict[str, Any]) -> dict[str, Any]:
    fields = {name: record["metadata"][field] for name, field in _REVIEW.items()}
    sentences = [{name: sentence[name] for name in _SENTENCE} for sentence in record["review_sentences"]]
    return fields | {"sentences": sentences}


def _peerread(record: dict[str, Any], venue: str, split: str) -> dict[str, Any]:
    reviews = [{key.lower(): cell for key, cell in review.items() if cell is not None} for review in record["reviews"]]
    fields = {"paper": f"{venue}:{record['id']}", "venue": venue, "split": split}
    return fields | {"title": record["title"], "abstract": record["abstract"], "reviews": reviews}


def _analyzed(content: bytes) -> Iterator[dict[str, Any]]:
    """Reviews whose units end in `[[sections],[aspects]]`, in folders by decision; raw reviews have no such marks."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in sorted(archive.namelist()):
            path = PurePosixPath(name)
            units = _UNIT.findall(archive.read(name).decode("utf-8", "replace")) if path.suffix == ".txt" else []
            decision = next((folder for folder in path.parts if folder in ("Accepted", "Rejected", "Withdrawn")), "")
            if units and decision and "__MACOSX" not in path.parts:
                paper = re.sub(r"^ICLR2018-|-R\d+$", "", path.stem)
                labelled = [
                    {"text": text.strip(), "sections": _names(sections), "aspects": _names(aspects)}
                    for text, sections, aspects in units
                ]
                yield {"review": path.stem, "paper": paper, "decision": decision, "units": labelled}


def _names(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
