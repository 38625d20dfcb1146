"""Shared terms and sentences: what is shown, how it is spelled, and what is not worth showing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.text import Text
from retriever.terms import Rarity, best_sentence, read_words, shared_terms, word_weights

BACKGROUND = Rarity(
    ["We study neural networks.", "Neural circuits in mice.", "A neural model of speech.", "Lipid rafts."]
)


def shared(submission, paper):
    """The terms that one paper shares with a submission of this title."""
    (terms,) = shared_terms(Text(submission), [paper], BACKGROUND)
    return terms


def test_rare_shared_words_come_first_and_phrases_stay_together():
    terms = shared(
        "Lipid droplets and neural activity in flies",
        "Neural control of lipid droplet size; droplets of lipids are seen.",
    )
    assert terms[0] == "lipid droplet"
    assert terms[-1] == "Neural"
    assert len(terms) == 2  # 'lipid' and 'droplets' are already said in the phrase


def test_words_match_by_stem_and_are_spelled_as_in_the_paper():
    assert shared("Sequencing of genomes", "We sequenced one genome") == ("sequenced", "genome")


def test_papers_are_read_each_by_itself():
    texts = ["a genome", "", "the fly (genome)/flies"]
    assert shared_terms(Text("Genomes of flies"), texts, BACKGROUND) == [("genome",), (), ("genome", "fly")]


def test_a_dash_between_two_words_makes_them_no_phrase():
    terms = shared_terms(Text("", "gene lipid"), ["Gene lipids", "gene – lipid"], BACKGROUND)
    assert terms == [("Gene lipids",), ("gene", "lipid")]
    assert shared_terms(Text("", "gene – lipid"), ["gene lipid"], BACKGROUND) == [("gene", "lipid")]


def test_what_the_submission_repeats_or_has_in_its_title_outweighs_what_is_rare():
    common = Rarity(["membranes, best"] * 10 + ["something else"] * 90)
    submission = Text("On membranes", "We like the best, maintaining membranes.")
    terms = shared_terms(submission, ["Maintaining the best membranes", "the best"], common)
    assert terms == [("membranes", "Maintaining"), ()]  # 'best' is too common for a single mention


@pytest.mark.parametrize("text", ["", "the of and", "we show that the results", "1 2 3", "…—!"])
def test_nothing_to_share_is_no_term_and_no_sentence(text):
    submission = Text("A study of the lipid droplets")
    assert shared_terms(submission, [text], BACKGROUND) == [()]
    assert best_sentence(word_weights(submission, BACKGROUND), text) is None


def test_the_sentence_is_the_one_with_the_rare_words():
    text = "Neural things are often studied. Lipid droplets kill bacteria. We conclude with neural remarks."
    weights = word_weights(Text("droplets of lipid, neural"), BACKGROUND)
    assert best_sentence(weights, text) == "Lipid droplets kill bacteria."


@given(st.text(), st.text())
def test_any_text_is_fine_and_terms_come_from_both(submission, paper):
    terms = shared(submission, paper)
    known = set(read_words(submission).stems)
    for term in terms:
        assert known.issuperset(read_words(term).stems)
    assert len(terms) <= 6


def test_words_without_a_topic_are_no_evidence_in_any_form():
    empty = "Adding adds added ways essential demonstrated possibly similarly remains"
    assert [stem for stem in read_words(empty).stems if stem] == []
    assert [stem for stem in read_words("similarity generalization potentiation explainable").stems if stem] != []
    submission = Text("Adding ways", "This essential paper demonstrated ways to add droplets.")
    assert shared_terms(submission, ["Droplets add essential ways"], BACKGROUND) == [("Droplets",)]


def test_a_quote_does_not_run_from_the_title_into_the_abstract():
    weights = word_weights(Text("Lipid droplets", "Droplets kill bacteria."), BACKGROUND)
    assert best_sentence(weights, "Fat and lipid droplets", "Something else is said. More.") == "Fat and lipid droplets"
