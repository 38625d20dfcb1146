"""`panelist affinity` as a chair types it: OpenReview's layout in, its CSV out."""

import csv
import json

import pytest
from tiny_model import make_tiny_model

from indexing.jobs.build import IndexJobs
from panelist.app.cli.main import main
from panelist.app.demo import corpus, submissions
from panelist.workspace import Workspace

NOTES = {
    "~Ada_Net1": [("n1", "Neural networks", "Deep nets learn."), ("n2", "Gradients", "Gradients train nets.")],
    "~Bob_Bee1": [("b1", "Honey bees", "Bees dance to show flowers.")],
    "~Cy_None1": [],
}
SUBMITTED = {
    "s1": {"id": "s1", "content": {"title": "Networks that dance", "abstract": "Deep nets and bees."}},
    "s2": {
        "id": "s2",
        "content": {"title": {"value": "Honey bees"}, "abstract": {"value": "Bees dance to show flowers."}},
    },
}


@pytest.fixture(autouse=True)
def private_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))


@pytest.fixture
def venue(tmp_path):
    archives = tmp_path / "venue" / "archives"
    archives.mkdir(parents=True)
    for reviewer, notes in NOTES.items():
        lines = [{"id": n, "content": {"title": title, "abstract": abstract}} for n, title, abstract in notes]
        (archives / f"{reviewer}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "venue" / "submissions.json").write_text(json.dumps(SUBMITTED))
    return tmp_path / "venue"


@pytest.fixture
def run(capsys):
    def command(*arguments):
        with pytest.raises(SystemExit) as stop:
            main(["affinity", *map(str, arguments)])
        return stop.value.code or 0, *capsys.readouterr()

    return command


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return {(submission, reviewer): float(score) for submission, reviewer, score in csv.reader(file)}


def test_openreview_in_openreview_out(run, venue, tmp_path):
    out, constraints, declared = (tmp_path / name for name in ("scores.csv", "constraints.csv", "declared.csv"))
    declared.write_text("paper,reviewer\ns1,~Bob_Bee1\ns1,~Nobody1\n")
    code, printed, err = run(
        *("-s", venue, "-r", venue, "-o", out, "-m", "tpms", "--declared", declared),
        *("--constraints", constraints, "--threshold", 0.01, "--json"),
    )
    assert code == 0
    scores = read(out)
    assert set(scores) == {("s1", "~Ada_Net1"), ("s2", "~Ada_Net1")}
    assert constraints.read_text() == "s1,~Bob_Bee1,-1\ns2,~Bob_Bee1,-1\n"  # declared; wrote the same text
    assert "WARNING no such submission or reviewer: 1 declared conflict names: s1,~Nobody1" in err
    summary = json.loads(printed)
    assert summary["unmatched_declared"] == ["s1,~Nobody1"]
    assert (summary["submissions"], summary["reviewers"], summary["pairs"], summary["conflicts"]) == (2, 3, 2, 2)
    assert summary["empty_profiles"] == ["~Cy_None1"]
    assert summary["own_papers"] == [{"submission": "s2", "reviewer": "~Bob_Bee1"}]
    assert [(thin["submission"], thin["able"]) for thin in summary["thin_submissions"]] == [("s2", 0), ("s1", 1)]


def test_the_summary_for_people_says_what_a_chair_must_know(run, venue, tmp_path):
    code, printed, err = run("-s", venue, "-r", venue, "-o", tmp_path / "scores.csv", "-m", "bm25")
    assert code == 0
    assert err == ("WARNING 2 submissions without any author: s1, s2; their conflicts of interest cannot be found\n")
    assert "2 submissions × 3 reviewers: 3 scores" in printed
    assert "1 reviewer without any paper: ~Cy_None1" in printed
    assert "1 reviewer with a single paper, whose scores are less sure: ~Bob_Bee1" in printed
    assert "1 submission in a reviewer's profile: s2 (~Bob_Bee1)" in printed


# Conflicts of interest


PROFILES = (
    "reviewer,paper,title,abstract,name,year\n"
    "r:ada,p1,Neural networks,Deep nets learn.,Ada Net,2024\n"
    "r:bob,p1,Neural networks,Deep nets learn.,Bob Bee,2024\n"
    "r:bob,p2,Honey bees,Bees dance.,Bob Bee,2024\n"
    "r:cy,p2,Honey bees,Bees dance.,Cy Old,2024\n"
    "r:cy,p3,Wax,Combs of wax.,Cy Old,2010\n"
    "r:dee,p3,Wax,Combs of wax.,Dee Far,2010\n"
    "r:eve,p4,Honey,Honey is sweet.,Eve Sweet,\n"
    "r:dee,p4,Honey,Honey is sweet.,Dee Far,\n"
)


@pytest.fixture
def check(run, tmp_path):
    """Score submissions of a CSV file against the profiles; returns summary, scores, constraints, possible ones."""
    (tmp_path / "expertise.csv").write_text(PROFILES)

    def score(submissions, *arguments):
        (tmp_path / "submissions.csv").write_text(submissions)
        out, constraints, possible = (tmp_path / name for name in ("scores.csv", "constraints.csv", "possible.csv"))
        code, printed, err = run(
            *("-s", tmp_path / "submissions.csv", "-r", tmp_path / "expertise.csv", "-o", out, "-m", "bm25", "--json"),
            *("--constraints", constraints, "--possible", possible, *arguments),
        )
        assert code == 0
        with possible.open(encoding="utf-8", newline="") as file:
            flagged = {(paper, reviewer): evidence for paper, reviewer, _, evidence in csv.reader(file)}
        closed = {tuple(line.split(",")[:2]) for line in constraints.read_text().splitlines()}
        return json.loads(printed), read(out), closed, flagged, err

    return score


def test_authors_by_id_and_their_coauthors_of_recent_years_get_no_score(check):
    summary, scores, closed, flagged, err = check("id,title,authors,abstract\ns1,Bees,r:bob,Bees and nets.\n")
    assert closed == {("s1", "r:bob"), ("s1", "r:ada"), ("s1", "r:cy")}
    assert {reviewer for _, reviewer in scores} == {"r:dee", "r:eve"}
    assert (summary["conflicts"], summary["possible_conflicts"], flagged, err) == (3, 0, {}, "")


def test_what_was_written_together_long_ago_is_no_conflict_and_without_a_year_a_possible_one(check):
    _, scores, closed, flagged, _ = check("id,title,authors,abstract\ns1,Wax,r:dee,Combs.\n")
    assert closed == {("s1", "r:dee")}
    assert flagged == {("s1", "r:eve"): "co-authored “Honey” without a known year with r:dee"}
    assert {"r:cy", "r:eve"} <= {reviewer for _, reviewer in scores}
    _, _, closed, _, _ = check("id,title,authors,abstract\ns1,Wax,r:dee,Combs.\n", "--years", 20)
    assert closed == {("s1", "r:dee"), ("s1", "r:cy")}


def test_authors_by_name_are_possible_conflicts_with_their_evidence(check):
    summary, scores, closed, flagged, _ = check('id,title,authors,abstract\ns1,Bees,"BEE, Bób; Zoe Else",Nets.\n')
    assert closed == set()
    assert flagged == {
        ("s1", "r:ada"): "co-authored “Neural networks” in 2024 with Bób BEE (matched by name)",
        ("s1", "r:bob"): "has the name of the author Bób BEE",
        ("s1", "r:cy"): "co-authored “Honey bees” in 2024 with Bób BEE (matched by name)",
    }
    assert {reviewer for _, reviewer in scores} == {"r:ada", "r:bob", "r:cy", "r:dee", "r:eve"}
    assert (summary["conflicts"], summary["possible_conflicts"]) == (0, 3)


@pytest.mark.parametrize("written", ["B. Bee", "Bee Bob", "Bob Maria Bee", "Dr. Bob BEE"])
def test_other_forms_of_a_name_are_possible_conflicts_too(check, written):
    _, _, closed, flagged, _ = check(f"id,title,authors,abstract\ns1,Bees,{written},Nets.\n")
    assert (closed, ("s1", "r:bob") in flagged) == (set(), True)


def test_the_same_orcid_in_another_form_is_the_same_person(run, tmp_path):
    orcid = "0000-0002-1825-0097"
    (tmp_path / "expertise.csv").write_text(
        f"reviewer,paper,title,abstract\nhttps://orcid.org/{orcid},p1,Bees,Dance.\n"
    )
    (tmp_path / "s.csv").write_text(f"id,title,abstract,authorids\ns1,Nets,Deep.,orcid:{orcid}\n")
    constraints = tmp_path / "constraints.csv"
    code, _, _ = run(
        *("-s", tmp_path / "s.csv", "-r", tmp_path / "expertise.csv", "-o", tmp_path / "o.csv", "-m", "bm25"),
        *("--constraints", constraints),
    )
    assert (code, constraints.read_text()) == (0, f"s1,https://orcid.org/{orcid},-1\n")


def test_conflicts_can_be_flagged_or_ignored(check):
    submissions = "id,title,authors,abstract\ns1,Bees,r:bob;Eve Sweet,Bees and nets.\n"
    _, scores, closed, flagged, _ = check(submissions, "--conflicts", "flag")
    assert {reviewer for _, reviewer in scores} == {"r:ada", "r:bob", "r:cy", "r:dee", "r:eve"}
    assert closed == {("s1", "r:bob"), ("s1", "r:ada"), ("s1", "r:cy")}
    assert {reviewer for _, reviewer in flagged} == {"r:eve", "r:dee"}
    summary, scores, closed, flagged, _ = check(submissions, "--conflicts", "ignore")
    assert (len(scores), closed, flagged, summary["conflicts"]) == (5, set(), {}, 0)


def test_possible_conflicts_that_were_checked_can_be_declared(check, tmp_path):
    submissions = "id,title,authors,abstract\ns1,Bees,Bob Bee,Nets.\n"
    check(submissions)
    checked = tmp_path / "checked.csv"
    checked.write_text((tmp_path / "possible.csv").read_text())
    _, scores, closed, flagged, _ = check(submissions, "--declared", checked)
    assert closed == {("s1", reviewer) for reviewer in ("r:ada", "r:bob", "r:cy")}
    assert (flagged, {reviewer for _, reviewer in scores}) == ({}, {"r:dee", "r:eve"})


def test_owners_of_the_same_note_are_coauthors(run, venue, tmp_path):
    """Archives: whoever has the same note as an author wrote with them; ids of OpenReview say the name."""
    note = {"id": "n9", "content": {"title": "Nets and bees", "abstract": "Both.", "year": 2024}}
    for owner in ("~Ada_Net1", "~Bob_Bee1"):
        with (venue / "archives" / f"{owner}.jsonl").open("a") as file:
            file.write(json.dumps(note) + "\n")
    by_id = {"title": "Wax", "abstract": "Combs.", "authorids": ["~Ada_Net1"], "authors": ["Ada Net"], "year": 2025}
    by_name = {"title": "Wax", "abstract": "Combs!", "authors": ["Ada Net"], "year": 2025}
    submitted = {"s1": {"id": "s1", "content": by_id}, "s2": {"id": "s2", "content": by_name}}
    (venue / "submissions.json").write_text(json.dumps(submitted))
    constraints, possible = tmp_path / "constraints.csv", tmp_path / "possible.csv"
    code, _, err = run(
        *("-s", venue, "-r", venue, "-o", tmp_path / "scores.csv", "-m", "bm25"),
        *("--constraints", constraints, "--possible", possible),
    )
    assert (code, err) == (0, "")
    assert constraints.read_text() == "s1,~Ada_Net1,-1\ns1,~Bob_Bee1,-1\n"
    assert possible.read_text() == (
        "s2,~Ada_Net1,-1,has the name of the author Ada Net\n"
        "s2,~Bob_Bee1,-1,co-authored “Nets and bees” in 2024 with Ada Net (matched by name)\n"
    )


def test_an_indexed_corpus_flags_namesakes_as_the_look_up_does(run, tmp_path):
    workspace = Workspace.at()
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus())
        IndexJobs(workspace.index_path).build(store, encoder=str(make_tiny_model(tmp_path / "model")), engine="bm25s")
        author = next(paper for paper in store.iter_papers() if len(paper.authorships) > 1).authorships[0].author
    mine = {"id": "mine", "title": "Anything", "authors": [author.name]}
    (tmp_path / "s.jsonl").write_text(json.dumps(mine) + "\n")
    possible = tmp_path / "possible.csv"
    code, printed, _ = run(
        *("-s", tmp_path / "s.jsonl", "-o", tmp_path / "o.csv", "-m", "bm25"), "--possible", possible, "--json"
    )
    assert code == 0
    summary = json.loads(printed)
    assert (summary["conflicts"], summary["possible_conflicts"] > 1) == (0, True)
    assert f"mine,{author.id},-1,has the name of the author {author.name}" in possible.read_text().splitlines()


# Other sources and models


def test_reviewers_from_csv_sparse(run, tmp_path):
    (tmp_path / "expertise.csv").write_text(
        "".join(f"{r},{n},{title},{abstract}\n" for r, notes in NOTES.items() for n, title, abstract in notes)
    )
    (tmp_path / "submissions.csv").write_text("id,title,abstract\ns1,Nets,Deep nets.\ns2,Bees,Honey bees.\n")
    out = tmp_path / "scores.csv"
    code, _, _ = run(
        *("-s", tmp_path / "submissions.csv", "-r", tmp_path / "expertise.csv", "-o", out),
        *("-m", "bm25", "-p", "pooling=max", "--sparse", 1),
    )
    assert code == 0
    assert set(read(out)) == {("s1", "~Ada_Net1"), ("s2", "~Bob_Bee1")}


def test_comments_in_a_file_of_reviewers_are_no_reviewers(run, tmp_path):
    with Workspace.at().open_corpus(create=True) as store:
        papers = list(corpus())[:40]
        store.upsert(papers)
    someone = papers[0].authorships[0].author.id
    (tmp_path / "committee.txt").write_text(f"# the committee\n\n{someone}\n")
    (tmp_path / "s.csv").write_text("id,title,abstract\ns1,Nets,Deep nets.\n")
    arguments = ("-s", tmp_path / "s.csv", "-r", tmp_path / "committee.txt", "-o", tmp_path / "o.csv")
    code, printed, _ = run(*arguments, "-m", "bm25", "--json")
    assert code == 0
    assert json.loads(printed)["reviewers"] == 1


def test_reviewers_from_an_indexed_corpus_use_its_vectors_and_conflicts(run, tmp_path):
    workspace = Workspace.at()
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus())
        IndexJobs(workspace.index_path).build(store, encoder=str(make_tiny_model(tmp_path / "model")), engine="bm25s")
        first = next(paper for paper in store.iter_papers() if len(paper.authorships) > 1)
    author, other = (authorship.author for authorship in first.authorships[:2])
    sample = submissions()[0]
    mine = {"id": "mine", "title": sample.title, "abstract": sample.abstract, "authors": [{"id": author.id}]}
    (tmp_path / "s.jsonl").write_text(json.dumps(mine) + "\n")
    (tmp_path / "committee.txt").write_text(f"{author.id}\n{other.id}\na:unknown\n")
    out, constraints = tmp_path / "scores.csv", tmp_path / "constraints.csv"
    arguments = ("-s", tmp_path / "s.jsonl", "-o", out, "--constraints", constraints, "--json")
    code, printed, _ = run(*arguments, "-r", tmp_path / "committee.txt", "--years", 100)
    assert code == 0
    assert json.loads(printed)["empty_profiles"] == ["a:unknown"]
    assert {line.split(",")[1] for line in constraints.read_text().splitlines()} == {author.id, other.id}
    code, printed, _ = run(*arguments, "--sparse", 5, "-m", "dense")
    assert code == 0
    summary = json.loads(printed)
    assert summary["reviewers"] > 5
    assert ("mine", author.id) not in read(out)
    assert len(read(out)) == summary["reviewers"] - summary["conflicts"]  # one submission: everybody's best


def test_workers_encode_and_scores_are_the_same(run, venue, tmp_path, monkeypatch):
    model = f"encoder={make_tiny_model(tmp_path / 'model')}"
    scores = []
    for name, more in (("here", ()), ("there", ("--executor", "processes:1"))):
        monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / name))
        out = tmp_path / f"{name}.csv"
        code, _, _ = run("-s", venue, "-r", venue, "-o", out, "-m", "dense", "-p", model, *more)
        assert code == 0
        scores.append(read(out))
    assert scores[0].keys() == scores[1].keys()
    assert scores[1] == pytest.approx(scores[0], abs=1e-5)


def test_full_texts(run, venue, tmp_path):
    (tmp_path / "full.jsonl").write_text(json.dumps({"id": "b1", "text": "Deep nets, deep nets."}) + "\n")
    out = tmp_path / "scores.csv"
    common = ("-s", venue, "-r", venue, "-o", out, "-m", "tpms")
    run(*common)
    before = read(out)
    code, _, _ = run(*common, "--text", "full", "--full-texts", tmp_path / "full.jsonl")
    assert code == 0
    assert read(out)["s1", "~Bob_Bee1"] != before["s1", "~Bob_Bee1"]


def test_a_model_that_costs_money_asks_first(run, venue, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_LLM_URL", "http://127.0.0.1:9/v1")
    arguments = ("-s", venue, "-r", venue, "-o", tmp_path / "scores.csv", "-m", "llm", "-p", "retries=0")
    code, _, err = run(*arguments)  # nobody there to ask
    assert code == 2
    assert "4 calls of gpt-4o-mini at http://127.0.0.1:9/v1" in err
    assert "give --yes to go on" in err
    code, _, err = run(*arguments, "--yes")
    assert code == 2
    assert "no score from gpt-4o-mini" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "magic"], "unknown affinity model 'magic'"),
        (["-m", "tpms", "-p", "depth=3"], "model 'tpms' has no parameter 'depth'"),
        (["-m", "bm25", "-p", "pooling=best"], "unknown pooling 'best'"),
        (["-m", "bm25", "-p", "pooling"], "NAME=VALUE"),
        (["--sparse", "0"], "at least 1 pair per line"),
        (["--executor", "processes:1"], "the model 'bm25' encodes nothing that workers could do"),
        (["--executor", "ray"], "unknown executor 'ray'"),
        (["--text", "full"], "belong together"),
        (["--text", "half"], "abstract or full"),
        (["--declared", "none.csv"], "cannot read conflicts from 'none.csv'"),
        (["-s", "none.json"], "no such file: 'none.json'"),
        (["-r", "none"], "cannot read reviewer ids from 'none'"),
        (["-o", "none/scores.csv"], "cannot write 'none/scores.csv'"),
    ],
)
def test_bad_input_ends_in_one_line_and_exit_code_2(run, venue, tmp_path, arguments, message):
    code, _, err = run("-s", venue, "-r", venue, "-o", tmp_path / "scores.csv", "-m", "bm25", *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "scores.csv").exists()


def test_directories_that_are_none_are_named(run, venue, tmp_path):
    (tmp_path / "empty").mkdir()
    for place, message in [(tmp_path / "empty", "has no directory 'archives'"), (tmp_path / "x.csv", "no such file")]:
        code, _, err = run("-s", venue, "-r", place, "-o", tmp_path / "scores.csv")
        assert code == 2
        assert message in err
    (tmp_path / "y.csv").write_text("a,b\n")
    code, _, err = run("-s", venue, "-r", tmp_path / "y.csv", "-o", tmp_path / "scores.csv")
    assert code == 2
    assert "no usable paper of any reviewer" in err


@pytest.mark.data
def test_the_gold_standard_in_openreviews_layout(run, data_dir, tmp_path):
    venue, out = data_dir / "goldstandard" / "openreview" / "d_20_1", tmp_path / "scores.csv"
    code, printed, _ = run("-s", venue, "-r", venue, "-o", out, "-m", "tpms", "--json")
    assert code == 0
    summary = json.loads(printed)
    assert (summary["reviewers"], summary["submissions"]) == (58, 463)
    assert summary["conflicts"] == len(summary["own_papers"]) == 21  # participants rated papers of their own, too
    assert len(read(out)) == 58 * 463 - 21
