"""The public data sets of labelled reviews, each as reviews of labelled sentences.

| data set | labels | licence |
|---|---|---|
| Peer-Review-Analyze (Ghosal et al. 2022) | aspects with polarity | MIT |
| SubstanReview (Guo et al. 2023) | claims, evidence | Apache-2.0 |
| F1000RD (Kuznetsov et al. 2022) | pragmatics | CC BY-SA 4.0 |
| DISAPERE (Kennard et al. 2022) | actions, aspects, polarity | CC BY-NC 4.0 |
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from eval.reviews.reading.sentences import Sentence, given, split
from panelist.errors import InputError

ASPECTS = ("APR", "NOV", "IMP", "CMP", "PNF", "REC", "EMP", "SUB", "CLA")
"""Of Peer-Review-Analyze; `typology.py` has their names."""

POLARITIES = ("none", "negative", "positive")
PRAGMATICS = ("Recap", "Strength", "Weakness", "Todo", "Structure", "Other")
EVIDENCE = ("none", "claim+", "claim-", "evidence")

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class LabelledReview:
    """A review whose sentences carry labels: for every task one value per sentence, or nothing for the whole task.

    A value is a class, or for the task `aspects` a tuple of them; None says that this sentence is not labelled.
    """

    id: str
    paper: str
    sentences: tuple[Sentence, ...]
    labels: Mapping[str, tuple[Any, ...]]
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Where a data set comes from and on which terms."""

    name: str
    title: str
    licence: str
    source: str
    files: tuple[str, ...]
    read: Callable[[Path], Iterator[LabelledReview]]


def load(names: Sequence[str], folder: Path) -> list[LabelledReview]:
    """The reviews of these data sets.

    Raises:
        InputError: there is no such data set, or its file is not there or is damaged.
    """
    found: list[LabelledReview] = []
    for name in names:
        if name not in DATA_SETS:
            raise InputError(f"unknown data set '{name}': give some of {', '.join(DATA_SETS)}")
        path = folder / DATA_SETS[name].files[0]
        if not path.is_file():
            raise InputError(f"no file '{path}': set PANELIST_DATA or --data to the folder that holds {path.name}")
        try:
            found.extend(DATA_SETS[name].read(path))
        except (OSError, EOFError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"'{path}' is not {DATA_SETS[name].title}: {error}") from error
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as file:
        for line in file:
            yield orjson.loads(line)


def _peer_review_analyze(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        texts = [_repaired(unit["text"]) for unit in record["units"]]
        kept = [number for number, text in enumerate(texts) if text]
        codes = [record["units"][number]["aspects"] for number in kept]
        aspects = [tuple(a for a in ASPECTS if any(code[:3].upper() == a for code in unit)) for unit in codes]
        polarity = [_polarity(unit) for unit in codes]
        gold = [
            tuple((code[:3].upper(), code[4:].upper()) for code in unit if code[:3].upper() in ASPECTS)
            for unit in codes
        ]
        yield LabelledReview(
            record["review"],
            record["paper"],
            tuple(given([texts[number] for number in kept])),
            {"aspects": tuple(aspects), "polarity": tuple(polarity), "aspect_polarity": tuple(gold)},
            {"decision": record["decision"]},
        )


def _repaired(text: str) -> str:
    """The text without what JSON in JSON has left in it: escapes as characters, and stray backslashes at the ends."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n").replace('\\"', '"')
    text = re.sub(r"^n?(?=\n|\d+[.)]\s|-\s)", "", text).strip().strip("\\").strip()
    return "" if text in ('"', "'", "n") else text


def _polarity(codes: Sequence[str]) -> str:
    """Of all aspects of a unit: positive or negative where they agree, the commoner of the two where they do not."""
    signs = [code[4:].upper() for code in codes]
    positive, negative = signs.count("POS"), signs.count("NEG")
    if not positive and not negative:
        return "none"
    return "positive" if positive > negative else "negative"


def _substanreview(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        text = record["review"]
        sentences = split(text)
        spans = [(start, end, label) for start, end, label in record["label"]]
        values = [_evidence(sentence, spans) for sentence in sentences]
        polarity = tuple({"claim+": "positive", "claim-": "negative"}.get(value, "none") for value in values)
        # Who gives reasons for a claim speaks about it too, but is not marked as positive or negative: leave it open.
        open_polarity = tuple(
            None if value == "evidence" else sign for value, sign in zip(values, polarity, strict=True)
        )
        yield LabelledReview(
            f"substanreview:{record['id']}",
            f"substanreview:{record['id']}",
            tuple(sentences),
            {"evidence": tuple(values), "polarity": open_polarity},
            {"spans": spans},
        )


def _evidence(sentence: Sentence, spans: Sequence[tuple[int, int, str]]) -> str:
    """The label that covers most of the sentence, if it covers enough of it to be about it."""
    covered: dict[str, int] = {}
    for start, end, label in spans:
        name = {"Eval_pos": "claim+", "Eval_neg": "claim-", "Jus_pos": "evidence", "Jus_neg": "evidence"}.get(
            label.rsplit("_", 1)[0]
        )
        if name:
            covered[name] = covered.get(name, 0) + max(0, min(end, sentence.end) - max(start, sentence.start))
    best = max(covered, key=lambda name: covered[name], default="none")
    return best if best != "none" and covered[best] >= max(10, 0.2 * (sentence.end - sentence.start)) else "none"


def _f1000rd(path: Path) -> Iterator[LabelledReview]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for review, rows in groupby(csv.DictReader(file), key=lambda row: row["review"]):
            found = [(row["text"].strip(), row["pragmatics"]) for row in rows if row["text"].strip()]
            values = tuple(value for _, value in found)
            polarity = tuple(
                {"Strength": "positive", "Weakness": "negative", "Todo": None}.get(v, "none") for v in values
            )
            yield LabelledReview(
                review,
                review,
                tuple(given([text for text, _ in found])),
                {"pragmatics": values, "polarity": polarity},
            )


def _disapere(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        rows = [row for row in record["sentences"] if row["text"].strip()]
        yield LabelledReview(
            record["review"],
            record["forum"],
            tuple(given([row["text"] for row in rows])),
            {
                "action": tuple(row["review_action"].removeprefix("arg_") for row in rows),
                "fine_action": tuple(row["fine_review_action"].removeprefix("arg-") for row in rows),
                "aspect": tuple(row["aspect"].removeprefix("asp_").removeprefix("arg_") for row in rows),
                "polarity": tuple(row["polarity"].removeprefix("pol_") for row in rows),
            },
            {"rating": record.get("rating")},
        )


DATA_SETS = {
    data.name: data
    for data in (
        DataSet(
            "peer_review_analyze",
            "Peer-Review-Analyze",
            "MIT",
            "https://github.com/Tirthankar-Ghosal/Peer-Review-Analyze-1.0",
            ("peer_review_analyze.jsonl.gz",),
            _peer_review_analyze,
        ),
        DataSet(
            "substanreview",
            "SubstanReview",
            "Apache-2.0",
            "https://github.com/YanzhuGuo/SubstanReview",
            ("substanreview_train.jsonl.gz",),
            _substanreview,
        ),
        DataSet(
            "f1000rd", "F1000RD", "CC BY-SA 4.0", "https://github.com/UKPLab/f1000rd", ("f1000rd.csv.gz",), _f1000rd
        ),
        DataSet(
            "disapere",
            "DISAPERE",
            "CC BY-NC 4.0",
            "https://github.com/nnkennard/DISAPERE",
            ("disapere_train.jsonl.gz", "disapere_dev.jsonl.gz"),
            _disapere,
        ),
    )
}
SHIPPED = ("peer_review_analyze", "substanreview", "f1000rd")
"""What the tagger in the package is trained on."""


def development(name: str, folder: Path) -> list[LabelledReview]:
    """The development split of a data set, which nothing is trained on; empty where it has none."""
    data = DATA_SETS[name]
    return list(data.read(folder / data.files[1])) if len(data.files) > 1 and (folder / data.files[1]).is_file() else []
