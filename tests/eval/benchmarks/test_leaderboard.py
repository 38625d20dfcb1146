"""The leaderboard, and Table 4 and Figure 2 of the gold standard: on a small standard and an eLife of our making."""

import json
import re
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from goldstandard_support import write_gz, write_ratings
from panel_support import make_finder

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.goldstandard.benchmark import GoldStandard
from eval.benchmarks.leaderboard import (
    BASELINE,
    LOOKUPS,
    PRINTED,
    affinity_runs,
    elife_board,
    goldstandard_board,
    look_ups,
)
from eval.measures.statistics import Figure
from eval.reports.leaderboard import BoardRow, Leaderboard, attempt
from eval.runs import Qrels, Run
from panelist.errors import InputError, ModelError
from panelist.records import Author, Authorship, Paper

TOPICS = {"r1": "coral reefs and bleaching seas", "r2": "neural networks and gradients", "r3": "medieval trade routes"}
RATINGS = {
    "r1": {"p1": 5.0, "p2": 2.0, "p3": 4.0},
    "r2": {"p2": 4.5, "p1": 1.0},
    "r3": {"p3": 1.5, "p4": 4.0, "p2": 1.0},
}
TITLES = {
    "p1": "Bleaching of coral reefs",
    "p2": "Gradients of deep neural networks",
    "p3": "Warming seas",
    "p4": "Trade along medieval routes",
}
DATASETS = {"d_20": ("ta",), **{f"d_full_{length}": ("t", "ta", "f") for length in range(1, 21)}}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A directory with a gold standard: SPECTER+MFR is right about everything, TPMS about nobody but r1."""
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    root = tmp_path / "data" / "goldstandard"
    root.mkdir(parents=True)
    write_ratings(root, RATINGS)
    records = [{"ssId": key, "title": title, "abstract": f"On {title}.", "year": 2020} for key, title in TITLES.items()]
    records += [{"ssId": f"own_{r}", "title": text, "abstract": "", "year": 2019} for r, text in TOPICS.items()]
    write_gz(root / "papers.jsonl.gz", map(json.dumps, records))
    draws = [f"{dataset}_{draw}" for dataset in DATASETS for draw in (1, 2)]
    profiles = [{"dataset": d, "reviewer": r, "papers": [f"own_{r}"]} for d in draws for r in RATINGS]
    write_gz(root / "profiles.jsonl.gz", map(json.dumps, profiles))
    people = [{"authorId": r, "name": r, "papers": [{"paperId": f"own_{r}"}]} for r in RATINGS]
    write_gz(root / "participants.jsonl.gz", map(json.dumps, people))
    counts = [{"ssId": key, "counts": dict.fromkeys(title.lower().split(), 2)} for key, title in TITLES.items()]
    write_gz(root / "wordcounts.jsonl.gz", map(json.dumps, counts))
    lines = ["algorithm,dataset,regime,reviewer,paper,score"]
    for dataset, regimes in DATASETS.items():
        for draw in (1, 2):
            for person, papers in RATINGS.items():
                for paper, expertise in papers.items():
                    tpms = expertise if person == "r1" else -expertise
                    lines += [f"tpms,{dataset}_{draw},{regime},{person},{paper},{tpms}" for regime in regimes]
                    if dataset == "d_20":
                        lines.append(f"specter_mfr,{dataset}_{draw},ta,{person},{paper},{expertise}")
    write_gz(root / "predictions.csv.gz", lines)
    return tmp_path / "data"


@pytest.fixture
def gold(data):
    return GoldStandard(data / "goldstandard")


@pytest.fixture
def command(panelist):
    return partial(panelist, "eval")


def rows_of(board):
    return {row.system: row for row in board.rows}


# Figures and rows


def test_rows_without_figures_come_last_and_are_never_zero():
    rows = (
        BoardRow("absent", "panelist", note="not available: run it"),
        BoardRow("worse", "panelist", {"loss": Figure(0.4)}),
        BoardRow("better", "printed", {"loss": Figure(0.2)}),
    )
    board = Leaderboard("title", ("loss",), "better", rows)
    assert [row.system for row in board.ranked(descending=False).rows] == ["better", "worse", "absent"]
    assert [row.system for row in board.ranked(descending=True).rows] == ["worse", "better", "absent"]
    cells = board.ranked(descending=False).table("loss", "easy").cells()
    assert cells[0] == ["better", "0.200", "—", "—", "—", "—", "as published"]
    assert cells[2] == ["absent", "—", "—", "—", "—", "—", "not available: run it"]


def test_only_what_a_model_lacks_becomes_a_note():
    def lacking():
        raise ModelError("no model: run 'panelist model fetch'")

    def broken():
        raise InputError("a bad file")

    assert attempt("dense", lacking) == "not available: no model: run 'panelist model fetch'"
    assert attempt("llm", broken) == "not run: needs an endpoint"
    assert attempt("bm25", lambda: 3) == 3
    with pytest.raises(InputError):
        attempt("bm25", broken)


# The gold standard


def test_leaderboard_includes_a_model_of_the_user(data, command, monkeypatch):
    """As docs/guides/researcher.md says."""
    page = (Path(__file__).parents[3] / "docs/guides/researcher.md").read_text()
    (data / "mine.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    monkeypatch.chdir(data)
    monkeypatch.setattr(sys, "path", [*sys.path])
    asked = next(line for line in page.splitlines() if line.startswith("panelist eval leaderboard")).split()[2:]
    code, printed, said = command(*asked, "--data", data, "--json")
    assert code == 0, said
    assert "mine:Overlap:power=2" in printed
    sys.modules.pop("mine")


def test_every_model_stands_beside_what_is_published(gold):
    board = goldstandard_board(gold, ["bm25", "trivial", "dense", "acl", "llm"], resamples=50)
    rows = rows_of(board)
    assert set(rows) == {
        *("TPMS", "SPECTER+MFR", "Panelist bm25", "Panelist trivial", "Panelist dense", "Panelist acl"),
        *("Panelist llm", *(row.system for row in PRINTED)),
    }
    assert board.baseline == "SPECTER+MFR"
    assert rows["SPECTER+MFR"].figures["loss"].value == 0.0
    assert rows["SPECTER+MFR"].figures["loss"].delta is None
    assert rows["Panelist trivial"].figures["loss"] == Figure(0.5, (0.5, 0.5), 0.5, (0.5, 0.5))
    assert rows["TPMS"].figures["loss"].delta > 0
    assert rows["Panelist bm25"].figures["loss"].value < 0.5
    assert rows["SPECTER2 max"].figures["loss"].delta is None
    assert rows["Panelist dense"].figures == rows["Panelist acl"].figures == rows["Panelist llm"].figures == {}
    assert "run 'panelist model fetch'" in rows["Panelist dense"].note
    assert "run 'panelist train acl'" in rows["Panelist acl"].note
    losses = [row.figures["loss"].value for row in board.rows if row.figures]
    assert losses == sorted(losses)


def test_full_texts_are_read_by_those_who_can(gold):
    rows = rows_of(goldstandard_board(gold, ["tpms", "bm25"], resamples=50, full_texts=True))
    assert set(rows) == {"TPMS", "Panelist tpms", "Panelist bm25"}
    assert rows["Panelist tpms"].figures["loss"].delta < 0
    assert rows["Panelist bm25"].note == "not available: reads titles and abstracts only"


def test_the_same_seed_gives_the_same_board_and_another_only_other_intervals(gold):
    first, again, other = (goldstandard_board(gold, ["bm25"], 50, seed) for seed in (0, 0, 1))
    assert first == again
    assert first != other
    values = [{name: row.figures["loss"].value for name, row in rows_of(b).items()} for b in (first, other)]
    assert values[0] == values[1]


def test_the_command_prints_rows_by_name(data, command):
    arguments = ["leaderboard", "--only", "goldstandard", "--data", data, "--model", "bm25", "--model", "dense"]
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    boards = json.loads(out)
    assert set(boards) == {"goldstandard"}
    rows = boards["goldstandard"]["rows"]
    assert set(rows["Panelist bm25"]["figures"]) == {"loss", "easy", "hard"}
    assert set(rows["Panelist bm25"]["figures"]["loss"]) == {"value", "interval", "delta", "delta_interval"}
    assert rows["Panelist bm25"]["source"] == "panelist"
    assert rows["Panelist dense"]["figures"] == {}
    code, out, _ = command(*arguments, "--markdown")
    assert "| system | loss | 95% CI | Δ | Δ 95% CI | easy | hard | scores |" in out
    assert "Δ from SPECTER+MFR, paired" in out
    code, out, _ = command("leaderboard", "--only", "fulltext", "--data", data, "--model", "tpms", "--json")
    assert set(json.loads(out)["fulltext"]["rows"]) == {"TPMS", "Panelist tpms"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["leaderboard", "--only", "magic"], "unknown benchmark 'magic': use one of goldstandard, fulltext, elife"),
        (["leaderboard", "--model", "magic"], "unknown affinity model 'magic'"),
        (["leaderboard", "--only", "goldstandard", "--data", "nowhere"], "run 'panelist fetch goldstandard'"),
        (["leaderboard", "--only", "elife", "--data", "nowhere"], "run 'panelist fetch elife'"),
        (["goldstandard", "--table", "4", "--select"], "leave out --scores and --select"),
        (["goldstandard", "--figure2", "curves.txt"], "cannot draw into 'curves.txt': the name must end in .png"),
        (["goldstandard", "--figure2", "absent/curves.png"], "cannot write 'absent/curves.png'"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(command, arguments, message):
    code, _, err = command(*arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert message in err


# Table 4 and Figure 2


def test_table_4_compares_each_system_with_itself_on_titles_and_abstracts(data, command):
    arguments = ["goldstandard", "--data", data / "goldstandard", "--table", "4", "--model", "tpms", "--model", "bm25"]
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    figures = json.loads(out)
    assert set(figures) == {
        *("title", "title+abstract", "full text", "tpms, title", "tpms, title+abstract", "tpms, full text"),
        *("bm25, title", "bm25, title+abstract"),  # it reads no full texts
    }
    assert figures["title"]["delta"] == 0.0  # the same predictions in all regimes
    assert "delta" not in figures["title+abstract"]
    for name in ("title", "full text"):
        expected = figures[f"tpms, {name}"]["loss"] - figures["tpms, title+abstract"]["loss"]
        assert figures[f"tpms, {name}"]["delta"] == pytest.approx(expected)
    code, out, _ = command(*arguments, "--markdown")
    assert "Δ title+abstract" in out
    assert "| bm25, title |" in out


def test_figure_2_draws_and_prints_the_loss_by_the_length_of_profiles(data, tmp_path, command):
    picture = tmp_path / "figure2.png"
    arguments = ["goldstandard", "--data", data / "goldstandard", "--figure2", picture, "--model", "bm25"]
    code, out, _ = command(*arguments, "--json")
    assert code == 0
    assert picture.stat().st_size > 10_000
    figures = json.loads(out)
    assert figures["lengths"] == list(range(1, 21))
    assert {name: len(losses) for name, losses in figures.items() if name != "lengths"} == dict.fromkeys(
        ["title", "title+abstract", "full text", "bm25, title", "bm25, title+abstract"], 20
    )
    table4 = json.loads(command(*arguments[:3], "--table", "4", "--model", "bm25", "--json")[1])
    assert figures["bm25, title"][19] == table4["bm25, title"]["loss"]
    code, out, _ = command(*arguments)
    assert "number of most recent papers" in out


# eLife


def paper(name, year, title, *authors):
    return Paper(name, title, f"We study {title}.", year, tuple(Authorship(Author(a, a.title())) for a in authors))


@pytest.fixture
def elife(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    papers = [
        paper("old1", 2015, "coral reef bleaching", "ann", "bob"),
        paper("old2", 2016, "neural network gradients", "cid"),
        paper("old3", 2018, "medieval trade routes", "dan"),
        paper("new1", 2019, "bleaching of coral reefs", "eve", "ann"),
        paper("new2", 2020, "gradients of networks", "eve"),
        paper("new3", 2020, "unjudged routes", "eve"),
    ]
    pairs = np.array([[0, 0], [1, 1]])
    judged = Qrels.of(["new1", "new2"], ["bob", "cid"], pairs[:, 0], pairs[:, 1], np.ones(2, dtype=np.int64))
    return ELife.split(papers, {"reviewers": judged})


def ranking(*documents, name="run"):
    return Run.of_orders({"new1": documents, "new2": documents}, name)


def test_runs_are_compared_with_the_baseline_on_the_same_queries(elife):
    answers = {BASELINE: ranking("dan", "bob"), "better": ranking("bob", "cid"), "absent": "not available: run it"}
    board = elife_board(elife, answers, resamples=50)
    assert [row.system for row in board.rows] == ["better", BASELINE, "absent"]
    rows = rows_of(board)
    assert rows[BASELINE].figures["recall@10"].value == 0.5
    assert rows[BASELINE].figures["recall@10"].delta is None
    assert rows["better"].figures["recall@10"].delta == 0.5
    assert rows["better"].figures["ndcg@10"].delta > 0
    assert rows["absent"] == BoardRow("absent", "panelist", note="not available: run it")
    assert elife_board(elife, answers, resamples=50) == board


def test_without_the_baseline_there_are_figures_but_no_differences(elife):
    board = elife_board(elife, {BASELINE: "not available: no Java", "mine": ranking("bob", "cid")}, resamples=50)
    assert rows_of(board)["mine"].figures["recall@10"].delta is None


def test_look_ups_and_affinity_models_answer_the_judged_queries(elife, tmp_path):
    with make_finder(tmp_path / "workspace", elife.collection) as finder:
        answers = dict(look_ups(finder, elife.judged("reviewers")))
    assert list(answers) == list(LOOKUPS)
    answers |= affinity_runs(elife, ["bm25", "dense", "llm"])
    rows = rows_of(elife_board(elife, answers, resamples=50))
    assert rows[BASELINE].figures["recall@10"].value == 1.0  # own authors do not stand in the way
    assert rows["affinity bm25"].figures["recall@10"].value == 1.0
    assert "panelist model fetch" in rows["affinity dense"].note
    assert rows["affinity llm"].note == "not run: needs an endpoint"
