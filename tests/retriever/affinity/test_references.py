"""References in affinity: who is cited moves up, what the scores of a submission are does not change."""

import math

import numpy as np
import pytest
from affinity_support import load_words
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from msgspec.structs import replace
from scipy.sparse import csr_array

from panelist.records import Author, Authorship, Paper, Reference, Submission
from retriever.affinity.cited import Cited
from retriever.affinity.model import BlockModel, MatrixBlocks, affinity_model, full_matrix
from retriever.affinity.references import LEAST_SHARED, PEOPLE, WORKS, Evidence, RearrangedBlocks, WithEvidence
from retriever.references.citations import entries_of

ADA, BOB, CAT, DAN = (
    Author("a1", "Ada Maria Lovelace"),
    Author("b1", "Bob Stone"),
    Author("c1", "Catherine Hill"),
    Author("c2", "Carl Hill"),
)


def paper(number, *authors, references=(), **fields):
    return Paper(
        f"p{number}",
        f"A title that is long enough, number {number}",
        "Some words.",
        2000 + number,
        tuple(Authorship(author) for author in authors),
        references=tuple(references),
        **fields,
    )


JOINT = paper(1, ADA, BOB, references=["doi:10.1/x", "doi:10.1/y"])
PROFILES = [
    [JOINT],
    [paper(2, BOB, doi="https://doi.org/10.5/TWO", references=["doi:10.1/z"]), JOINT],
    [paper(3, CAT, references=["title:attentionisallyouneed"])],
    [paper(4, DAN)],
]
REVIEWERS = [ADA, BOB, CAT, DAN]


def people_of(*entries, **fields):
    submission = Submission("s", "A submission", bibliography=entries, **fields)
    papers = {one.id: one for profile in PROFILES for one in profile}
    return Cited(list(papers.values()), [submission], REVIEWERS).people().toarray()[0]


def test_people_are_cited_by_name_and_namesakes_share_it():
    found = people_of(Reference("Some work of theirs", ("AM Lovelace", "C Hill")))
    np.testing.assert_allclose(found, [math.log(2), 0, math.log(2), math.log(2)])  # 1; as last author 2, of two people
    found = people_of(Reference("Some work", ("C Hill", "Ada Lovelace")), Reference("More", ("Lovelace, Ada",)))
    np.testing.assert_allclose(found, [math.log(5), 0, math.log(1.5), math.log(1.5)])
    np.testing.assert_allclose(people_of(Reference("Some work", ("AB Lovelace",))), 0)  # another second initial
    np.testing.assert_allclose(people_of(Reference("Some work", ("Carl Hill",))), [0, 0, 0, math.log(3)])


def test_a_paper_of_a_profile_has_authors_known_by_id():
    for entry in (Reference("", ("B Stone",), doi="10.5/two"), Reference(paper(2).title.upper(), ("X Wrong",))):
        np.testing.assert_allclose(people_of(entry), [0, math.log(3), 0, 0])
    papers = {one.id: one for profile in PROFILES for one in profile}
    by_key = Cited(list(papers.values()), [Submission("s", "t", references=("p1", "doi:10.9/unknown"))], REVIEWERS)
    np.testing.assert_allclose(by_key.people().toarray()[0], [math.log(2), math.log(3), 0, 0])


def test_what_the_authors_of_a_submission_wrote_is_left_out():
    entries = (Reference("Some work", ("Z Own", "AM Lovelace")), Reference("", doi="10.5/two"))
    assert people_of(*entries).any()
    assert not people_of(*entries, authors=(Author("z", "Zoe Own"), Author("b1", "B."))).any()
    assert not people_of(entries[0], author_names=("Own, Zoe",)).any()


def test_each_work_counts_once_and_lines_of_text_are_read():
    twice = Reference("The same work of all", ("A Author",), doi="10.1/x")
    assert len(entries_of(Submission("s", "t", bibliography=(twice, twice), references=("doi:10.1/x", "p9")))) == 2
    line = "Vaswani A, Shazeer N (2017). Attention is all you need. Advances in Systems 30."
    (entry,) = entries_of(Submission("s", "t", references=(line,)))
    assert (entry.keys, entry.label) == (("title:attentionisallyouneed",), "Attention is all you need")
    assert [code.key for code in entry.authors] == ["a vaswani", "n shazeer"]


def test_works_are_cosines_of_rare_references():
    papers = {one.id: one for profile in PROFILES for one in profile}
    asked = [
        Submission("s1", "t", references=("doi:10.1/x", "doi:10.1/foreign")),
        Submission("s2", "t", bibliography=(Reference("Attention is all you need!"),)),
        Submission("s3", "t"),
    ]
    of_submissions, of_papers = Cited(list(papers.values()), asked).works()
    found = dict(zip(papers, (of_submissions @ of_papers).T.toarray().tolist(), strict=True))
    assert found["p1"] == pytest.approx([0.5, 0, 0])  # one of two works on either side, all as rare
    assert found["p3"] == pytest.approx([0, 1, 0])
    assert found["p2"] == found["p4"] == [0, 0, 0]


class Fixed(BlockModel):
    """A model with scores of its own."""

    def __init__(self, scores):
        self.scores = scores

    def prepare(self, submissions, profiles, progress=None):
        return MatrixBlocks(self.scores)


CITING = Submission("s", "t", bibliography=(Reference("Some work of hers", ("Ada Lovelace",)),))


def test_who_is_cited_moves_up_and_the_scores_stay():
    scores = np.array([[0.2, 0.4, 0.1, 0.3], [0.5, 0.6, 0.7, 0.8]], np.float32)
    moved = WithEvidence(Fixed(scores), REVIEWERS).score([CITING, Submission("s2", "t")], PROFILES)
    strength = PEOPLE * math.log(3) * (0.4 - 0.25)  # 0.049: not past 0.3
    assert 0.2 + strength < 0.3
    np.testing.assert_array_equal(moved, scores)
    often = replace(CITING, bibliography=tuple(Reference(f"Work {n} of hers", ("Ada Lovelace",)) for n in range(20)))
    moved = WithEvidence(Fixed(scores), REVIEWERS).score([often, Submission("s2", "t")], PROFILES)
    np.testing.assert_array_equal(moved, np.array([[0.3, 0.4, 0.1, 0.2], [0.5, 0.6, 0.7, 0.8]], np.float32))
    empty = WithEvidence(Fixed(scores), REVIEWERS).score([often, Submission("s2", "t")], [*PROFILES[:3], []])
    np.testing.assert_array_equal(empty[0], np.array([0.2, 0.4, 0.1, -np.inf], np.float32))  # who wrote nothing
    closed = np.array([[1, 0]])  # the best pair must not be chosen: nobody inherits its score
    moved = WithEvidence(Fixed(scores), REVIEWERS, closed).score([often, Submission("s2", "t")], PROFILES)
    np.testing.assert_array_equal(moved[0], np.array([0.3, -np.inf, 0.1, 0.2], np.float32))


FLOATS = st.floats(-4, 4, width=32).map(lambda value: value + 0.0)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data(), st.integers(1, 5), st.integers(1, 40))
def test_scores_are_those_of_the_text_in_the_order_of_text_and_evidence(monkeypatch, data, submissions, reviewers):
    scores = data.draw(arrays(np.float32, (submissions, reviewers), elements=FLOATS))
    strengths = data.draw(arrays(np.float32, (submissions, reviewers), elements=st.sampled_from([0, 0, 0.25, 1, 3])))
    closed = data.draw(arrays(np.bool_, (submissions, reviewers), fill=st.just(False)))

    class Given(Evidence):
        empty = np.zeros(reviewers, np.bool_)

        def between(self, start, stop):
            parts = csr_array(strengths[start:stop])
            return parts.indptr.astype(np.int64), parts.indices.astype(np.int32), parts.data

    monkeypatch.setattr("retriever.affinity.references._LINES", data.draw(st.integers(1, 5)))
    blocks = RearrangedBlocks(MatrixBlocks(scores), Given(*[None] * 4), np.argwhere(closed.T))
    found = full_matrix(blocks)
    for row, before in enumerate(np.where(closed, -np.inf, scores).astype(np.float32)):
        np.testing.assert_array_equal(np.sort(found[row]), np.sort(before))
        np.testing.assert_array_equal(found[row] == -np.inf, closed[row])
        opened = np.flatnonzero(~closed[row])
        if not strengths[row].any() or len(opened) == 0:
            np.testing.assert_array_equal(found[row], before)
            continue
        known = before[opened].astype(np.float64)
        wished = known + (known.max() - known.mean()) * strengths[row, opened]
        order = opened[np.lexsort((opened, strengths[row, opened] > 0, -np.round(wished, 5)))]
        clear = np.diff(np.sort(np.round(wished, 5))) > 1e-4
        if clear.all():  # else rounding decides who comes first
            np.testing.assert_array_equal(found[row, order], -np.sort(-before[opened]))


def test_without_references_scores_are_exactly_as_before():
    model = affinity_model("hybrid", encoder="words", load=load_words)
    submissions = [Submission("s1", "Some words long enough"), Submission("s2", "A title of a submission")]
    plain = model.score(submissions, PROFILES)
    np.testing.assert_array_equal(WithEvidence(model, REVIEWERS).score(submissions, PROFILES), plain)
    citing = [submissions[0], replace(submissions[1], bibliography=CITING.bibliography, references=("p3",))]
    moved = WithEvidence(model, REVIEWERS).score(citing, PROFILES)
    np.testing.assert_array_equal(moved[0], plain[0])
    np.testing.assert_array_equal(np.sort(moved[1]), np.sort(plain[1]))


def test_a_large_conference_waits_in_a_file(monkeypatch):
    scores = np.array([[0.2, 0.4, 0.1, 0.3]], np.float32)
    often = replace(CITING, bibliography=tuple(Reference(f"Work {n} of hers", ("Ada Lovelace",)) for n in range(20)))
    here = WithEvidence(Fixed(scores), REVIEWERS).score([often], PROFILES)
    monkeypatch.setattr("retriever.affinity.references._IN_MEMORY", 0)
    np.testing.assert_array_equal(WithEvidence(Fixed(scores), REVIEWERS).score([often], PROFILES), here)


def test_evidence_of_some_submissions_is_that_of_all():
    submissions = [CITING, Submission("s2", "t", references=("doi:10.1/x", "doi:10.1/z", "p3"))]
    evidence = Evidence.of(submissions, PROFILES, REVIEWERS)

    def pairs(start, stop):
        starts, reviewers, values = evidence.between(start, stop)
        assert (values > 0).all()
        return csr_array((values, reviewers, starts), shape=(min(stop, 2) - start, 4)).toarray()

    by_pair = pairs(0, 9)
    np.testing.assert_array_equal(by_pair, np.vstack([pairs(0, 1), pairs(1, 2)]))
    shared = (evidence.asks @ evidence.papers).toarray()
    best = (shared[:, :, None] * evidence.owners.toarray()).max(axis=1)
    expected = WORKS * np.where(best < LEAST_SHARED, 0, best) + PEOPLE * evidence.people.toarray()
    np.testing.assert_allclose(by_pair, expected, rtol=1e-5)
    assert by_pair[0, 0] == pytest.approx(PEOPLE * math.log(3))
    assert by_pair[1, 2] == pytest.approx(PEOPLE * math.log(3))  # p3 is hers, and she is its last author
    weight = WORKS / math.sqrt(3)  # z is one of three works here, and the only one of p2
    assert by_pair[1, 1] == pytest.approx(weight, rel=0.1)
    assert Evidence.of([Submission("s", "t")], PROFILES, REVIEWERS) is None
