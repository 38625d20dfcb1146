import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexing.text import Text
from retriever.terms import Query, Rarity, read

BACKGROUND = Rarity(
    ["We study neural networks.", "Neural circuits in mice.", "A neural model of speech.", "Lipid rafts."]
)


def shared(submission, paper):
    """The terms that one paper shares with a submission of this title."""
    (terms,) = Query(Text(submission), BACKGROUND).shared_terms([paper])
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
    query = Query(Text("Genomes of flies"), BACKGROUND)
    assert query.shared_terms(["a genome", "", "the fly (genome)/flies"]) == [("genome",), (), ("genome", "fly")]


def test_what_the_submission_repeats_or_has_in_its_title_outweighs_what_is_rare():
    common = Rarity(["membranes, best"] * 10 + ["something else"] * 90)
    query = Query(Text("On membranes", "We like the best, maintaining membranes."), common)
    assert query.shared_terms(["Maintaining the best membranes"]) == [("membranes", "Maintaining")]
    assert query.shared_terms(["the best"]) == [()]  # too common for a single mention


@pytest.mark.parametrize("text", ["", "the of and", "we show that the results", "1 2 3", "…—!"])
def test_nothing_to_share_is_no_term_and_no_sentence(text):
    query = Query(Text("A study of the lipid droplets"), BACKGROUND)
    assert query.shared_terms([text]) == [()]
    assert query.best_sentence(text) is None


def test_the_sentence_is_the_one_with_the_rare_words():
    text = "Neural things are often studied. Lipid droplets kill bacteria. We conclude with neural remarks."
    assert Query(Text("droplets of lipid, neural"), BACKGROUND).best_sentence(text) == "Lipid droplets kill bacteria."


@given(st.text(), st.text())
def test_any_text_is_fine_and_terms_come_from_both(submission, paper):
    terms = shared(submission, paper)
    known = {stem for _, stem in read(submission)}
    for term in terms:
        assert {stem for _, stem in read(term)} <= known
    assert len(terms) <= 6
