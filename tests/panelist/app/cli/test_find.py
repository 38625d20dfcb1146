"""`panelist find` as a user types it: every format, every option, and one clear line for what cannot be."""

import csv
import io
import json
import os
import subprocess
import sys

import orjson
import pytest
from panel_support import ids

from eval.trec import read_run
from panelist.app.demo import corpus, submissions
from panelist.app.formats.panels import CSV_COLUMNS
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.lookup import Lookup

SAMPLES = submissions()
COAUTHOR = "synthetic:A0158"


@pytest.fixture
def find(demo_workspace, panelist):
    return lambda *arguments, command="find": panelist(command, *arguments)


@pytest.fixture
def asked(tmp_path):
    """Write a submission to a file, as a user would."""

    def write(submission=SAMPLES[0], name="submission.json", **changes):
        record = {
            "id": submission.id,
            "title": submission.title,
            "abstract": submission.abstract,
            "authors": [{"id": author.id, "name": author.name} for author in submission.authors],
            "author_names": list(submission.author_names),
            "institutions": [{"name": p.name, "ror": p.ror, "country": p.country} for p in submission.institutions],
            "year": submission.year,
        }
        path = tmp_path / name
        path.write_bytes(orjson.dumps(record | changes))
        return path

    return write


def panel_of(demo_workspace, submission, **lookup):
    with Finder.open(demo_workspace) as finder:
        return finder.find(submission, Lookup(references="off", **lookup))  # the files that are asked about have none


def refused(result, message):
    code, out, err = result
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_json_is_the_panel(find, asked, demo_workspace):
    code, out, err = find(asked(), "--json", "-k", 7)
    assert (code, err) == (0, "")
    panel = panel_of(demo_workspace, SAMPLES[0], size=7)
    shown = orjson.loads(out)
    assert [match["author"]["id"] for match in shown["matches"]] == ids(panel)
    assert [match["score"] for match in shown["matches"]] == [match.score for match in panel.matches]
    assert [one["evidence"] for one in shown["hidden"]] == [one.evidence for one in panel.hidden]
    assert shown["hidden"]
    assert {one["kind"] for one in shown["hidden"]} <= {"author", "coauthor", "institution", "declared"}
    best = shown["matches"][0]["papers"][0]
    assert {"paper", "score", "share", "found_by", "terms", "sentence"} == set(best)


def test_the_same_question_has_the_same_answer_in_another_process(find, asked):
    path = asked()
    command = [sys.executable, "-m", "panelist", "find", str(path), "--json", "--diversity", "0.4"]
    other = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert other.stdout.decode() == find(path, "--json", "--diversity", 0.4)[1]


def test_csv_has_a_line_per_reviewer(find, asked, demo_workspace):
    rows = list(csv.DictReader(io.StringIO(find(asked(), "--format", "csv", "--conflicts", "flag")[1])))
    panel = panel_of(demo_workspace, SAMPLES[0], conflicts="flag")
    assert tuple(rows[0]) == CSV_COLUMNS
    assert [row["reviewer"] for row in rows] == ids(panel)
    assert [int(row["rank"]) for row in rows] == list(range(1, 11))
    assert [row["conflicts"] for row in rows] == [
        "; ".join(one.evidence for one in match.conflicts) for match in panel.matches
    ]


@pytest.mark.parametrize("diversity", [0, 0.6])
def test_a_trec_run_keeps_the_order(find, asked, tmp_path, diversity):
    code, out, _ = find(asked(), "-f", "trec", "-d", diversity, "-k", 40, "--aggregate", "votes")
    assert code == 0
    path = tmp_path / "run.trec"
    path.write_text(out)
    run = read_run(path)
    ranked = [line.split()[2] for line in out.splitlines()]
    assert run.queries == ("synthetic:S1",)
    assert [run.documents[doc] for doc in run.docs] == ranked
    assert [line.split()[3] for line in out.splitlines()] == [str(rank) for rank in range(1, len(ranked) + 1)]


@pytest.mark.parametrize("form", ["trec", "openreview"])
def test_formats_say_who_is_held_back_and_conflicts_names_them(find, asked, demo_workspace, form):
    name = panel_of(demo_workspace, SAMPLES[0]).matches[0].author.name
    code, out, err = find(asked(), "-f", form, "--author-name", name)
    assert code == 0
    code, conflicts, quiet = find(asked(), "-f", "conflicts", "--author-name", name)
    rows = list(csv.reader(io.StringIO(conflicts)))
    assert (code, quiet) == (0, "")
    held = [reviewer for _, reviewer, _, evidence in rows if evidence == f"has the name of the author {name}"]
    assert held
    assert f"(--not-author ID brings them back): {held[0]}" in err
    assert all((reviewer in out) == (reviewer not in held) for _, reviewer, *_ in rows)
    code, out, err = find(asked(), "-f", form, "--author-name", name, *(f"--not-author={key}" for key in held))
    assert (code, "held back" in err) == (0, False)
    assert held[0] in out


def test_the_table_names_reviewers_papers_conflicts_and_diversity(find, asked, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = find(asked(), "--sentences")
    assert code == 0
    for text in (SAMPLES[0].title, "institutions", "countries", "hidden for a conflict of interest", "author of the"):
        assert text in out
    assert "“" in out  # a sentence


def test_square_brackets_are_text_and_no_markup(find):
    code, out, _ = find("--title", "[bold]visual[/bold] cortex [/]")
    assert code == 0
    assert "[bold]visual[/bold] cortex [/]" in out


def test_a_submission_on_the_command_line(find, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("cortex and vision"))
    code, out, _ = find("-t", "Neurons", "-a", "-", "--author", COAUTHOR, "--author-name", "Nobody Known", "--json")
    assert code == 0
    shown = orjson.loads(out)
    assert shown["submission"]["abstract"] == "cortex and vision"
    assert shown["submission"]["authors"][0]["id"] == COAUTHOR
    assert COAUTHOR not in {match["author"]["id"] for match in shown["matches"]}


def test_an_unknown_author_id_is_noted(find):
    code, out, _ = find("--title", "Visual cortex", "--author", "a:ghost")
    assert code == 0
    assert "a:ghost" in out
    assert "nothing was checked: 0 of 1 author matched" in out


@pytest.mark.parametrize("form", ["json", "csv", "trec", "conflicts"])
def test_that_nothing_was_checked_is_said_beside_every_format(find, form):
    strangers = ("--author", "a:ghost", "--author-name", "Nobody Known")
    said = (
        "WARNING conflicts of interest: nothing was checked: 0 of 2 authors matched; not found: a:ghost, Nobody Known\n"
    )
    assert find("--title", "Visual cortex", *strangers, "-f", form)[2] == said
    assert find("--title", "Visual cortex", *strangers, "-f", form, "--conflicts", "ignore")[2] == ""
    assert find("--title", "Visual cortex", "--author", COAUTHOR, "-f", form)[2] == ""


def test_every_option_reaches_the_look_up(find, asked, tmp_path):
    pool, declared = tmp_path / "pool.txt", tmp_path / "declared.csv"
    everyone = orjson.loads(find(asked(), "--json", "-k", 500, "--conflicts", "ignore")[1])["matches"]
    people = [match["author"]["id"] for match in everyone]
    pool.write_text("\ufeff# the committee\n\n" + "\n".join(people[5:40]) + "\n", encoding="utf-8")
    declared.write_text(f"paper,reviewer\nsynthetic:S1,{people[6]}\n")
    code, out, _ = find(
        *(asked(), "--json", "-k", 30, "--pool", pool, "--declared", declared, "--exclude", people[7]),
        *("--mode", "lexical", "--depth", 400, "--fusion", "rrf", "--weights", 1, 2, "--aggregate", "top:3"),
        *("--min-papers", 2, "--max-papers", 50, "--active-since", 2012, "--min-relevant", 1, "--years", 1),
        *("--country", "GB", "--country", "DE", "--country", "us", "--include", people[8], "--papers", 1),
    )
    assert code == 0
    matches = orjson.loads(out)["matches"]
    found = {match["author"]["id"] for match in matches}
    assert found <= set(people[5:40]) - {people[6], people[7]}
    by_id = {match["author"]["id"]: match for match in everyone}
    for author in found - {people[8]}:
        assert by_id[author]["institutions"][0]["country"] in {"GB", "DE", "US"}
        assert 2 <= by_id[author]["paper_count"] <= 50
        assert by_id[author]["last_year"] >= 2012
    assert all(len(match["papers"]) == 1 and match["found_by"] == ["lexical"] for match in matches)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "submission 'submission' has neither title nor abstract"),
        (["--title", " \t"], "submission 'submission' has neither title nor abstract"),
        (["--title", "x", "-k", "0"], "a panel of 0"),
        (["--title", "x", "--diversity", "2"], "diversity weight 2.0 is out of range"),
        (["--title", "x", "--diversity-algorithm", "dice"], "unknown diversity algorithm 'dice'"),
        (["--title", "x", "--depth", "0"], "search depth 0"),
        (["--title", "x", "--mode", "psychic"], "unknown search mode 'psychic'"),
        (["--title", "x", "--fusion", "cold"], "unknown fusion 'cold'"),
        (["--title", "x", "--weights", "0", "0"], "fusion weights 0.0 and 0.0"),
        (["--title", "x", "--aggregate", "median"], "unknown pooling 'median'"),
        (["--title", "x", "--conflicts", "deny"], "unknown conflict handling 'deny'"),
        (["--title", "x", "--years", "-1"], "conflicts of the last -1 years"),
        (["--title", "x", "--years", str(10**20)], "conflicts of the last 100000000000000000000 years"),
        (["--title", "x", "--aggregate", f"top:{10**20}"], "unknown pooling 'top:100000000000000000000'"),
        (["--title", "x", "--id", "a b"], "the id 'a b' contains whitespace: give one word"),
        (["--title", "x", "--papers", "-1"], "-1 papers"),
        (
            ["--title", "x", "--format", "pdf"],
            "unknown format 'pdf': use one of table, json, csv, trec, openreview, conflicts",
        ),
        (["--title", "x", "--rm3"], "cannot expand queries"),
        (["--title", "x", "--bm25", "1.2", "0.75"], "scores by the k1 and b of its index"),
        (["--title", "x", "--bm25", "1.2", "2"], "b from 0 to 1, received k1 = 1.2 and b = 2.0"),
        (["--title", "x", "--repeated", "twice"], "use one of distinct, counted"),
        (["--title", "x", "--index", "anserini:x"], "write pyserini:DIR"),
        (["--title", "x", "--fusion", "probfuse"], "unknown fusion 'probfuse': use one of weighted, rrf, sum, mnz"),
        (["--title", "x", "--pool", "nowhere.txt"], "cannot read reviewer ids from 'nowhere.txt'"),
        (["--title", "x", "--declared", "nowhere.csv"], "cannot read 'nowhere.csv'"),
        (["nowhere.json"], "no such file: 'nowhere.json'"),
        (["--title", "x", "--workspace", "/nowhere/at/all"], "no corpus in workspace '/nowhere/at/all'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input_of_find_is_one_line(find, arguments, message):
    refused(find(*arguments), message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no reviewer id: give one id per line"),
        (b"# nobody\n\n", "holds no reviewer id: give one id per line"),
        (b"ghost\nspectre\n", "nobody of the pool (2 ids) is in the index"),
        (b"\xff\xfe", "cannot read reviewer ids from"),
    ],
)
def test_a_pool_of_nobody_is_refused(find, tmp_path, content, message):
    path = tmp_path / "pool.txt"
    path.write_bytes(content)
    refused(find("--title", "x", "--pool", path), message)


def test_text_that_is_no_unicode_is_refused(demo_workspace):
    command = [sys.executable.encode(), b"-m", b"panelist", b"find", b"--title", b"caf\xe9"]
    result = subprocess.run(command, capture_output=True)
    assert result.returncode == 2
    assert result.stderr == b"error: submission 'submission' is not Unicode text: save it as UTF-8\n"


def test_a_file_of_many_submissions_is_for_run(find, tmp_path):
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"\n".join(orjson.dumps({"id": f"s{n}", "title": "cortex"}) for n in range(2)))
    refused(find(path), "holds 2 submissions: give one, or use 'panelist run' for many")


def test_a_file_needs_no_id_where_it_holds_one_submission(find, tmp_path):
    path = tmp_path / "one.json"
    path.write_bytes(orjson.dumps({"title": "Visual cortex", "abstract": "Neurons that see."}))
    code, out, err = find(path, "--json")
    assert (code, err) == (0, "")
    assert orjson.loads(out)["submission"]["title"] == "Visual cortex"


def test_without_an_index_the_command_to_build_it_is_named(find, tmp_path):
    workspace = Workspace.at(tmp_path / "empty")
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus()[:2])
    refused(find("--title", "x", "--workspace", workspace.path), "panelist index build")


def test_declared_conflicts_of_a_submission_on_the_command_line(find, tmp_path):
    """It has no id of its own: a file about one paper is about this one, and --id names it in any other."""
    question = ("--title", "visual cortex neurons", "--json")
    first = [match["author"]["id"] for match in json.loads(find(*question)[1])["matches"]]
    declared = tmp_path / "declared.csv"
    declared.write_text(f"paper,reviewer\npaper7,{first[0]}\n")
    _, out, err = find(*question, "--declared", declared)
    assert [one["reviewer"] for one in json.loads(out)["hidden"]] == [first[0]]
    assert "WARNING" not in err
    declared.write_text(f"paper,reviewer\npaper7,{first[0]}\npaper8,{first[1]}\n")
    _, out, err = find(*question, "--declared", declared)
    assert json.loads(out)["hidden"] == []
    assert f"WARNING 2 declared conflicts name no submission that was asked about: paper7,{first[0]}" in err
    _, out, err = find(*question, "--declared", declared, "--id", "paper8")
    assert [one["reviewer"] for one in json.loads(out)["hidden"]] == [first[1]]
    assert "WARNING 1 declared conflict names no submission" in err


def test_rules_of_a_venue_say_what_is_not_checked(find):
    question = ("--title", "visual cortex neurons", "--json", "--conflict-rules")
    notes = json.loads(find(*question, "acl")[1])["notes"]
    assert notes == ["not checked for conflicts, because the corpus does not have them: advisors and students"]
    assert json.loads(find(*question, "panelist")[1])["notes"] == []
    refused(find(*question, "nips"), "unknown conflict rules 'nips': use one of panelist, neurips, acl, openreview")
