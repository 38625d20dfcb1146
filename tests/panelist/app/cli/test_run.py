"""`panelist run`: many submissions in, a run out that is complete and in order, or none."""

import gzip
from functools import partial

import orjson
import pytest

from eval.trec import read_run
from panelist.app.demo import submissions
from retriever.aggregate import Aggregation
from retriever.finder import Finder
from retriever.lookup import Lookup

SAMPLES = submissions()


@pytest.fixture
def run(demo_workspace, panelist):
    return partial(panelist, "run")


@pytest.fixture
def queries(tmp_path):
    path = tmp_path / "queries.jsonl"
    with path.open("wb") as file:
        for one in SAMPLES:
            people = [{"id": author.id, "name": author.name} for author in one.authors]
            record = {"id": one.id, "title": one.title, "abstract": one.abstract, "authors": people, "year": one.year}
            file.write(orjson.dumps(record) + b"\n")
    return path


def read(path):
    """query -> reviewers in the order in which an evaluator reads them."""
    found = read_run(path)
    return {
        query: [found.documents[doc] for doc in found.docs[start:end]]
        for query, start, end in zip(found.queries, found.offsets[:-1], found.offsets[1:], strict=True)
    }


@pytest.mark.parametrize("aggregate", ["expert", "votes", "max"])
@pytest.mark.parametrize("name", ["run.trec", "run.trec.gz"])
def test_a_run_holds_the_plain_rankings_in_their_order(run, queries, demo_workspace, tmp_path, aggregate, name):
    out = tmp_path / name
    code, shown, errors = run(queries, "--out", out, "--aggregate", aggregate, "--tag", "mine", "-k", 60)
    assert (code, shown, errors) == (0, "", "")
    from panelist.corpus.readers.submissions import read_submissions

    with Finder.open(demo_workspace) as finder:
        lookup = Lookup(size=60, aggregation=Aggregation.named(aggregate))
        rankings = list(finder.rank(read_submissions(queries), lookup))
    expected = {
        one.id: [reviewer for reviewer, _ in ranking] for one, ranking in zip(SAMPLES, rankings, strict=True) if ranking
    }
    assert read(out) == expected
    text = gzip.decompress(out.read_bytes()).decode() if name.endswith("gz") else out.read_text()
    assert {line.split()[5] for line in text.splitlines()} == {"mine"}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("run")] == [name]
    if aggregate == "votes":  # many ties: what was kept is worth something
        scores = [score for ranking in rankings for _, score in ranking]
        assert len(set(scores)) < len(scores) / 2


def test_possible_conflicts_are_counted_or_listed(run, demo_workspace, tmp_path):
    with Finder.open(demo_workspace) as finder:
        name = finder.find(SAMPLES[0]).matches[0].author.name
    path, out, possible = (tmp_path / name for name in ("q.jsonl", "run.trec", "possible.csv"))
    one = SAMPLES[0]
    path.write_bytes(orjson.dumps({"id": one.id, "title": one.title, "abstract": one.abstract, "authors": [name]}))
    code, _, err = run(path, "--out", out)
    assert code == 0
    assert "cannot show: see --possible FILE" in err
    assert "1 person who may be an author was not ranked: see --possible FILE" in err
    code, _, err = run(path, "--out", out, "--possible", possible)
    assert (code, err) == (0, "")
    ranked = {line.split()[2] for line in out.read_text().splitlines()}
    held = {
        line.split(",")[1] for line in possible.read_text().splitlines() if f"has the name of the author {name}" in line
    }
    assert len(held) == 1
    assert {line.split(",")[1] for line in possible.read_text().splitlines()} - held <= ranked
    assert not held & ranked


def test_declared_reviewers_who_are_not_in_the_index_are_reported(run, queries, tmp_path):
    declared = tmp_path / "declared.csv"
    declared.write_text(f"{SAMPLES[0].id},nobody\n")
    code, _, err = run(queries, "--out", tmp_path / "run.trec", "-k", 1, "--declared", declared)
    assert code == 0
    assert "not in the index: nobody\n" in err


def test_submissions_none_of_whose_authors_is_known_are_named(run, tmp_path):
    path, out = tmp_path / "queries.jsonl", tmp_path / "run.trec"
    records = [
        {"id": "s1", "title": "Visual cortex", "authors": ["Nobody Known", "Else Unknown"]},
        {"id": "s2", "title": "Visual cortex"},
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, records)))
    code, _, err = run(path, "--out", out)
    said = "0 of 2 authors of 1 submission matched: nothing was checked but whether their names fit a reviewer's: s1"
    assert (code, err) == (0, f"WARNING conflicts of interest: {said}\n")
    assert run(path, "--out", out, "--conflicts", "ignore")[2] == ""


def test_an_existing_run_is_replaced(run, queries, tmp_path):
    out = tmp_path / "run.trec"
    out.write_text("old")
    assert run(queries, "--out", out, "-k", 1)[0] == 0
    assert len(out.read_text().splitlines()) == len(SAMPLES)


@pytest.mark.parametrize("where", ["nowhere/run.trec", "queries.jsonl/run.trec", "."])
def test_where_nothing_can_be_written_one_line_says_so(run, queries, tmp_path, where):
    code, shown, errors = run(queries, "--out", tmp_path / where)
    assert (code, shown) == (2, "")
    assert errors.startswith(f"error: cannot write '{tmp_path / where}': ")
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tag", "two words"], "tag 'two words' cannot stand in a run"),
        (["--tag", ""], "tag '' cannot stand in a run"),
        (["-k", "0"], "a panel of 0"),
        (["--rm3"], "cannot expand queries"),
        (["--possible", "run.trec"], "twice: give every output a file of its own"),
        (["--workspace", "/nowhere/at/all"], "no corpus in workspace"),
    ],
)
def test_refused_options_leave_the_old_run_alone(run, queries, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "run.trec"
    out.write_text("old")
    code, shown, errors = run(queries, "--out", out, *arguments)
    assert (code, shown) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1
    assert out.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"queries.jsonl", "run.trec"}


def test_bad_submissions_are_told_with_their_line(run, tmp_path):
    path = tmp_path / "queries.jsonl"
    path.write_text('{"id": "s1", "title": "cortex"}\n{"id": "s2"}\n')
    code, _, errors = run(path, "--out", tmp_path / "run.trec")
    assert code == 2
    assert f"{path}:2: neither title nor abstract" in errors


def test_a_csv_of_submissions(run, tmp_path):
    path = tmp_path / "queries.csv"
    path.write_text("s1,Visual cortex,Neurons that see\ns2,Lithium,Batteries\n")
    assert run(path, "--out", tmp_path / "run.trec", "-k", 3)[0] == 0
    assert {query: len(found) for query, found in read(tmp_path / "run.trec").items()} == {"s1": 3, "s2": 3}


def test_workers_make_the_same_run(run, queries, tmp_path, monkeypatch):
    monkeypatch.setattr("panelist.app.rank_parts.PART", 2)  # several tasks
    for name, options in (("here.trec", []), ("there.trec", ["--executor", "processes:2"])):
        code, _, errors = run(queries, "--out", tmp_path / name, *options)
        assert code == 0, errors
    here, there = (read_run(tmp_path / name) for name in ("here.trec", "there.trec"))
    assert read(tmp_path / "here.trec") == read(tmp_path / "there.trec")
    assert here.tag == there.tag
    code, _, errors = run(queries, "--out", tmp_path / "x", "--executor", "nobody")
    assert code == 2
    assert "unknown executor 'nobody'" in errors
    assert not (tmp_path / "x").exists()
