"""Peer reviews with labels, from five public repositories.

`f1000rd.csv.gz` is not among them: the names of that repository's files could not be verified (docs/reference/data.md).
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import orjson

from panelist.corpus.fetch.sets.archives import files_of, line, write_lines

_UNIT = re.compile(r"(.+?)\[\[([^\]]*)\]\s*,\s*\[([^\]]*)\]\]", re.DOTALL)
_SENTENCE = ("text", "review_action", "fine_review_action", "aspect", "polarity")


def convert_reviews(archives: Mapping[str, Path], folder: Path) -> None:
    """One gzipped file of JSON lines for each data set and part, see docs/reference/data.md."""
    found: dict[str, list[tuple[str, bytes]]] = {}
    for path, content in files_of(archives["disapere"]):
        if path.parts[1:2] == ("final_dataset",) and path.parts[2] in ("train", "dev") and path.suffix == ".json":
            record = _disapere(orjson.loads(content))
            found.setdefault(f"disapere_{path.parts[2]}", []).append((path.name, line(record)))
    for path, content in files_of(archives["peerread"]):
        match path.parts:
            case ("data", "acl_2017" | "conll_2016" as venue, split, "reviews", name) if name.endswith(".json"):
                paper = _peerread(orjson.loads(content), venue, split)
                found.setdefault("peerread", []).append((str(path), line(paper)))
    for path, content in files_of(archives["substanreview"]):
        if path.parts == ("annotation_final", "train.jsonl"):
            found["substanreview_train"] = [("", content)]
    for path, content in files_of(archives["peer-review-analyze"]):
        if path.name == "Peer-Review-Analyze-1.0.zip":
            lines = [(one["review"], line(one)) for one in _analyzed(content)]
            found["peer_review_analyze"] = lines
    for name, lines in found.items():
        write_lines(folder / f"{name}.jsonl.gz", [one for _, one in sorted(lines)])


def _disapere(record: dict[str, Any]) -> dict[str, Any]:
    about = record["metadata"]
    sentences = [{name: one[name] for name in _SENTENCE} for one in record["review_sentences"]]
    return {
        "review": about["review_id"],
        "forum": about["forum_id"],
        "rating": about["rating"],
        "sentences": sentences,
    }


def _peerread(record: dict[str, Any], venue: str, split: str) -> dict[str, Any]:
    reviews = [{key.lower(): one for key, one in review.items() if one is not None} for review in record["reviews"]]
    return {
        "paper": f"{venue}:{record['id']}",
        **{"venue": venue, "split": split, "title": record["title"], "abstract": record["abstract"]},
        "reviews": reviews,
    }


def _analyzed(content: bytes) -> Iterator[dict[str, Any]]:
    """Reviews whose units end in `[[sections],[aspects]]`, in folders by decision; raw reviews have no such marks."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in sorted(archive.namelist()):
            path = PurePosixPath(name)
            units = _UNIT.findall(archive.read(name).decode("utf-8", "replace")) if path.suffix == ".txt" else []
            decision = next((part for part in path.parts if part in ("Accepted", "Rejected", "Withdrawn")), "")
            if units and decision and "__MACOSX" not in path.parts:
                review = path.stem
                paper = re.sub(r"^ICLR2018-|-R\d+$", "", review)
                labelled = [
                    {"text": text.strip(), "sections": _listed(sections), "aspects": _listed(aspects)}
                    for text, sections, aspects in units
                ]
                yield {"review": review, "paper": paper, "decision": decision, "units": labelled}


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]
