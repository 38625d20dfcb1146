"""What every page has in common: the words of its users, and an answer at every address."""

import re
from pathlib import Path

import pytest

from panelist.app.web import problems
from panelist.app.web.app import STATIC

TEMPLATES = STATIC.parent / "templates"
WEB = STATIC.parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
STYLE = re.compile(r'setProperty\("--[a-z-]+"|var\(--[a-z-]+\)|--\$\{')


@pytest.mark.parametrize(
    "path",
    [*TEMPLATES.rglob("*.html"), *STATIC.rglob("*.js"), *WEB.rglob("*.py")],
    ids=lambda path: str(path.relative_to(WEB)),
)
def test_no_page_speaks_of_options_of_the_command_line(path):
    text = STYLE.sub("", Path(path).read_text(encoding="utf-8"))
    if path.suffix == ".py":
        text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)  # documentation is not shown
    assert OPTION.findall(text) == []


def test_an_unknown_address_is_a_page_for_people_and_a_problem_for_programs(client):
    for path in ("/nowhere", "/conferences/1/nowhere"):
        answer = client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith("text/html")
        assert "There is nothing at this address" in answer.text
    for path, accept in (("/nowhere", "*/*"), ("/api/v1/nowhere", "text/html")):
        answer = client.get(path, headers={"Accept": accept})
        assert answer.status_code == 404
        assert answer.json()["detail"] == f"there is nothing at '{path}'"


@pytest.mark.parametrize(
    ("submission", "options", "said"),
    [
        ({"title": "x", "author_names": [" "]}, {}, "submission.author_names[0]: is empty"),
        ({"title": "x" * 10_000}, {}, "submission.title: is too long: at most"),
        ({"title": 3}, {}, "submission.title: give text"),
        ({"title": "x", "id": "a b"}, {}, "submission.id: must have no blanks in it"),
        ({"title": "x"}, {"size": 0}, "options.size: give 1 or more"),
        ({"title": "x"}, {"size": "many"}, "options.size: give a whole number"),
        ({"title": "x"}, {"size": 1.5}, "options.size: give a whole number"),
        ({"title": "x"}, {"diversity": "high"}, "options.diversity: give a number"),
        ({"title": "x"}, {"conflicts": "maybe"}, "options.conflicts: use one of 'hide', 'flag' or 'ignore'"),
        ({"title": "x"}, {"countries": ["Japan"]}, "options.countries[0]: use codes of two letters"),
        ({"title": "x"}, {"countries": "JP"}, "options.countries: give a list"),
        ({"title": "x"}, {"sentences": "perhaps"}, "options.sentences: say true or false"),
        ({"title": "x"}, {"sise": 3}, "options.sise: is not known here"),
        ({}, {}, "submission: give a title or an abstract"),
    ],
)
def test_mistakes_are_told_in_words_of_those_who_make_them(client, submission, options, said):
    answer = client.post("/api/v1/reviewers", json={"submission": submission, "options": options})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(said)
    assert "should" not in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["url_parsing", "uuid_parsing", "set_type", "multiple_of", "string_unicode", "new"])
def test_no_error_of_the_checking_library_speaks_its_own_words(kind):
    error = {"type": kind, "msg": "Input should be a valid thing", "ctx": {}}
    assert problems._in_words(error) == "is not written as expected"
    assert problems._in_words(error | {"type": "value_error", "msg": "Value error, Give one"}) == "give one"
