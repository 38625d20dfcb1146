"""`panelist train biencoder` as a user types it, on a tiny model."""

import orjson
import pytest
from indexing_support import make_papers
from msgspec.structs import replace
from tiny_model import make_tiny_model

from indexing.jobs import shards
from indexing.training.biencoder import BiencoderTraining
from panelist.workspace import Workspace


@pytest.fixture
def directory(tmp_path, monkeypatch):
    """The current directory: a workspace with papers, a model beside it, and a cache of its own."""
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.chdir(tmp_path)
    shards.encoder_of.cache_clear()
    make_tiny_model(tmp_path / "tiny")
    with Workspace.at().open_corpus(create=True) as corpus:
        corpus.upsert(make_papers(60))
    return tmp_path


SMALL = ("--encoder", "tiny", "--held-out", "10", "--batch", "8", "--steps", "2", "--tokens", "16", "--threads", "1")


def test_a_model_is_trained_and_indexed_with(panelist, directory):
    code, shown, _ = panelist("train", "biencoder", "models/mine", *SMALL, "--json")
    assert code == 0
    record = orjson.loads(shown)
    assert record["model"] == "models/mine"
    assert record["steps"] == 2
    assert record["settings"]["encoder"] == str(directory / "tiny")
    assert {"before", "after", "better", "worse"} < set(record["held_out"])
    code, shown, _ = panelist("index", "build", "--engine", "bm25s", "--encoder", "models/mine", "--json")
    assert code == 0
    built = orjson.loads(shown)["encoder"]
    assert built["name"] == str(directory / "models" / "mine")
    assert built["dimension"] == 16


def test_people_see_whether_it_helped(panelist, directory):
    code, shown, _ = panelist("train", "biencoder", "mine", *SMALL)
    assert code == 0
    assert "10 held-out titles, each to find its own among" in shown
    assert "MRR" in shown
    assert "panelist index build --encoder mine" in shown


def test_papers_that_share_references_are_learned_from(panelist, directory):
    with Workspace.at().open_corpus() as corpus:
        cited = {
            paper.id: (f"doi:10.1/{row % 12}", "title:acommonwork") for row, paper in enumerate(corpus.iter_papers())
        }
        corpus.upsert([replace(paper, references=cited[paper.id]) for paper in corpus.iter_papers()])
    code, shown, _ = panelist("train", "biencoder", "mine", *SMALL, "--pairs", "references")
    assert code == 0
    assert "10 held-out papers, each to find its own among" in shown
    assert orjson.loads((directory / "mine" / "training.json").read_bytes())["pairs"] == "references"


def test_an_interruption_says_how_to_go_on(panelist, directory, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(BiencoderTraining, "train", interrupt)
    code, shown, errors = panelist("train", "biencoder", "mine", *SMALL)
    assert (code, shown) == (130, "")
    assert errors == "interrupted: the same command goes on from here\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--until", "1800"], "no paper of 1800 or before in the corpus has both a title and an abstract"),
        (["--papers", "1000"], "too few papers"),
        (["--pairs", "1000"], "--pairs is titles or references, received '1000'; how many papers: --papers"),
        (["--pairs", "references"], "no references link any two of the"),
        (["--encoder", "./nothing"], "no model in './nothing'"),
        (["--workspace", "elsewhere"], "no corpus in workspace"),
        (["--batch", "1"], "batch is 1: it must be from 2"),
        (["--rate", "nan"], "rate is nan"),
    ],
)
def test_bad_input_is_one_line(panelist, directory, arguments, message):
    with Workspace.at().open_corpus() as corpus:
        corpus.upsert([replace(paper, references=()) for paper in corpus.iter_papers()])
    code, shown, errors = panelist("train", "biencoder", "mine", *SMALL, *arguments)
    assert (code, shown) == (2, "")
    assert errors.startswith("error: ")
    assert message in errors
    assert errors.count("\n") == 1
    assert not (directory / "mine.partial").exists()


def test_a_folder_with_something_in_it_is_left_alone(panelist, directory):
    code, _, errors = panelist("train", "biencoder", "tiny", *SMALL)
    assert code == 2
    assert "'tiny' exists already: name a new folder" in errors
