"""`panelist affinity` as a chair types it: OpenReview's layout in, its CSV out."""

import json
from functools import partial

import pytest
from openreview_support import NOTES, read_scores
from tiny_model import make_tiny_model

from indexing.jobs.build import IndexJobs
from panelist.app.demo import corpus, submissions
from panelist.workspace import Workspace


@pytest.fixture
def run(panelist, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    return partial(panelist, "affinity")


def test_openreview_in_openreview_out(run, venue, tmp_path):
    out, constraints, declared = (tmp_path / name for name in ("scores.csv", "constraints.csv", "declared.csv"))
    declared.write_text("paper,reviewer\ns1,~Bob_Bee1\ns1,~Nobody1\n")
    code, printed, err = run(
        *("-s", venue, "-r", venue, "-o", out, "-m", "tpms", "--declared", declared),
        *("--constraints", constraints, "--threshold", 0.01, "--json"),
    )
    assert code == 0
    scores = read_scores(out)
    assert set(scores) == {("s1", "~Ada_Net1"), ("s2", "~Ada_Net1")}
    assert constraints.read_text() == "s1,~Bob_Bee1,-1\ns2,~Bob_Bee1,-1\n"  # declared; wrote the same text
    assert "1 declared conflict names: s1,~Nobody1" in err
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
    assert "3 of 3 reviewers have no institution" in printed


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
    assert set(read_scores(out)) == {("s1", "~Ada_Net1"), ("s2", "~Bob_Bee1")}


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
    assert ("mine", author.id) not in read_scores(out)
    assert len(read_scores(out)) == summary["reviewers"] - summary["conflicts"]  # one submission: everybody's best


def test_workers_encode_and_scores_are_the_same(run, venue, tmp_path, monkeypatch):
    model = f"encoder={make_tiny_model(tmp_path / 'model')}"
    scores = []
    for name, more in (("here", ()), ("there", ("--executor", "processes:1"))):
        monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / name))
        out = tmp_path / f"{name}.csv"
        code, _, _ = run("-s", venue, "-r", venue, "-o", out, "-m", "dense", "-p", model, *more)
        assert code == 0
        scores.append(read_scores(out))
    assert scores[0].keys() == scores[1].keys()
    assert scores[1] == pytest.approx(scores[0], abs=1e-5)


def test_full_texts_change_the_scores(run, venue, tmp_path):
    (tmp_path / "full.jsonl").write_text(json.dumps({"id": "b1", "text": "Deep nets, deep nets."}) + "\n")
    out = tmp_path / "scores.csv"
    common = ("-s", venue, "-r", venue, "-o", out, "-m", "tpms")
    run(*common)
    before = read_scores(out)
    code, _, _ = run(*common, "--text", "full", "--full-texts", tmp_path / "full.jsonl")
    assert code == 0
    assert read_scores(out)["s1", "~Bob_Bee1"] != before["s1", "~Bob_Bee1"]


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
        (["--declared", "none.csv"], "cannot read 'none.csv'"),
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


def test_unusable_source_of_reviewers_is_refused(run, venue, tmp_path):
    (tmp_path / "empty").mkdir()
    for source, message in [(tmp_path / "empty", "has no directory 'archives'"), (tmp_path / "x.csv", "no such file")]:
        code, _, err = run("-s", venue, "-r", source, "-o", tmp_path / "scores.csv")
        assert code == 2
        assert message in err
    (tmp_path / "y.csv").write_text("a,b\n")
    code, _, err = run("-s", venue, "-r", tmp_path / "y.csv", "-o", tmp_path / "scores.csv")
    assert code == 2
    assert "no usable paper" in err


@pytest.mark.data
def test_the_gold_standard_in_openreviews_layout(run, data_dir, tmp_path):
    venue, out = data_dir / "goldstandard" / "openreview" / "d_20_1", tmp_path / "scores.csv"
    code, printed, _ = run("-s", venue, "-r", venue, "-o", out, "-m", "tpms", "--json")
    assert code == 0
    summary = json.loads(printed)
    assert (summary["reviewers"], summary["submissions"]) == (58, 463)
    assert len(summary["own_papers"]) == 21  # participants rated papers of their own, too
    assert summary["conflicts"] == 21 + 39  # and those of their co-authors
    assert len(read_scores(out)) == 58 * 463 - 60


def test_a_folder_of_bibliographies_brings_the_cited_forward(run, tmp_path):
    topics = ("bees dance in hives", "ants walk in hives", "owls hunt", "bees hear", "cats sleep")
    people = dict(zip(("Ann Ash", "Ben Bay", "Cem Can", "Dot Day", "Eva Elm"), topics, strict=True))
    expertise, given = tmp_path / "expertise.csv", tmp_path / "s.csv"
    lines = [
        f"~{name.replace(' ', '_')}1,p{n},{text},At night {text}.\n" for n, (name, text) in enumerate(people.items())
    ]
    expertise.write_text("".join(lines))
    given.write_text(
        "id,title,abstract,authors\nv/1,How bees dance,In hives.,Ben Bay\nv2,How ants walk,All ants.,X Y\n"
    )
    folder = tmp_path / "cited"
    folder.mkdir()
    entry = "@article{{k{n}, title={{Work number {n}}}, author={{{who}}}, year={{2010}}}}\n"
    (folder / "v_1.bib").write_text(
        "".join(entry.format(n=n, who="Cem Can" if n else "Bay, Ben and Eva Elm") for n in range(9))
    )
    (folder / "v9.bib").write_text(entry.format(n=1, who="Dot Day"))
    (folder / "v2.txt").write_text("")
    out = tmp_path / "scores.csv"
    arguments = ("-s", given, "-r", expertise, "-o", out, "-m", "bm25", "--conflicts", "flag")
    assert run(*arguments)[0] == 0
    texts = read_scores(out)
    code, printed, errors = run(*arguments, "--bibliographies", folder)
    assert code == 0
    assert "1 submission is scored with what it cites" in printed
    assert "'v9.bib' is called like no submission" in errors
    assert "v2.txt' holds no reference" in errors
    found = read_scores(out)
    rows = {paper: {who: score for (one, who), score in found.items() if one == paper} for paper in ("v/1", "v2")}
    before = {paper: {who: score for (one, who), score in texts.items() if one == paper} for paper in ("v/1", "v2")}
    assert rows["v2"] == before["v2"]
    assert sorted(rows["v/1"].values()) == sorted(before["v/1"].values())
    assert rows["v/1"]["~Cem_Can1"] > before["v/1"]["~Cem_Can1"]
    assert max(rows["v/1"], key=rows["v/1"].get) in ("~Ann_Ash1", "~Cem_Can1")
    assert run(*arguments, "--bibliographies", folder, "--references", "off")[0] == 0
    assert read_scores(out) == texts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bibliographies", "nowhere"), "no such folder: 'nowhere'"),
        (("--bibliographies", "."), "is called like a submission: name them ID.bib, ID.ris or ID.pdf"),
        (("--references", "on"), "references is auto or off, received 'on'"),
    ],
)
def test_bad_bibliographies_are_one_line(run, venue, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, errors = run("-s", venue, "-r", venue, "-o", "scores.csv", "-m", "bm25", *arguments)
    assert code == 2
    assert message in errors
    assert errors.count("\n") == 1
