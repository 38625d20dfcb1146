"""The brief, the questions, and what comes back from an endpoint."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from eval.reviews.checks.content import contents
from eval.reviews.reading.files import review_of
from eval.reviews.reading.sentences import split
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.writing.brief import KEYWORDS, choose, entropies, has_keyword, make_brief
from eval.reviews.writing.endpoint import LEAVES, MACHINE_MADE, ask_for_draft, comment_on, estimate, find_verbatim
from eval.reviews.writing.feedback import questions
from panelist.http.llm import LlmClient


def test_the_keywords_are_those_of_table_11_and_their_inflections():
    assert len(KEYWORDS) == 48
    for text in (
        "We propose it",
        "was proposed",
        "Proposing",
        "state-of-the-art",
        "analyses",
        "We optimised",
        "datasets",
    ):
        assert has_keyword(text), text
    for text in ("The sky is blue", "a showman", "Two bets"):
        assert not has_keyword(text), text


def slow_entropy(rows):
    counts = np.asarray(rows.sum(axis=0)).ravel()
    shares = counts[counts > 0] / counts.sum() if counts.sum() else np.array([1.0])
    return float(-(shares * np.log(shares)).sum())


@settings(max_examples=40)
@given(st.integers(1, 8), st.integers(1, 6), st.integers(0, 99))
def test_entropies_agree_with_the_formula(sentences, words, seed):
    rng = np.random.default_rng(seed)
    counts = sp.csr_matrix(rng.integers(0, 3, (sentences, words)).astype(np.float32))
    choices = rng.random((5, sentences)) < 0.5
    found = entropies(choices, counts)
    for row, choice in enumerate(choices):
        assert found[row] == pytest.approx(
            slow_entropy(counts[np.flatnonzero(choice)]) if choice.any() else 0, abs=1e-5
        )


def test_the_search_finds_the_best_choice_of_a_small_problem():
    rng = np.random.default_rng(1)
    counts = sp.csr_matrix((rng.random((8, 20)) < 0.3).astype(np.float32))
    best = max(
        slow_entropy(counts[[n for n in range(8) if mask >> n & 1]]) for mask in range(1, 256) if mask.bit_count() <= 3
    )
    chosen, value = choose(counts, most=3)
    assert len(chosen) <= 3
    assert value == pytest.approx(best, abs=1e-5)


def test_a_brief_quotes_the_paper_and_keeps_its_order():
    rng = np.random.default_rng(0)
    words = [f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(300)]
    text = "\n".join(f"We propose {' '.join(rng.choice(words, 8))}." for _ in range(120)) + "\nNothing of note here."
    found = make_brief(text)
    assert len(found.sentences) <= 30
    assert list(found.numbers) == sorted(found.numbers)
    assert all(text[s.start : s.end] == s.text for s in found.sentences)
    assert found.candidates == 120
    assert make_brief(text) == found
    assert len(make_brief(text, most=5).sentences) <= 5
    assert make_brief("No such word.").sentences == ()
    assert make_brief("").read == 0


def test_abstract_and_introduction_are_found():
    text = (
        "Title\n\nAbstract\nShort.\n\n1 Introduction\nWe do this. It is new.\n\n2 Related Work\nOthers did that.\n"
        "We propose a metric.\n"
    )
    assert [s.text for s in make_brief(text, by="introduction").sentences] == ["We do this.", "It is new."]
    assert [s.text for s in make_brief(text, by="abstract").sentences] == ["Short.", "We propose a metric."]
    assert make_brief("No headings.", by="introduction").sentences == ()


def test_questions_ask_for_what_is_missing_only():
    tagger = Tagger.load(fast=True)
    vague = "The novelty of the method is very limited. The paper is hard to follow and poorly written."
    precise = "The novelty is limited: Smith et al. (2014) did the same. Section 3 is hard to follow."
    asked = {}
    for name, text in (("vague", vague), ("precise", precise)):
        tagged = tagger.tag([review_of(text, id=name)])
        (content,) = contents(tagged, tagger.model.decisions[tagger.kind]["aspects"])
        asked[name] = questions(tagged[0], content)
    assert any("which earlier work" in question.text for question in asked["vague"])
    assert any("which section" in question.text for question in asked["vague"])
    assert all(question.quotation in vague for question in asked["vague"] if question.quotation)
    assert not any(question.quotation for question in asked["precise"])


def test_comments_without_a_true_quotation_are_dropped(endpoint):
    review = review_of("The idea is new.\nThe proof\nis wrong somewhere.")
    endpoint.default = {
        "comments": [
            {"quotation": "The proof is wrong", "comment": "In which step?"},
            {"quotation": "The proof is false", "comment": "Invented."},
            {"quotation": "", "comment": "About nothing."},
        ]
    }
    with LlmClient(endpoint.url, "tiny", retries=0, timeout=300) as client:
        found = comment_on(review, client)
    (comment,) = found.comments
    assert (comment.comment, found.dropped) == ("In which step?", 2)
    assert review.text[comment.start :].startswith("The proof")
    assert review.text in endpoint.requests[0][2]["messages"][1]["content"]


def test_drafted_sentences_without_a_source_are_dropped(endpoint):
    sentences = split("We propose a parser. It is evaluated on two corpora.")
    good = {"text": "Only two corpora are used.", "aspect": "substance", "polarity": "negative", "source": 2}
    endpoint.default = {"sentences": [good, {**good, "source": 9}, {**good, "aspect": "beauty"}]}
    with LlmClient(endpoint.url, "tiny", retries=0, timeout=300) as client:
        found = ask_for_draft(sentences, ["substance"], client)
    assert found.notice == MACHINE_MADE
    assert [(s.source, s.source_text) for s in found.sentences] == [(2, "It is evaluated on two corpora.")]
    assert found.dropped == 2


def test_quotations_are_found_across_line_breaks():
    assert find_verbatim("b c", "a b\n c d") == 2
    assert find_verbatim("b  d", "a b\n c d") is None
    assert find_verbatim("a a b", "a a a b") == 2
    assert find_verbatim("not able", "a notable result") is None


def test_the_estimate_says_that_texts_leave():
    assert LEAVES in estimate(["text"], "tiny", "http://x")
