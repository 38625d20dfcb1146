"""What a finder makes of unusual questions: any text has an answer, nonsense is refused in one line."""

import math

import numpy as np
import pytest
from panel_support import scored

from panelist.app.demo import corpus, submissions
from panelist.errors import InputError
from panelist.records import Author, Submission
from retriever.filters import Filters
from retriever.lookup import Lookup
from retriever.search import Search

DEMO = corpus()
SAMPLES = submissions()


def test_too_few_reviewers_are_noted(demo_finder):
    panel = demo_finder.find(SAMPLES[2], Lookup(size=50, search=Search(depth=3, mode="dense")))
    assert 0 < len(panel.matches) < 50
    assert any(f"only {len(panel.matches)} of 50 reviewers" in note for note in panel.notes)


@pytest.mark.parametrize("diversity", [0, 0.5])
def test_nobody_at_all_is_an_answer(demo_finder, diversity):
    panel = demo_finder.find(SAMPLES[0], Lookup(filters=Filters(countries=("ZZ",)), diversity=diversity))
    assert panel.matches == ()
    assert panel.diversity.institutions == panel.diversity.countries == panel.relevance_cost == 0
    assert "nobody was found: widen pool and filters, or import papers" in panel.notes


@pytest.mark.parametrize(
    "text",
    [
        "自然言語処理による査読者の推薦",
        "خوارزمية لاختيار المراجعين",
        "Автоматический подбор рецензентов",
        "control\x00char\x07acters\x1b[31m in\x9f\tthe\r\ntext",
        "🙂 🙃",
        "?!",
        "the of and",
        'AND OR NOT (coral* ~2 title:reef "unbalanced',
        "ﬁne ligatures ½ and ﷺ",
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "lexical", "dense"])
def test_any_text_has_an_answer(demo_finder, text, mode):
    panel = demo_finder.find(Submission("s", text), Lookup(search=Search(mode=mode)))
    assert len(panel.matches) == 10 or panel.notes


def test_an_abstract_of_a_megabyte_has_an_answer(demo_finder):
    words = " ".join(f"{work.title} {work.abstract}" for work in DEMO)
    long = (words * (1 + 1_000_000 // len(words)))[:1_000_000]
    panel = demo_finder.find(Submission("s", "Everything", long), Lookup(sentences=True))
    assert len(panel.matches) == 10


def test_control_characters_separate_words(demo_finder):
    plain = demo_finder.find(Submission("s", "visual cortex neurons"))
    assert scored(demo_finder.find(Submission("s", "visual\x00cortex\x07neurons\x1f"))) == scored(plain)


@pytest.mark.parametrize(
    ("title", "abstract", "message"),
    [
        ("", "", "submission 's' has neither title nor abstract"),
        (" \t", "\n\x00\x1b", "submission 's' has neither title nor abstract"),
        ("half of a \ud83d pair", "", "submission 's' is not Unicode text"),
    ],
)
def test_what_is_no_text_is_refused(demo_finder, title, abstract, message):
    with pytest.raises(InputError) as error:
        demo_finder.find(Submission("s", title, abstract))
    assert message in str(error.value)


@pytest.mark.parametrize(
    "people",
    [
        {"authors": (Author("caf\udce9", "Ada"),)},
        {"authors": (Author("a1", "caf\udce9"),)},
        {"author_names": ("caf\udce9",)},
    ],
)
def test_authors_who_are_not_unicode_text_are_refused(demo_finder, people):
    with pytest.raises(InputError, match="is not Unicode text"):
        demo_finder.find(Submission("s", "visual cortex", **people))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"size": 0}, "a panel of 0"),
        ({"size": -3}, "a panel of -3"),
        ({"diversity": 2}, "diversity weight 2 is out of range"),
        ({"diversity": -0.1}, "diversity weight -0.1 is out of range"),
        ({"diversity": math.nan}, "diversity weight nan is out of range"),
        ({"diversity_algorithm": "dice"}, "unknown diversity algorithm 'dice': use one of mmr, coverage"),
        ({"conflicts": "deny"}, "unknown conflict handling 'deny': use hide, flag or ignore"),
        ({"papers": -1}, "-1 papers"),
        ({"contenders": 0}, "0 contenders"),
    ],
)
def test_lookup_options_out_of_range_are_refused(wrong, message):
    with pytest.raises(InputError) as error:
        Lookup(**wrong)
    assert message in str(error.value)


def test_vectors_that_do_not_fit_are_refused(demo_finder):
    with pytest.raises(InputError, match="2 submissions, but 3 vectors"):
        list(demo_finder.rank(SAMPLES[:2], vectors=np.zeros((3, 16), np.float32)))
    with pytest.raises(InputError, match=r"\(2, 7\) .*16 dimensions"):
        list(demo_finder.rank(SAMPLES[:2], vectors=np.zeros((2, 7), np.float32)))
