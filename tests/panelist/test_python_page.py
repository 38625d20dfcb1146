"""docs/reference/python.md: every exported name has an example; tests/test_docs.py runs them."""

import doctest
from pathlib import Path

import panelist
from panelist.app import library

PAGE = (Path(__file__).parents[2] / "docs/reference/python.md").read_text()


def test_every_exported_name_is_in_an_example():
    missing = [name for name in panelist.__all__ if f"panelist.{name}" not in PAGE and name != "__version__"]
    assert missing == []


def test_the_examples_in_docstrings_run():
    failed, attempted = doctest.testmod(library)
    assert (failed, attempted > 5) == (0, True)
