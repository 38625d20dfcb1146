"""Reviews checked: a file of reviews in, the answer of the API or a table out. Nothing of it is kept."""

import sys
from typing import Literal

import orjson

from panelist.app.confined import read_as_file, run, work
from panelist.errors import InputError

_SECONDS, _MEMORY = 300, 8 << 30
_PROCESSORS = 4  # whose time together may be used: the encoder takes several

_MODELS = ("HOME", "XDG_CACHE_HOME", "PANELIST_CACHE", "HF_HOME", "HF_HUB_CACHE")
"""Where the encoder's weights are found."""

Form = Literal["answer", "authors", "sentences", "chair"]


def check(content: bytes, name: str, form: Form, *, exact: bool = False, hints: bool = False) -> bytes:
    """The whole check as JSON, or one of its tables as CSV, made in a process of its own.

    The ending of the file's name says its format; an exact check tags with MiniLM too.
    """
    arguments = (name, form, "exact" if exact else "fast", "hints" if hints else "plain")
    try:
        return run("reviews", content, "file of reviews", *arguments, seconds=_SECONDS, keep=_MODELS)
    except InputError as error:
        if "takes too long" in str(error):
            raise InputError(f"{error}; use 'panelist reviews check' for so large a file") from error
        raise


def _read(content: bytes, arguments: list[str]) -> bytes:
    from eval.reviews.reading.files import read_review_file

    name, form, speed, hints = arguments
    file = read_as_file(content, name, read_review_file)
    from eval.reviews.checks import exports
    from eval.reviews.checks.check import check_reviews
    from eval.reviews.tagging.tagger import Tagger

    checked = check_reviews(file, Tagger.load(fast=speed == "fast"), hints=hints == "hints")
    if form == "answer":
        return orjson.dumps(exports.plain(checked), option=orjson.OPT_NON_STR_KEYS)
    tables = {"authors": exports.authors_csv, "sentences": exports.sentences_csv, "chair": exports.chair_csv}
    return tables[form](checked).encode()


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_PROCESSORS * _SECONDS, memory=_MEMORY))
