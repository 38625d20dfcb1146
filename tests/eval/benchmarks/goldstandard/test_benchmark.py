"""The gold-standard benchmark on a small standard of our own making, and on the released one where it is at hand."""

import gzip
import json
from functools import partial

import numpy as np
import pytest
from goldstandard_support import write_gz, write_ratings

from eval.benchmarks.goldstandard.benchmark import GoldStandard, ScoringTask
from eval.benchmarks.goldstandard.predictions import Scored, System, read_predictions
from panelist.config import data_dir
from panelist.errors import InputError, ModelError
from retriever.affinity.model import TrivialModel, affinity_model

RATINGS = {"r1": {"p1": 5.0, "p2": 2.0, "p3": 4.0}, "r2": {"p2": 4.5, "p4": 1.0}}
HEADER = "algorithm,dataset,regime,reviewer,paper,score"


def lines(algorithm, dataset, regime, score):
    return [
        f"{algorithm},{dataset},{regime},{reviewer},{paper},{score(reviewer, paper)}"
        for reviewer, papers in RATINGS.items()
        for paper in papers
    ]


@pytest.fixture
def root(tmp_path):
    """A release with two participants, two draws of d_20, and `tpms` (wrong about r2) and `oracle` predictions."""
    write_ratings(tmp_path, RATINGS)
    papers = [
        {"ssId": f"p{i}", "title": f"Title {i}", "abstract": f"Abstract {i}" if i != 4 else None, "year": 2020}
        for i in range(1, 7)
    ]
    write_gz(tmp_path / "papers.jsonl.gz", map(json.dumps, papers))
    profiles = [
        {"dataset": f"d_20_{draw}", "reviewer": reviewer, "papers": ["p5", "p6"][: draw + 1]}
        for draw in (1, 2)
        for reviewer in RATINGS
    ]
    write_gz(tmp_path / "profiles.jsonl.gz", map(json.dumps, profiles))
    predictions = [HEADER]
    for draw in (1, 2):
        predictions += lines("tpms", f"d_20_{draw}", "ta", lambda r, p: RATINGS[r][p] * (1 if r == "r1" else -1))
        predictions += lines("oracle", f"d_20_{draw}", "ta", lambda r, p: RATINGS[r][p])
    write_gz(tmp_path / "predictions.csv.gz", predictions)
    return tmp_path


@pytest.fixture
def command(panelist):
    return partial(panelist, "eval", "goldstandard")


def test_published_predictions_are_scored(root):
    published = GoldStandard(root).published()
    loss = published[System("tpms")].statistics()["loss"]
    assert loss.value == pytest.approx(3.5 / (3 + 1 + 2 + 3.5))
    assert published[System("oracle")].statistics()["loss"].value == 0.0


def test_a_model_receives_profiles_and_rated_papers_and_is_read_at_the_right_cells(root):
    class Recorder:
        def score(self, submissions, profiles):
            self.seen = [s.id for s in submissions], [[p.id for p in profile] for profile in profiles]
            self.texts = {s.id: (s.title, s.abstract) for s in submissions}
            return np.arange(len(submissions))[:, None] * 10 + np.arange(len(profiles))[None]

    model = Recorder()
    task = ScoringTask.of_dataset(GoldStandard(root))
    scores = task.score(model, "d_20_1")
    assert model.seen == (["p1", "p2", "p3", "p4"], [["p5", "p6"], ["p5", "p6"]])
    assert model.texts["p1"] == ("Title 1", "Abstract 1")
    assert model.texts["p4"] == ("Title 4", "")
    np.testing.assert_array_equal(scores, [[0, 10, 20], [11, 31, np.nan]])
    ScoringTask.of_dataset(GoldStandard(root), regime="t").score(model, "d_20_2")
    assert model.texts["p1"] == ("Title 1", "")


@pytest.mark.parametrize("matrix", [np.ones((2, 2)), np.full((4, 2), np.nan)])
def test_a_model_that_returns_nonsense_is_named(root, matrix):
    class Broken:
        def score(self, submissions, profiles):
            return matrix

    with pytest.raises(ModelError, match=r"Broken .*finite.* \(4, 2\)"):
        ScoringTask.of_dataset(GoldStandard(root)).score(Broken(), "d_20_1")


def test_the_trivial_model_loses_half(root):
    task = ScoringTask.of_dataset(GoldStandard(root))
    scores = np.stack([task.score(TrivialModel(), draw) for draw in task.profiles])
    assert Scored(task.ratings, scores).statistics()["loss"].value == 0.5


def test_models_are_found_by_name_and_parameter():
    assert isinstance(affinity_model("trivial"), TrivialModel)
    with pytest.raises(InputError, match=r"model 'magic'.* hybrid, .*trivial"):
        affinity_model("magic")
    with pytest.raises(InputError, match=r"'trivial' .*parameter 'depth'"):
        affinity_model("trivial", depth=3)


GOOD = lines("mine", "d_20_1", "ta", lambda *_: 0.5)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([HEADER, *GOOD, "mine,d_20_1,ta,nobody,p1,0.5"], r"line 7: .*reviewer 'nobody'"),
        ([HEADER, *GOOD, "mine,d_20_1,ta,r2,p1,0.5"], r"line 7: .*'p1' .*reviewer 'r2'"),
        ([HEADER, *GOOD, GOOD[0]], r"line 7: .*second.* 'r1' .*'p1'"),
        (
            [HEADER, GOOD[0].replace("0.5", "nan"), *GOOD[1:]],
            r"line 2: .*score .*received 'nan'",
        ),
        ([HEADER, GOOD[0].replace("0.5", "good"), *GOOD[1:]], r"line 2: .*score .*received 'good'"),
        ([HEADER, GOOD[0] + ",1"], r"line 2: expected 6 columns, received 7"),
        ([HEADER, GOOD[0].replace("d_20_1", "mine")], r"line 2: .*'d_20_1', received 'mine'"),
        ([HEADER, *GOOD[:3]], r"'mine' .*d_20_1 \(ta\) lacks .*'r2' .*'p2'"),
        (GOOD, r"line 1: expected the header"),
    ],
)
def test_bad_predictions_are_refused_with_their_line(root, rows, message):
    path = root / "mine.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_predictions(path, GoldStandard(root).ratings)


def test_a_damaged_gzip_file_of_predictions_is_refused(root):
    path, packed = root / "mine.csv.gz", gzip.compress("\n".join([HEADER, *GOOD]).encode())
    path.write_bytes(packed[:10] + b"\xff" * 9 + packed[19:])
    with pytest.raises(InputError, match="is damaged"):
        read_predictions(path, GoldStandard(root).ratings)


def test_the_command_prints_one_model_flat_and_several_by_name(root, command):
    code, out, _ = command("--data", root, "--model", "trivial", "--json")
    figures = json.loads(out)
    assert code == 0
    assert {"loss", "easy", "hard", "loss_ci", "delta", "delta_ci"} <= set(figures)
    assert figures["loss"] == 0.5
    code, out, _ = command("--data", root, "--predictions", "--model", "trivial", "--json")
    figures = json.loads(out)
    assert set(figures) == {"tpms", "oracle", "trivial"}
    assert "delta" not in figures["tpms"]
    assert figures["oracle"]["delta"] == pytest.approx(-3.5 / 9.5)


def test_the_command_selects_without_the_participant_being_scored(root, command):
    _, out, _ = command("--data", root, "--predictions", "--select", "--json")
    figures = json.loads(out)
    assert figures["chosen"] == {"tpms": 1, "oracle": 1}  # r2 cannot be asked about tpms: without them it ties
    assert figures["best"] == "oracle"
    assert figures["loss"] == pytest.approx(3.5 / 9.5)


@pytest.mark.parametrize("table", [3, 6, 9])
@pytest.mark.parametrize("flags", [["--markdown"], ["--latex"], ["--csv"], []])
def test_tables_come_in_every_format(root, command, table, flags):
    code, out, err = command("--data", root, "--predictions", "--table", table, *flags)
    assert (code, err) == (0, "")
    assert "tpms" in out
    assert "oracle" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to score"),
        (["--predictions", "--baseline", "magic"], "unknown baseline 'magic'"),
        (["--predictions", "--json", "--csv"], "several output formats"),
        (["--model", "magic"], "unknown affinity model"),
        (["--model", "trivial", "--dataset", "d_7"], "unknown gold-standard dataset 'd_7': use one of d_20"),
        (["--model", "trivial", "-p", "depth"], "NAME=VALUE"),
        (["--model", "trivial", "--regime", "f"], "model 'trivial' has no parameter 'full_text'"),
        (["--model", "trivial", "--regime", "x"], "models read titles (t) or titles and abstracts (ta), not 'x'"),
        (["--predictions", "--regime", "x"], "no scores of dataset 'd_20' in regime 'x'"),
        (["--predictions", "--dataset", "d_9"], "no scores of dataset 'd_9'"),
    ],
)
def test_bad_options_end_in_one_line_and_exit_code_2(root, command, arguments, message):
    code, _, err = command("--data", root, *arguments)
    assert code == 2
    assert err.count("\n") == 1
    assert message in err


def test_a_directory_without_the_release_is_named(tmp_path, command):
    code, _, err = command("--data", tmp_path, "--predictions")
    assert code == 2
    assert "run 'panelist fetch goldstandard'" in err


@pytest.mark.data
def test_the_released_standard_has_its_published_size():
    gold = GoldStandard(data_dir() / "goldstandard")
    assert (len(gold.ratings.participants), len(gold.ratings)) == (58, 477)
    published = gold.published({"d_20", "d_full_20"})
    statistics = published[System("tpms")].statistics()
    assert (statistics["easy"].denominators[0].sum(), statistics["hard"].denominators[0].sum()) == (261, 417)
    full = published[System("tpms", "d_full_20", "f")]
    assert (len(full.ratings.participants), len(full.ratings), len(full.scores)) == (57, 462, 5)
    assert len(ScoringTask.of_dataset(gold).submissions) == 463


@pytest.mark.data
def test_longer_profiles_help_until_about_eight_papers(tmp_path, command):
    picture = tmp_path / "figure2.svg"
    code, out, _ = command("--figure2", picture, "--json")
    assert code == 0
    assert picture.stat().st_size > 10_000
    study = json.loads(out)
    for name in ("title", "title+abstract", "full text"):
        assert study[name][0] > study[name][7] + 0.05
        assert abs(study[name][7] - study[name][19]) < 0.02


def test_a_model_does_not_replace_the_published_system_of_its_name(root, command):
    """Differences are from the published one, so both are in the table, each under its own name."""
    code, out, _ = command("--data", root, "--predictions", "--model", "tpms", "--json")
    assert code == 0
    found = json.loads(out)
    alone = json.loads(command("--data", root, "--predictions", "--json")[1])
    assert found["tpms (published)"] == alone["tpms"]
    assert found["tpms"]["delta"] == pytest.approx(found["tpms"]["loss"] - alone["tpms"]["loss"])
    assert "Δ tpms (published)" in command("--data", root, "--model", "tpms", "--markdown")[1]
