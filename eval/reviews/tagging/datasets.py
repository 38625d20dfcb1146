"""The public data sets of labelled reviews, each as reviews of labelled sentences.

Peer-Review-Analyze (Ghosal et al. 2022) has aspects with polarity, SubstanReview (Guo et al. 2023) claims and evidence,
F1000RD (Kuznetsov et al. 2022) pragmatics, and DISAPERE (Kennard et al. 2022) actions, aspects and polarity.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from eval.reviews.reading.sentences import Sentence, already_split, split
from eval.reviews.tagging.typology import NAMES
from panelist.errors import InputError, MissingDataError

ASPECTS = tuple(NAMES)
POLARITIES = ("none", "negative", "positive")
PRAGMATICS = ("Recap", "Strength", "Weakness", "Todo", "Structure", "Other")
EVIDENCE = ("none", "claim+", "claim-", "evidence")

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_EVIDENCE_OF = {"Eval_pos": "claim+", "Eval_neg": "claim-", "Jus_pos": "evidence", "Jus_neg": "evidence"}


@dataclass(frozen=True, slots=True)
class LabelledReview:
    """A review whose sentences carry labels: for every task one value per sentence, or nothing for the whole task."""

    id: str
    paper: str
    sentences: tuple[Sentence, ...]
    labels: Mapping[str, tuple[Any, ...]]  # a class, a tuple of them for the task `aspects`, or None: not labelled
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReviewData:
    """Where a data set comes from and on which terms."""

    title: str
    licence: str
    repository: str  # on GitHub
    file: str
    read: Callable[[Path], Iterator[LabelledReview]]

    def reviews(self, path: Path) -> list[LabelledReview]:
        """The reviews in a file of this data set."""
        try:
            return list(self.read(path))
        except (OSError, EOFError, KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError(f"'{path}' is not {self.title}: {error}") from error


def load_data_sets(names: Sequence[str], folder: Path) -> list[LabelledReview]:
    """Read the reviews of these data sets."""
    reviews: list[LabelledReview] = []
    for name in names:
        if name not in DATA_SETS:
            raise InputError(f"unknown data set '{name}': give some of {', '.join(DATA_SETS)}")
        path = folder / DATA_SETS[name].file
        if not path.is_file():
            raise MissingDataError("f1000rd" if name == "f1000rd" else "reviews", folder, path.name)
        reviews += DATA_SETS[name].reviews(path)
    return reviews


def load_disapere_development(folder: Path) -> list[LabelledReview]:
    """DISAPERE's development split, which nothing is trained on; empty where its file is missing."""
    path = folder / "disapere_dev.jsonl.gz"
    return DATA_SETS["disapere"].reviews(path) if path.is_file() else []


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path) as file:
        for line in file:
            yield orjson.loads(line)


def _peer_review_analyze(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        units = [(text, unit["aspects"]) for unit in record["units"] if (text := _repaired(unit["text"]))]
        codes = [[(code[:3].upper(), code[4:].upper()) for code in unit] for _, unit in units]
        yield LabelledReview(
            record["review"],
            record["paper"],
            tuple(already_split([text for text, _ in units])),
            {
                "aspects": tuple(tuple(aspect for aspect in ASPECTS if aspect in dict(unit)) for unit in codes),
                "polarity": tuple(_polarity([sign for _, sign in unit]) for unit in codes),
                "aspect_polarity": tuple(tuple(pair for pair in unit if pair[0] in ASPECTS) for unit in codes),
            },
            {"decision": record["decision"]},
        )


def _repaired(text: str) -> str:
    """The text without what JSON in JSON has left in it: escapes as characters, and stray backslashes at the ends."""
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text).replace("\\n", "\n").replace('\\"', '"')
    text = re.sub(r"^n?(?=\n|\d+[.)]\s|-\s)", "", text).strip().strip("\\").strip()
    return "" if text in ('"', "'", "n") else text


def _polarity(signs: Sequence[str]) -> str:
    """Choose the commoner sign of a unit's aspects, the negative one where both are as common."""
    positive, negative = signs.count("POS"), signs.count("NEG")
    if not positive and not negative:
        return "none"
    return "positive" if positive > negative else "negative"


def _substanreview(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        sentences = tuple(split(record["review"]))
        values = tuple(_evidence(sentence, record["label"]) for sentence in sentences)
        # Who gives reasons for a claim speaks about it too, but is not marked as positive or negative: leave it open.
        signs = {"claim+": "positive", "claim-": "negative", "evidence": None, "none": "none"}
        name = f"substanreview:{record['id']}"
        yield LabelledReview(
            name, name, sentences, {"evidence": values, "polarity": tuple(signs[value] for value in values)}
        )


def _evidence(sentence: Sentence, spans: Sequence[tuple[int, int, str]]) -> str:
    """The label that covers most characters of the sentence, if these are enough to be about it."""
    covered = {"none": 0}
    for start, end, label in spans:
        if name := _EVIDENCE_OF.get(label.rsplit("_", 1)[0]):
            covered[name] = covered.get(name, 0) + max(0, min(end, sentence.end) - max(start, sentence.start))
    best = max(covered, key=lambda name: covered[name])
    return best if covered[best] >= max(10, 0.2 * (sentence.end - sentence.start)) else "none"


def _f1000rd(path: Path) -> Iterator[LabelledReview]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for review, rows in groupby(csv.DictReader(file), key=lambda row: row["review"]):
            units = [(row["text"].strip(), row["pragmatics"]) for row in rows if row["text"].strip()]
            values = tuple(value for _, value in units)
            signs = {"Strength": "positive", "Weakness": "negative", "Todo": None}
            labels = {"pragmatics": values, "polarity": tuple(signs.get(value, "none") for value in values)}
            yield LabelledReview(review, review, tuple(already_split([text for text, _ in units])), labels)


def _disapere(path: Path) -> Iterator[LabelledReview]:
    for record in _lines(path):
        rows = [row for row in record["sentences"] if row["text"].strip()]
        yield LabelledReview(
            record["review"],
            record["forum"],
            tuple(already_split([row["text"] for row in rows])),
            {
                "action": tuple(row["review_action"].removeprefix("arg_") for row in rows),
                "fine_action": tuple(row["fine_review_action"].removeprefix("arg-") for row in rows),
                "aspect": tuple(row["aspect"].removeprefix("asp_").removeprefix("arg_") for row in rows),
                "polarity": tuple(row["polarity"].removeprefix("pol_") for row in rows),
            },
        )


DATA_SETS = {
    "peer_review_analyze": ReviewData(
        "Peer-Review-Analyze", "MIT", "Tirthankar-Ghosal/Peer-Review-Analyze-1.0", "peer_review_analyze.jsonl.gz",
        _peer_review_analyze,
    ),
    "substanreview": ReviewData(
        "SubstanReview", "Apache-2.0", "YanzhuGuo/SubstanReview", "substanreview_train.jsonl.gz", _substanreview
    ),
    "f1000rd": ReviewData("F1000RD", "CC BY-SA 4.0", "UKPLab/f1000rd", "f1000rd.csv.gz", _f1000rd),
    "disapere": ReviewData("DISAPERE", "CC BY-NC 4.0", "nnkennard/DISAPERE", "disapere_train.jsonl.gz", _disapere),
}  # fmt: skip
SHIPPED = ("peer_review_analyze", "substanreview", "f1000rd")
"""What the tagger in the package is trained on."""
