"""Golden numbers: commands, the figures that they must print, and what counts as a miss."""

import json

import pytest

from eval.reproduce import Golden, check_golden, read_golden, run_golden
from panelist.errors import InputError, MissingModelError

GOLDEN = Golden("eval something", "a paper", {"model.loss": 0.28, "model.ci.1": 0.33}, 0.005, ("fast",))


def test_figures_are_found_by_their_path_and_compared_within_the_tolerance():
    seen = []

    def invoke(arguments):
        seen.append(arguments)
        return {"model": {"loss": 0.2811, "ci": [0.2, 0.34]}}

    near, far = check_golden(GOLDEN, run_golden(GOLDEN, invoke))
    assert seen == [["eval", "something", "--json"]]
    assert (near.actual, near.passed) == (0.2811, True)
    assert (far.actual, far.passed) == (0.34, False)


def test_commands_find_the_data(monkeypatch):
    monkeypatch.setenv("PANELIST_DATA", "/some where")
    monkeypatch.setenv("PANELIST_CACHE", "/c")
    golden = Golden("calibrate {data}/scores.csv {cache}/x", "lme4", {"mu": 1.0}, 0.005)
    assert run_golden(golden, lambda arguments: arguments) == ["calibrate", "/some where/scores.csv", "/c/x", "--json"]


def test_a_command_that_fails_fails_its_figures():
    def invoke(arguments):
        raise InputError("no data")

    for one in check_golden(Golden("c", "s", {"loss": 0.0}, 1.0), run_golden(GOLDEN, invoke)):
        assert (one.actual, one.passed, one.failure) == (None, False, "no data")


def test_every_command_of_the_program_can_be_checked(panelist, monkeypatch):
    plan = Golden("index plan --papers 1000", "the table of sizes", {"papers": 1000, "sizes.tables.0": 0.000166}, 1e-9)
    monkeypatch.setattr("eval.reproduce.read_golden", lambda: [plan, Golden("eval nothing", "", {"loss": 1.0}, 1.0)])
    code, out, _ = panelist("eval", "reproduce", "--json")
    assert code == 1
    assert [(one["passed"], one["failure"]) for one in json.loads(out)] == [
        *((True, ""), (True, "")),
        (False, "No such command 'nothing'."),
    ]


def test_figures_of_a_model_that_was_not_trained_are_not_available(panelist, monkeypatch):
    def invoke(arguments):
        raise MissingModelError("run 'panelist train it'")

    monkeypatch.setattr("eval.reproduce.read_golden", lambda: [GOLDEN])
    monkeypatch.setattr("panelist.app.cli.eval.reproduce._invoke", invoke)
    code, out, _ = panelist("eval", "reproduce", "--csv")
    assert code == 0
    assert out.count("not available: run 'panelist train it'") == 2


def test_figures_of_another_model_than_the_trained_one_are_not_available(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path))
    golden = Golden("c", "s", {"loss": 0.3}, 0.01, trained={"abstracts": 47_055, "epochs": 20})
    folder = tmp_path / "models" / "acl"

    def checked():
        (one,) = check_golden(golden, run_golden(golden, lambda arguments: {"loss": 0.4}))
        return one

    assert (checked().available, checked().actual) == (True, 0.4)  # there is none: the command itself would say so
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"training": {"abstracts": 47_055, "epochs": 20, "seed": 1}}))
    assert (checked().available, checked().actual, checked().passed) == (True, 0.4, False)
    (folder / "config.json").write_text(json.dumps({"training": {"abstracts": 551, "epochs": 20}}))
    assert (checked().available, checked().actual) == (False, None)
    assert f"another model than that in '{folder}': abstracts 551 instead of 47055" in checked().failure


@pytest.mark.parametrize("printed", [{}, {"model": 1}, {"model": {"loss": "low", "ci": [1]}}, []])
def test_figures_that_are_not_printed_fail(printed):
    assert not any(one.passed for one in check_golden(GOLDEN, printed))


def test_commands_are_chosen_by_pattern_or_tag():
    assert GOLDEN.matches("fast")
    assert GOLDEN.matches("eval some")
    assert GOLDEN.matches("some*ing")
    assert not GOLDEN.matches("slow")


def test_every_golden_number_is_well_formed():
    golden = read_golden()
    assert golden
    for entry in golden:
        assert entry.command.startswith(("eval ", "calibrate ", "assign ", "train "))
        assert "--json" not in entry.command
        assert entry.expect
        assert 0 < entry.tolerance <= 0.05
        assert all(isinstance(value, float) for value in entry.expect.values())


def test_without_the_data_every_figure_is_a_miss_and_the_exit_code_is_1(tmp_path, panelist, monkeypatch):
    monkeypatch.setenv("PANELIST_DATA", str(tmp_path))
    code, out, _ = panelist("eval", "reproduce", "--only", "goldstandard", "--json")
    assert code == 1
    checks = json.loads(out)
    assert checks
    assert not any(one["passed"] for one in checks)
    assert "run 'panelist fetch goldstandard'" in checks[0]["failure"]


def test_a_pattern_that_matches_nothing_is_an_error(panelist):
    code, _, err = panelist("eval", "reproduce", "--only", "no such command")
    assert code == 2
    assert "no golden command matches" in err


@pytest.mark.data
def test_the_fast_golden_numbers_are_reproduced(panelist):
    code, out, _ = panelist("eval", "reproduce", "--only", "fast", "--json")
    assert [one for one in json.loads(out) if not one["passed"]] == []
    assert code == 0
