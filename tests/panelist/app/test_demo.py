"""The synthetic corpus: enough of it, the same everywhere, sound in its links and in its sentences."""

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from eval.benchmarks.goldstandard.benchmark import GoldStandard, ScoringTask, score_draws
from eval.benchmarks.goldstandard.predictions import System
from panelist.app import demo
from panelist.app.demo.material import load_material
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from retriever.affinity.model import affinity_model
from retriever.conference.committee import read_profiles
from retriever.conference.directory import own_papers

PAPERS = demo.corpus()
ABSTRACTS = [paper.abstract for paper in PAPERS if paper.abstract]
DIGEST_PROGRAM = """
import hashlib
from panelist.app import demo
print(hashlib.sha256(repr((demo.corpus(), demo.submissions())).encode()).hexdigest())
"""


def authorships():
    return [authorship for paper in PAPERS for authorship in paper.authorships]


def institutions():
    return {institution for authorship in authorships() for institution in authorship.institutions}


def names_by_author():
    return {authorship.author.id: authorship.author.name for authorship in authorships()}


def test_the_corpus_is_big_enough():
    assert len(PAPERS) >= 480
    assert len(names_by_author()) >= 180
    assert len({institution.name for institution in institutions()}) >= 48
    assert len({institution.country for institution in institutions()}) >= 14
    themes = defaultdict(set)
    for paper in PAPERS:
        topic, theme = paper.topics
        themes[topic].add(theme)
    assert len(themes) >= 14
    assert all(3 <= len(names) <= 5 for names in themes.values())


def test_the_corpus_is_labelled_synthetic():
    assert all(paper.id.startswith("synthetic:P") for paper in PAPERS)
    assert all(author.startswith("synthetic:A") for author in names_by_author())
    assert all(paper.doi.startswith("https://doi.org/10.5555/") for paper in PAPERS)
    assert all(re.match("(Demo|Fictive|Imaginary|Synthetic|Proceedings of the Demo) ", paper.venue) for paper in PAPERS)
    rors = [institution.ror for institution in institutions()]
    assert all(ror is None or re.fullmatch(r"https://ror\.example/\d{4}", ror) for ror in rors)
    assert 1 <= rors.count(None) <= 10
    assert len({institution.name for institution in institutions()}) == len(institutions())


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_the_corpus_is_the_same_in_every_process(hash_seed):
    here = hashlib.sha256(repr((PAPERS, demo.submissions())).encode()).hexdigest()
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    there = subprocess.run(
        [sys.executable, "-c", DIGEST_PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_references_exist_and_are_not_younger():
    by_id = {paper.id: paper for paper in PAPERS}
    assert len(by_id) == len(PAPERS)
    for paper in PAPERS:
        assert len(set(paper.references)) == len(paper.references)
        assert all(reference < paper.id and by_id[reference].year <= paper.year for reference in paper.references)
    cited = Counter(reference for paper in PAPERS for reference in paper.references)
    assert all(paper.cited_by_count == cited[paper.id] for paper in PAPERS)
    inside = [by_id[ref].topics[0] == paper.topics[0] for paper in PAPERS for ref in paper.references]
    assert 0.9 < np.mean(inside) < 1


def test_careers_have_a_shape():
    years, homes, partners = defaultdict(list), defaultdict(set), Counter()
    for paper in PAPERS:
        ids = [authorship.author.id for authorship in paper.authorships]
        assert ids
        assert len(set(ids)) == len(ids)
        partners.update((key, other) for key in ids for other in ids if key < other)
        for authorship in paper.authorships:
            years[authorship.author.id].append(paper.year)
            homes[authorship.author.id].update(authorship.institutions)
    assert {paper.year for paper in PAPERS} == set(range(2008, 2025))
    assert sum(max(span) - min(span) >= 8 for span in years.values()) > 40
    assert sum(len(names) > 1 for names in homes.values()) > 30
    assert sum(count >= 4 for count in partners.values()) > 40
    assert any(len({institution for a in paper.authorships for institution in a.institutions}) > 1 for paper in PAPERS)


def test_authors_work_in_one_or_few_topics():
    worked_on = defaultdict(set)
    for paper in PAPERS:
        for authorship in paper.authorships:
            worked_on[authorship.author.id].add(paper.topics[0])
    assert {len(names) for names in worked_on.values()} == {1, 2}


def test_namesakes_and_missing_abstracts_occur():
    bearers = Counter(names_by_author().values())
    assert 2 <= sum(count > 1 for count in bearers.values()) <= 8
    assert 5 <= sum(not paper.abstract for paper in PAPERS) <= 30


def test_vocabularies_are_distinct():
    papers = [paper for paper in PAPERS if paper.abstract]
    vectors = TfidfVectorizer(stop_words="english").fit_transform(paper.abstract for paper in papers)
    similarity = (vectors @ vectors.T).toarray()
    topic, theme = (np.array([paper.topics[level] for paper in papers]) for level in (0, 1))
    same_topic, same_theme = topic[:, None] == topic, theme[:, None] == theme
    within_theme = similarity[same_theme & ~np.eye(len(papers), dtype=bool)].mean()
    within_topic = similarity[same_topic & ~same_theme].mean()
    between = similarity[~same_topic].mean()
    assert within_theme > 4 * within_topic
    assert within_topic > 1.5 * between


def test_no_two_papers_say_the_same():
    assert len(set(ABSTRACTS)) == len(ABSTRACTS)
    assert len({paper.title for paper in PAPERS}) == len(PAPERS)
    openings = Counter(abstract.partition(". ")[0] for abstract in ABSTRACTS)
    assert max(openings.values()) <= 8


def test_sentences_are_well_formed():
    for abstract in ABSTRACTS:
        assert abstract.endswith(".")
        sentences = abstract[:-1].split(". ")
        assert 4 <= len(sentences) <= 7, abstract
        assert all(sentence[0].isupper() for sentence in sentences), abstract
    assert np.mean([bool(re.search(r"\d", abstract)) for abstract in ABSTRACTS]) > 0.95


@pytest.mark.parametrize(
    "fault",
    [
        r"[{}\[\]]|\.\.|\s\s|\s[.,;:?]|\n",  # unfilled slots, stray spaces
        r"\b(\w+) \1\b",  # a word twice
        r"\b[Aa] (?!uni|use|one|eu|Eu)(?=[aeiouAEIOU]|8|11\b|18\b)",
        r"\b[Aa]n (?![aeiouAEIOU]|8|11\b|18\b|hour|honest|MRI|RNA|LSTM|X-)",
        r"(?<![.,\d])1 ([a-z]+ )?[a-z]+s\b",  # a plural of one
        r"\bthe (the|a|an|this|these)\b|\bof (to|with|in)\b(?!-)",
        r" %|(?<![.,\d])0%",
    ],
)
def test_no_sentence_has_the_fault(fault):
    texts = [*ABSTRACTS, *(paper.title for paper in PAPERS), *(entry.abstract for entry in demo.submissions())]
    assert [text for text in texts if re.search(fault, text)] == []


def test_every_theme_has_phrases_for_reviews():
    themes = load_material("themes.toml")
    assert set(themes) == {paper.topics[1] for paper in PAPERS}
    phrases = [phrase for theme in themes.values() for kind in ("object", "aspect", "method") for phrase in theme[kind]]
    assert len(phrases) > 3 * len(themes)
    assert not [phrase for phrase in phrases if re.search(r"[{}]", phrase)]


def test_submissions_show_the_kinds_of_conflict():
    by_authors, by_names, anonymous, title_only = demo.submissions()
    assert by_authors.authors
    assert {author.id for author in by_authors.authors} <= set(names_by_author())
    assert set(by_authors.institutions) <= institutions()
    assert set(by_authors.references) <= {paper.id for paper in PAPERS}
    assert not by_names.authors
    assert Counter(names_by_author().values())[by_names.author_names[0]] == 2
    assert by_names.author_names[1] not in names_by_author().values()
    assert not anonymous.authors
    assert not anonymous.author_names
    assert not title_only.abstract


def test_the_openalex_reader_reads_it_back(tmp_path):
    works = tmp_path / "works.jsonl"
    demo.write_works(works, PAPERS)
    report = ReadReport()
    assert tuple(openalex.read([works], report)) == PAPERS
    assert report.rejected == 0


def contents(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_a_conference_can_be_read_and_nobody_submitted_what_is_in_a_profile(tmp_path):
    root = demo.write_conference(tmp_path / "one")
    submissions = read_submissions(root / "submissions.json")
    reviewers = read_profiles(root)
    assert len(submissions) >= 40
    assert len(reviewers.ids) == 40
    assert min(map(len, reviewers.profiles)) >= 5
    assert own_papers(submissions, reviewers) == []
    members = {author.id for submission in submissions for author in submission.authors} & set(reviewers.ids)
    assert members  # some of the committee submit
    assert contents(demo.write_conference(tmp_path / "two")) == contents(root)


def test_a_gold_standard_can_be_read_and_its_ratings_go_with_the_fields(tmp_path):
    root = demo.write_gold_standard(tmp_path / "one")
    gold = GoldStandard(root)
    assert len(gold.ratings.participants) == 24
    assert len(gold.ratings) > 150
    assert sorted(gold.draws()) == ["d_20_1", "d_20_2"]
    loss = gold.published()[System("tpms")].statistics()["loss"].value
    assert 0.05 < loss < 0.3
    assert score_draws(ScoringTask.of_dataset(gold), affinity_model("bm25")).statistics()["loss"].value < loss
    assert contents(demo.write_gold_standard(tmp_path / "two")) == contents(root)


def test_reviews_follow_their_truth():
    sample = demo.reviews()
    assert sample == demo.reviews()
    offset = {reviewer: [] for reviewer in sample.offset}
    for review in sample.reviews:
        assert 1 <= review.score <= 10
        offset[review.reviewer].append(review.score - sample.quality[review.paper])
    means = [np.mean(values) for values in offset.values()]
    assert np.corrcoef(means, list(sample.offset.values()))[0, 1] > 0.9
