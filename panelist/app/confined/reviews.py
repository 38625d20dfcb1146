"""Reviews: a file of them in, calibrated scores or checked texts out. Nothing of it is stored."""

import sys
from dataclasses import asdict, dataclass
from typing import Any, Literal

import orjson

from panelist.app import limits
from panelist.app.confined import read_as_file, run, work
from panelist.errors import InputError

_SECONDS, _MEMORY = 300, 8 << 30
_CALIBRATION_SECONDS = 120
_PROCESSORS = 4  # whose time together may be used: the encoder takes several

_FONTS = ("HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR")
"""Where matplotlib stores its list of fonts: without it, it would make the list again, for seconds."""
_MODELS = ("HOME", "XDG_CACHE_HOME", "PANELIST_CACHE", "HF_HOME", "HF_HUB_CACHE")
"""Where the encoder's weights are found."""


@dataclass(frozen=True, slots=True)
class CalibrationIn:
    """Settings of a calibration, as the API takes them."""

    accept: float = 0.25
    target: Literal["reviews", "quality"] = "reviews"
    method: Literal["ml", "reml"] = "ml"
    covariates: tuple[str, ...] = ()
    confidence: str | None = None
    lower_is_better: bool = False
    samples: int = 1000
    seed: int = 0


def calibrate(content: bytes, settings: CalibrationIn, form: Literal["answer", "report"]) -> bytes:
    """Calibrated scores as JSON, or the report as HTML, made in a process of its own."""
    columns = content.partition(b"\n")[0].count(b",") + 1
    if columns > limits.COLUMNS:
        raise InputError(
            f"the file has {columns:,} columns: leave out those that are not needed, at most {limits.COLUMNS}"
        )
    arguments = ("calibrate", form, orjson.dumps(asdict(settings)).decode())
    return run("reviews", content, "file of reviews", *arguments, seconds=_CALIBRATION_SECONDS, variables=_FONTS)


Form = Literal["answer", "authors", "sentences", "chair"]


def check_file(content: bytes, name: str, form: Form, *, exact: bool = False, hints: bool = False) -> bytes:
    """The whole check as JSON, or one of its tables as CSV, made in a process of its own.

    The ending of the file's name says its format; an exact check tags with MiniLM too.
    """
    arguments = ("check", form, orjson.dumps({"name": name, "fast": not exact, "hints": hints}).decode())
    try:
        return run("reviews", content, "file of reviews", *arguments, seconds=_SECONDS, variables=_MODELS)
    except InputError as error:
        if "takes too long" in str(error):
            raise InputError(f"{error}; use 'panelist reviews check' for so large a file") from error
        raise


def _read(content: bytes, arguments: list[str]) -> bytes:
    task, form, settings = arguments[0], arguments[1], orjson.loads(arguments[2])
    return _calibrate(content, form, **settings) if task == "calibrate" else _check(content, form, **settings)


def _calibrate(
    content: bytes, form: str, method: Any, covariates: list[str], confidence: str | None, **settings: Any
) -> bytes:
    from eval.calibration.reviews import read_reviews

    reviews = read_as_file(content, "reviews.csv", read_reviews)  # a file that is refused does not wait for the rest
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.summary import summarise

    calibrator = ReviewCalibrator(method=method, covariates=tuple(covariates), confidence=confidence)
    summary = summarise(calibrator.fit(reviews), **settings)
    if form == "report":
        from eval.calibration.report import html_report

        return html_report(summary).encode()
    return orjson.dumps(summary.as_json(), option=orjson.OPT_SERIALIZE_NUMPY)


def _check(content: bytes, form: str, name: str, *, fast: bool, hints: bool) -> bytes:
    from eval.reviews.reading.files import read_review_file

    file = read_as_file(content, name, read_review_file)
    from eval.checking import check_reviews
    from eval.reviews.checks import exports
    from eval.reviews.tagging.tagger import Tagger

    checked = check_reviews(file, Tagger.load(fast=fast), hints=hints)
    if form == "answer":
        return orjson.dumps(exports.check_as_json(checked), option=orjson.OPT_NON_STR_KEYS)
    tables = {"authors": exports.authors_csv, "sentences": exports.sentences_csv, "chair": exports.chair_csv}
    return tables[form](checked).encode()


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_PROCESSORS * _SECONDS, memory=_MEMORY))
