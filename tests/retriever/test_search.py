"""Search: modes, depth, masks, what is refused, and what is found whatever the text looks like."""

import math
from collections import Counter

import numpy as np
import pytest
from indexing_support import load_hashing
from panel_support import make_finder, paper

from indexing.text import Text
from panelist.app.demo import submissions
from panelist.errors import InputError
from retriever.search import Search, search
from retriever.stages import DENSE, LEXICAL

TEXTS = [Text(submission.title, submission.abstract) for submission in submissions()]


def rows(found, query=0):
    return found[query].units.tolist(), found[query].scores.tolist()


@pytest.fixture(scope="module")
def index(demo_finder):
    return demo_finder.index


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_each_search_marks_what_it_found(index, mode):
    found = search(index, TEXTS, Search(mode=mode, depth=20))
    assert len(found) == len(TEXTS)
    for text, own in zip(TEXTS, found, strict=True):
        lexical, dense = own.found_by & LEXICAL > 0, own.found_by & DENSE > 0
        assert lexical.sum() == (0 if mode == "dense" else 20)
        assert dense.sum() == (0 if mode == "lexical" else 20)
        assert (lexical | dense).all()
        assert (np.diff(own.scores) <= 0).all()
        assert 0 < own.scores[0] <= 1
        if mode == "dense":
            vector = load_hashing("hashing").encode([text])[0]
            cosines = index.vectors[own.units] @ vector
            np.testing.assert_allclose(own.scores, cosines / cosines[0], atol=1e-5)


@pytest.mark.parametrize("mode", ["lexical", "dense"])
def test_a_smaller_depth_is_a_prefix(index, mode):
    deep = rows(search(index, TEXTS[:1], Search(mode=mode, depth=50)))
    shallow = rows(search(index, TEXTS[:1], Search(mode=mode, depth=7)))
    assert shallow == (deep[0][:7], deep[1][:7])


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_a_depth_beyond_the_index_finds_all_and_costs_no_more(index, mode):
    assert rows(search(index, TEXTS[:1], Search(mode=mode, depth=10**12))) == rows(
        search(index, TEXTS[:1], Search(mode=mode, depth=len(index.units)))
    )


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
def test_a_mask_is_applied_before_the_depth_is_cut(index, mode):
    worst = rows(search(index, TEXTS[:1], Search(mode=mode, depth=10**6)))[0][-5:]
    mask = np.zeros(len(index.units), dtype=np.bool_)
    mask[worst] = True
    assert set(rows(search(index, TEXTS[:1], Search(mode=mode, depth=5), allowed=mask))[0]) == set(worst)


@pytest.mark.parametrize("mode", ["lexical", "dense"])
def test_with_one_search_the_weights_do_not_matter(index, mode):
    plain = rows(search(index, TEXTS[:1], Search(mode=mode, depth=9)))
    for weights in ((0.0, 1.0), (1.0, 0.0), (3.0, 0.1)):
        assert rows(search(index, TEXTS[:1], Search(mode, 9, False, "weighted", *weights))) == plain


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_a_weight_of_zero_leaves_the_order_to_the_other_search(index, fusion):
    dense = rows(search(index, TEXTS[:1], Search(mode="dense", depth=30)))[0]
    both = search(index, TEXTS[:1], Search("hybrid", 30, False, fusion, 0.0, 1.0))
    assert [unit for unit, score in zip(*rows(both), strict=True) if score > 0] == dense


def test_vectors_that_are_known_already_are_not_encoded_again(index):
    vectors = load_hashing("hashing").encode(TEXTS)
    before = index.encoder().encoded
    given = search(index, TEXTS, Search(), vectors=vectors)
    assert index.encoder().encoded == before
    made = search(index, TEXTS, Search())
    assert rows(given, 2) == rows(made, 2)


def test_tombstones_are_never_found(tmp_path):
    from indexing.index import open_index
    from indexing.jobs.build import IndexJobs

    with make_finder(tmp_path, [paper(f"p{n}", f"a{n}") for n in range(9)]) as finder:
        path = finder.index.path.parent
        IndexJobs(path, load=load_hashing).remove(finder.corpus, ["p3", "p4"])
    with open_index(path, load=load_hashing) as index:
        for mode in ("lexical", "dense", "hybrid"):
            found = search(index, [Text("coral reef")], Search(mode=mode), allowed=np.ones(9, dtype=np.bool_))
            assert "p3" not in index.units.paper_ids(rows(found)[0])
            assert len(rows(found)[0]) == 7


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mode": "psychic"}, "unknown search mode 'psychic': use one of hybrid, lexical, dense"),
        ({"fusion": "cold"}, "unknown fusion 'cold': use one of weighted, rrf"),
        ({"depth": 0}, "search depth 0 is too small"),
        ({"lexical_weight": -1.0}, "fusion weights -1.0 and 1.0"),
        ({"lexical_weight": 0.0, "dense_weight": 0.0}, "fusion weights 0.0 and 0.0"),
        ({"dense_weight": math.nan}, "fusion weights 0.5 and nan"),
        ({"dense_weight": math.inf}, "fusion weights 0.5 and inf"),
    ],
)
def test_search_options_out_of_range_are_refused(wrong, message):
    with pytest.raises(InputError) as error:
        Search(**wrong)
    assert message in str(error.value)


@pytest.mark.parametrize("method", ["mnz", "wsum"])
def test_methods_of_ranx_fuse_two_lists(index, method):
    pytest.importorskip("ranx")
    settings = Search(fusion=method)
    for found, text in zip(search(index, TEXTS, settings), TEXTS, strict=True):
        hits = index.lexical().search([text.plain()], 551), index.dense().search(index.encoder().encode([text]), 551)
        lists = [[(u, s) for u, s in zip(one.units[0], one.scores[0], strict=True) if u >= 0] for one in hits]
        sums, counts = Counter(), Counter()
        for one, weight in zip(lists, (0.5, 1.0) if method == "wsum" else (1, 1), strict=True):
            low, span = min(score for _, score in one), np.ptp([score for _, score in one])
            for unit, score in one:
                sums[unit] += weight * (score - low) / max(span, 1e-9)
                counts[unit] += 1
        expected = {unit: total * (counts[unit] if method == "mnz" else 1) for unit, total in sums.items()}
        best = max(expected.values()) or 1
        got = dict(zip(found.units.tolist(), found.scores.tolist(), strict=True))
        assert got == pytest.approx({unit: score / best for unit, score in expected.items()}, abs=1e-5)
        assert found.scores.tolist() == sorted(got.values(), reverse=True)


def test_expansion_needs_lucene(index):
    with pytest.raises(InputError, match="cannot expand queries"):
        search(index, TEXTS, Search(mode="lexical", expand=True))
