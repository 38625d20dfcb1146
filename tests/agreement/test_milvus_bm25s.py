"""The engine milvus against bm25s on real abstracts: the same words, nearly the same hundred best papers."""

from itertools import islice

import numpy as np
import pytest
from panel_support import make_finder

from indexing.text import Text
from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.report import ReadReport
from panelist.records import Submission

PAPERS, QUERIES = 2_000, 40


@pytest.mark.data
def test_find_on_elife_through_milvus_is_find_on_a_local_index(tmp_path, milvus):
    papers = list(islice(openalex.read([data_dir() / "elife" / "works"], ReadReport()), PAPERS + QUERIES))
    collection, asked = papers[:PAPERS], papers[PAPERS:]
    submissions = [Submission(paper.id, paper.title, paper.abstract) for paper in asked]
    with (
        make_finder(tmp_path / "remote", collection, milvus) as remote,
        make_finder(tmp_path / "local", collection, "bm25s") as local,
    ):
        queries = [Text.of(one).plain() for one in submissions]
        allowed = np.random.default_rng(0).random(PAPERS) < 0.3
        for mask in (None, allowed):
            hits = [finder.index.lexical().search(queries, 100, allowed=mask) for finder in (remote, local)]
            shared = [np.isin(a, b).mean() for a, b in zip(hits[0].units, hits[1].units, strict=True)]
            assert np.mean(shared) >= 0.995
            np.testing.assert_allclose(hits[0].scores, hits[1].scores, rtol=0.02)
        same = []
        for one, other in zip(remote.find_many(submissions), local.find_many(submissions), strict=True):
            best = [[match.author.id for match in panel.matches[:10]] for panel in (one, other)]
            same.append(len(set(best[0]) & set(best[1])) / len(best[1]))
        assert np.mean(same) >= 0.99
