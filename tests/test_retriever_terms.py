import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.terms import Query, Rarity, read

BACKGROUND = Rarity(
    ["We study neural networks.", "Neural circuits in mice.", "A neural model of speech.", "Lipid rafts."]
)


def test_rare_shared_words_come_first_and_phrases_stay_together():
    query = Query("Lipid droplets and neural activity in flies", BACKGROUND)
    terms = query.shared_terms("Neural control of lipid droplet size; droplets of lipids are seen.")
    assert terms[0] == "lipid droplet"
    assert terms[-1] == "Neural"
    assert len(terms) == 2  # 'lipid' and 'droplets' are already said in the phrase


def test_words_match_by_stem_and_are_spelled_as_in_the_paper():
    assert Query("Sequencing of genomes", BACKGROUND).shared_terms("We sequenced one genome") == ("genome", "sequenced")


@pytest.mark.parametrize("text", ["", "the of and", "we show that the results", "1 2 3", "…—!"])
def test_nothing_to_share_is_no_term_and_no_sentence(text):
    query = Query("A study of the lipid droplets", BACKGROUND)
    assert query.shared_terms(text) == ()
    assert query.best_sentence(text) is None


def test_the_sentence_is_the_one_with_the_rare_words():
    text = "Neural things are often studied. Lipid droplets kill bacteria. We conclude with neural remarks."
    assert Query("droplets of lipid, neural", BACKGROUND).best_sentence(text) == "Lipid droplets kill bacteria."


@given(st.text(), st.text())
def test_any_text_is_fine_and_terms_come_from_both(submission, paper):
    terms = Query(submission, BACKGROUND).shared_terms(paper)
    known = {stem for _, stem in read(submission)}
    for term in terms:
        assert {stem for _, stem in read(term)} <= known
    assert len(terms) <= 6
