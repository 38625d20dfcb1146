"""`panelist assign` as a chair types it: OpenReview's files in, an assignment out, and one clear line where not."""

import csv
import json
import random
import re
from functools import partial

import pytest
from openreview_support import read_scores

from panelist.records import Conflict, ConflictKind
from retriever.assignment.problem import EXCLUDED
from retriever.conference.conflicts.table import ConflictTable, TableHeader, write_table


@pytest.fixture
def run(panelist, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return partial(panelist, "assign")


@pytest.fixture
def scores(tmp_path):
    dice = random.Random(1)
    path = tmp_path / "scores.csv"
    lines = [f"p{i},r{j},{dice.random():.6f}\n" for i in range(12) for j in range(10)]
    path.write_text("".join(lines))
    return path


def test_scores_in_assignment_out(run, scores, tmp_path):
    code, out, err = run(scores, "-o", "a.csv", "--demand", 3, "--max", 4, "--alternates", 2)
    assert (code, err) == (0, "")
    made = read_scores(tmp_path / "a.csv")
    assert len(made) == 36
    given = read_scores(scores)
    assert all(score == given[pair] for pair, score in made.items())
    assert "12 papers × 10 reviewers, fair: 36 pairs" in out
    assert "higher lowest sum" in out
    others = list(csv.DictReader((tmp_path / "a-alternates.csv").read_text().splitlines()))
    assert {int(one["rank"]) for one in others} <= {1, 2}
    assert not {(one["paper"], one["reviewer"]) for one in others} & set(made)


def test_openreviews_json(run, scores, tmp_path):
    assert run(scores, "-o", "a.json", "--alternates", 1, "--max", 5)[0] == 0
    made = json.loads((tmp_path / "a.json").read_text())
    assert len(made["assignments"]) == 12
    assert all(len(one) == 3 and set(one[0]) == {"aggregate_score", "user"} for one in made["assignments"].values())
    assert made["alternates"]


def test_figures_as_json(run, scores):
    code, out, _ = run(scores, "--json", "--method", "total")
    found = json.loads(out)
    assert code == 0
    assert found["method"] == "total"
    assert found["quality"] == pytest.approx(1)


def test_a_draw_can_be_audited(run, scores, tmp_path):
    given = [scores, "-o", "a.csv", "--method", "random", "--cap", "0.5", "--seed", 7, "--probabilities", "m.csv"]
    assert run(*given)[0] == 0
    lines = (line.split(",") for line in (tmp_path / "m.csv").read_text().splitlines())
    chance = {(paper, reviewer): float(value) for paper, reviewer, value, _, _ in lines}
    assert max(chance.values()) <= 0.5
    assert sum(chance.values()) == pytest.approx(36)
    record = json.loads((tmp_path / "m.json").read_text())
    assert (record["seed"], record["scale"], record["method"]) == (7, 2, "random")
    first = read_scores(tmp_path / "a.csv")
    assert set(first) <= set(chance)
    assert run(*given)[0] == 0
    assert read_scores(tmp_path / "a.csv") == first
    for more, same in (([], True), (["--seed", 8], False)):
        assert run("draw", "m.csv", "-o", "again.csv", *more)[0] == 0
        drawn = {tuple(line.split(",")) for line in (tmp_path / "again.csv").read_text().splitlines()}
        assert (drawn == set(first)) == same
    (tmp_path / "m.csv").write_text("p,r,half,,\n")
    status, _, said = run("draw", "m.csv", "-o", "again.csv")
    assert status == 2
    assert "expected lines of paper,reviewer,probability,role,group" in said
    (tmp_path / "m.json").unlink()
    status, _, said = run("draw", "m.csv", "-o", "again.csv")
    assert status == 2
    assert "no record of a draw" in said


def test_levels_are_assigned_in_stages(run, scores, tmp_path):
    roles = [f"r{j},{'chair' if j < 3 else ''}\n" for j in range(10)]
    (tmp_path / "people.csv").write_text("reviewer,role\n" + "".join(roles))
    given = [scores, "-o", "a.csv", "--reviewers", "people.csv", "--demand", "2", "--demand", "chair=1"]
    status, said, _ = run(*given, "--level", "chair", "--level", "reviewer", "--together", "0.2")
    assert status == 0
    assert "note: chair: 3 areas of" in said
    assert "when papers are gathered" in said
    assert len(read_scores(tmp_path / "a.csv")) == 36
    status, _, said = run(*given, "--level", "reviewer")
    assert status == 2
    assert "--level are two or more roles, those of --demand (reviewer, chair), each once" in said
    assert run(*given, "--together", "1")[0] == 2


def test_the_report_is_one_page_with_its_pictures(run, scores, tmp_path):
    assert run(scores, "-o", "a.csv", "--report", "report")[0] == 0
    assert {path.name for path in (tmp_path / "report").iterdir()} == {
        *("index.html", "paper_sums.png", "paper_shares.png", "loads.png", "frontier.png")
    }
    page = (tmp_path / "report" / "index.html").read_text()
    assert "http" not in page.replace("http-equiv", "")
    assert "Whom to recruit" in page


def test_infeasible_assignment_is_explained_and_its_papers_are_in_the_report(run, scores, tmp_path):
    code, _, err = run(scores, "-o", "a.csv", "--max", 3, "--report", "report")
    assert code == 2
    assert err.startswith("error: 6 reviews cannot be given: 12 papers need 36, their only 10 reviewers give 30")
    assert err.count("\n") == 1
    assert not (tmp_path / "a.csv").exists()
    page = (tmp_path / "report" / "index.html").read_text()
    assert "p0, p1, p2, p3, p4, p5" in re.sub("</?data[^>]*>", "", page)
    code, out, _ = run("check", scores, "--max", 3)
    assert code == 1
    assert "what would help: --max 4" in out
    assert run("check", scores, "--max", 4)[0] == 0
    found = json.loads(run("check", scores, "--max", 3, "--json")[1])
    assert found["feasible"] is False
    assert found["cut"]["missing"] == 6


def test_a_shortage_that_is_allowed_is_spread_and_listed(run, scores, tmp_path):
    code, out, _ = run(scores, "-o", "a.csv", "--max", 3, "--allow-short")
    assert code == 0
    assert "papers that lack reviews (6): " in out
    assert len(read_scores(tmp_path / "a.csv")) == 30


def test_declines_are_mended_and_compared(run, scores, tmp_path):
    assert run(scores, "-o", "old.csv", "--method", "total")[0] == 0
    (tmp_path / "q.csv").write_text("r3,0\n")
    given = ["--existing", "old.csv", "--keep", "--quotas", "q.csv", "--method", "total"]
    code, out, _ = run(scores, "-o", "new.csv", *given)
    assert code == 0
    assert "of the old assignment kept" in out
    old, new = read_scores(tmp_path / "old.csv"), read_scores(tmp_path / "new.csv")
    assert {pair for pair in old if pair not in new} == {pair for pair in old if pair[1] == "r3"}
    found = json.loads(run("compare", "old.csv", "new.csv", "--json")[1])
    assert found["common"] == len(set(old) & set(new))
    assert "pairs in common" in run("compare", "old.csv", "new.csv")[1]


def test_why_names_the_conflict_and_what_a_pair_costs(run, scores, tmp_path):
    (tmp_path / "c.csv").write_text("p0,r0,-1\n")
    code, out, _ = run("why", "p0", "r0", scores, "--constraints", "c.csv")
    assert code == 0
    assert out.splitlines() == ["r0 does not review p0", f"because: r0 {EXCLUDED}"]
    answers = [json.loads(run("why", "p1", f"r{j}", scores, "--json")[1]) for j in range(10)]
    assert sum(answer["chosen"] for answer in answers) == 3
    assert all(answer["cost"] >= 0 for answer in answers)
    assert run("why", "p1", "nobody", scores)[2] == "error: no reviewer 'nobody' in the scores\n"


def conflicts(path, *rows, **header):
    """Write a conflict table of (paper, reviewer, whether it is certain)."""
    found = [Conflict(paper, who, ConflictKind.AUTHOR, f"wrote {paper}", certain) for paper, who, certain in rows]
    write_table(ConflictTable.grouped(found, TableHeader(**header)), path)


def test_the_conflicts_beside_the_scores_are_taken_and_said(run, scores, tmp_path):
    first = json.loads(run(scores, "--json", "-o", "a.csv")[1])
    assert first["conflicts"]["known"] is False
    assert first["notes"] == [
        "nothing is known of conflicts of interest: authors may be among the reviewers of their own papers"
    ]
    pairs = list(read_scores(tmp_path / "a.csv"))
    conflicts(tmp_path / "scores.conflicts.jsonl", (*pairs[0], True), (*pairs[4], False))
    code, out, _ = run("scores.csv", "-o", "b.csv")
    assert code == 0
    assert "scores.conflicts.jsonl, beside the scores" in out
    assert "2 pairs excluded; avoiding 1 possible conflict" in out
    assert not {pairs[0], pairs[4]} & set(read_scores(tmp_path / "b.csv"))
    code, out, _ = run("check", scores, "--existing", "a.csv", "--keep")
    told = f"{' '.join(pairs[0])} has a conflict of interest: wrote {pairs[0][0]}; "
    assert f"2 old pairs are excluded and cannot stay: {told}" in out
    code, out, _ = run(scores, "-o", "b.csv", "--possible", "allow", "--existing", "a.csv", "--keep")
    assert f"pairs with a possible conflict (1): {' '.join(pairs[4])} (wrote {pairs[4][0]})" in out
    assert set(pairs) - set(read_scores(tmp_path / "b.csv")) == {pairs[0]}
    code, out, _ = run("why", *pairs[4], scores)
    assert "until somebody dismisses it" in out


def test_conflict_table_of_another_name_is_read_and_an_unreadable_one_refused(run, scores, tmp_path):
    conflicts(tmp_path / "others.jsonl", ("p0", "r0", True), submissions=("p0",), reviewers=("r0",))
    found = json.loads(run(scores, "--json", "--conflicts", "others.jsonl")[1])
    assert found["conflicts"]["excluded"] == 1
    assert found["notes"][0].startswith(
        "the conflict table was made without 11 papers (p1, p2, p3, p4, p5 and 6 more): nobody"
    )
    (tmp_path / "others.jsonl").write_text("p0,r0,-1\n")
    code, _, err = run(scores, "--json", "--conflicts", "others.jsonl")
    assert (code, err[:50]) == (2, "error: cannot read conflicts from 'others.jsonl' a")
    code, _, err = run(scores, "-o", "others.jsonl", "--conflicts", "others.jsonl")
    assert (code, "read by the same command" in err) == (2, True)


def test_a_pair_without_a_score_is_not_taken_unless_that_is_allowed(run, tmp_path):
    (tmp_path / "s.csv").write_text("p0,r0,0.9\np1,r1,0.8\np1,r0,0.1\n")
    code, _, err = run("s.csv", "-o", "a.csv", "--demand", 2)
    assert code == 2
    assert "--allow-unscored: pairs without a score" in err
    code, out, _ = run("s.csv", "-o", "a.csv", "--demand", 2, "--allow-unscored")
    assert code == 0
    assert "as a last resort (1): p0 r1" in out


def test_conflicts_are_looked_for_although_scores_are_from_elsewhere(run, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    names = {"~Ada_Net1": "Ada Net", "~Bob_Bee1": "Bob Bee", "~Cy_Old1": "Cy Old"}
    lines = [f"{who},p{i},Title {i},Words {i}.,{name},2024\n" for i, (who, name) in enumerate(names.items())]
    (tmp_path / "people.csv").write_text("reviewer,paper,title,abstract,name,year\n" + "".join(lines))
    (tmp_path / "subs.csv").write_text("id,title,abstract,authors\ns1,Bees,Bees dance.,~Bob_Bee1\n")
    (tmp_path / "s.csv").write_text("s1,~Ada_Net1,0.1\ns1,~Bob_Bee1,0.9\ns1,~Cy_Old1,0.2\n")
    given = ["s.csv", "-o", "a.csv", "--demand", 2, "-s", "subs.csv", "-r", "people.csv"]
    code, _, err = run(*given)
    assert (code, err) == (0, "")
    assert {who for _, who in read_scores(tmp_path / "a.csv")} == {"~Ada_Net1", "~Cy_Old1"}


def test_roles_in_one_run(run, scores, tmp_path):
    lines = [f"r{j},{'Area Chair' if j < 3 else 'reviewer'}\n" for j in range(10)]
    (tmp_path / "r.csv").write_text("reviewer,role\n" + "".join(lines))
    given = ["--reviewers", "r.csv", "--demand", 2, "--demand", "area chair=1", "--max", 6, "--max", "area chair=4"]
    assert run(scores, "-o", "a.csv", *given)[0] == 0
    made = read_scores(tmp_path / "a.csv")
    for paper in range(12):
        mine = [int(reviewer[1:]) for one, reviewer in made if one == f"p{paper}"]
        assert sum(who < 3 for who in mine) == 1
        assert len(mine) == 3


WRONG = {
    "no scores": (["-o", "a.csv"], "give scores (paper,reviewer,score), or --submissions"),
    "no output": (["scores.csv"], "say where the assignment goes: -o assignment.csv"),
    "method": (["scores.csv", "-o", "a.csv", "--method", "magic"], "--method is one of total, fair"),
    "unsupported": (["scores.csv", "-o", "a.csv", "--cap", "0.5"], "--cap does not work with --method fair"),
    "quality": (
        ["scores.csv", "-o", "a.csv", "--method", "random", "--quality", "0.9"],
        "--quality does not work with --method random, only with perturbed",
    ),
    "keep alone": (["scores.csv", "-o", "a.csv", "--keep"], "--keep and --prefer-old are about --existing"),
    "existing alone": (["scores.csv", "-o", "a.csv", "--existing", "x.csv"], "--existing needs --keep"),
    "demand": (["scores.csv", "-o", "a.csv", "--demand", "many"], "--demand takes a whole number, received 'many'"),
    "apart": (["scores.csv", "-o", "a.csv", "--apart", "planet"], "--apart knows institution, coauthors, region"),
    "cap": (
        ["scores.csv", "-o", "a.csv", "--method", "random", "--cap", "0.1"],
        "p0 needs 3 reviewers, but the caps of its 10 candidates add up to 1.000: raise --cap",
    ),
    "own input": (["scores.csv", "-o", "scores.csv"], "cannot write 'scores.csv': it is read by the same command"),
    "one output": (
        ["scores.csv", "-o", "a.csv", "--alternates", "2", "--alternates-out", "a.csv"],
        "cannot write 'a.csv' twice: give every output a file of its own",
    ),
    "record": (
        ["scores.csv", "-o", "m.json", "--method", "random", "--probabilities", "m.csv"],
        "cannot write 'm.json' twice",
    ),
    "no alternates": (["scores.csv", "-o", "a.csv", "--alternates-out", "b.csv"], "--alternates-out is where alternat"),
    "cap of one": (
        ["scores.csv", "-o", "a.csv", "--method", "random", "--cap", "0.05", "--demand", "1"],
        "p0 needs 1 reviewer, but the caps of its 10 candidates add up to 0.500: raise --cap",
    ),
    "folder": (["scores.csv", "-o", "nowhere/a.csv"], "cannot write 'nowhere/a.csv'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_are_one_line_and_exit_code_2(run, scores, case):
    arguments, message = WRONG[case]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {message}")
    assert err.count("\n") == 1


def test_from_submissions_and_committee_in_one_command(run, tmp_path, monkeypatch):
    from panelist.app.demo import write_conference

    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    root = write_conference(tmp_path / "conference")
    given = ["-s", root / "submissions.json", "-r", root, "--model", "tpms", "--max", 8, "--report", "report"]
    code, out, err = run(*given, "-o", "a.csv")
    assert (code, err) == (0, "")
    assert "fair" in out
    assert len(read_scores(tmp_path / "a.csv")) % 3 == 0
    assert list((tmp_path / "report").glob("recruit_*.json"))
