"""`panelist import`: exit codes, one-line messages, and nothing already imported is ever lost."""

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial

import pytest
from catalogue_support import FILES, JATS
from waiting import until

from panelist.corpus.sqlite import SqliteStore


@pytest.fixture(autouse=True)
def _embedded_store(monkeypatch):
    monkeypatch.delenv("PANELIST_MONGO_URI", raising=False)


@pytest.fixture
def run(panelist, tmp_path):
    """Run a command on the test's workspace."""
    return lambda *arguments: panelist(*arguments, "--workspace", tmp_path / "w")


def work(number, author="A1", **fields):
    authorships = [{"author": {"id": author, "display_name": author}}] if author else []
    return {"id": f"W{number}", "title": f"Title {number}", "authorships": authorships} | fields


def lines(*works):
    return "".join(json.dumps(each) + "\n" for each in works).encode()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def stored(tmp_path):
    with SqliteStore(tmp_path / "w/corpus.sqlite") as corpus:
        return {paper.id: paper for paper in corpus.iter_papers()}


def test_an_import_can_be_counted_and_repeated(run, tmp_path):
    works = lines(work(1, abstract="Text"), work(2, "A2"), work(3, None), work(2, "A3", title="Last"), {"id": "W 4"})
    path = write(tmp_path / "works.jsonl.gz", gzip.compress(works))
    expected = {
        "papers": 3,
        "authors": 3,
        "without_abstract": 2,
        "duplicates": 1,
        "unidentified_authors": 0,
        "rejected": 1,
        "rejections": [
            {"file": str(path), "line": 5, "reason": "id: 'W 4' is not allowed: it contains whitespace"},
        ],
    }
    for _ in range(2):
        code, out, err = run("import", "openalex", path, "--json")
        assert (code, json.loads(out), err) == (0, expected, "")
        code, out, _ = run("corpus", "stats", "--json")
        assert json.loads(out) == {"papers": 3, "authors": 2, "without_abstract": 2}
    assert stored(tmp_path)["W2"].title == "Last"
    assert stored(tmp_path)["W3"].authorships == ()


def test_the_summary_for_people_names_the_first_rejections(run, tmp_path):
    path = write(tmp_path / "works.jsonl", lines(work(1)) + b"oops\n" * 7)
    code, out, err = run("import", "openalex", path)
    assert code == 0
    assert [line.split(maxsplit=1) for line in out.splitlines()] == [
        ["1", "papers"],
        ["1", "authors"],
        ["1", "without abstract"],
        ["7", "rejected"],
    ]
    assert err.count("\n") == 6
    assert err.startswith(f"rejected {path}:2: not JSON: ")
    assert "… and 2 more" in err


def test_strict_imports_the_good_and_exits_with_1(run, tmp_path):
    path = write(tmp_path / "works.jsonl", lines(work(1), {"id": None}, work(2)))
    assert run("import", "openalex", path, "--strict")[0] == 1
    assert set(stored(tmp_path)) == {"W1", "W2"}
    path = write(tmp_path / "clean.jsonl", lines(work(3)))
    assert run("import", "openalex", path, "--strict")[0] == 0


def test_a_dry_run_writes_nothing(run, tmp_path):
    path = write(tmp_path / "works.jsonl", lines(work(1), work(2), work(1)) + b"oops")
    code, out, _ = run("import", "openalex", path, "--dry-run", "--json")
    assert code == 0
    assert {name: json.loads(out)[name] for name in ("papers", "duplicates", "rejected")} == {
        "papers": 2,
        "duplicates": 1,
        "rejected": 1,
    }
    assert not (tmp_path / "w").exists()
    assert run("import", "openalex", path, "--dry-run", "--strict")[0] == 1


ZIPPED = gzip.compress(lines(*[work(number, title=f"T{random.Random(number).random()}") for number in range(500)]))
NASTY = {
    "empty": b"",
    "blank": b"\n\n",
    "noise": random.Random(5).randbytes(50_000),
    "long line": b"x" * 10_000_000,
    "cut within the header": ZIPPED[:8],
    "not a work": b"[]\n5\n",
}


@pytest.mark.parametrize("content", NASTY.values(), ids=NASTY)
def test_a_file_without_any_paper_is_one_line_and_changes_nothing(run, tmp_path, content):
    path = write(tmp_path / "nasty.jsonl", content)
    code, out, err = run("import", "openalex", path)
    assert (code, out) == (2, "")
    assert err.startswith("error: no paper could be read: ")
    assert str(path) in err
    assert err.count("\n") == 1
    assert not (tmp_path / "w").exists()

    run("import", "openalex", write(tmp_path / "good.jsonl", lines(work(1))))
    assert run("import", "openalex", path)[0] == 2
    assert set(stored(tmp_path)) == {"W1"}


def test_a_truncated_part_costs_only_what_is_cut_off(run, tmp_path):
    write(tmp_path / "works/a.jsonl.gz", ZIPPED[: len(ZIPPED) // 2])
    write(tmp_path / "works/b.jsonl", b"")
    write(tmp_path / "works/c.jsonl", lines(work(1000)))
    code, _, err = run("import", "openalex", tmp_path / "works", "--strict")
    assert code == 1
    assert "the file is cut off" in err
    assert "b.jsonl: the file is empty" in err
    assert "W1000" in stored(tmp_path)
    assert 150 < len(stored(tmp_path)) < 500


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["openalex", "nowhere.jsonl"], "no such file or directory: 'nowhere.jsonl'"),
        (["openalex", "."], "directory '.' holds no file ending in .jsonl or .ndjson or .gz"),
        (["openreview", "."], "'.' has no directory 'archives'"),
        (["csv", "nowhere.csv"], "no such file or directory: 'nowhere.csv'"),
        (["semanticscholar", "nowhere"], "no such file or directory: 'nowhere'"),
        (["openalex"], "Missing argument"),
    ],
)
def test_what_cannot_be_found_is_one_line(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("import", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "w").exists()


def test_the_other_formats_arrive_in_the_corpus(run, tmp_path):
    note = {"id": "n1", "content": {"title": "A note", "abstract": "Text"}}
    write(tmp_path / "or/archives/~A1.jsonl", lines(note))
    write(tmp_path / "or/archives/~B1.jsonl", lines(note))
    assert run("import", "openreview", tmp_path / "or", "--strict")[0] == 0
    write(tmp_path / "e.csv", b"~A1,p1,A paper,Text\n~C1,p1,A paper,Text\n")
    assert run("import", "csv", tmp_path / "e.csv", "--strict")[0] == 0
    papers = write(tmp_path / "ss/papers.jsonl", lines({"ssId": "s1", "title": "A third"}))
    people = write(tmp_path / "people.jsonl", lines({"authorId": "7", "name": "Ada", "papers": [{"paperId": "s1"}]}))
    assert run("import", "semanticscholar", papers, "--people", people, "--strict")[0] == 0
    authors = {
        paper_id: [authorship.author.id for authorship in paper.authorships]
        for paper_id, paper in stored(tmp_path).items()
    }
    assert authors == {"n1": ["~A1", "~B1"], "p1": ["~A1", "~C1"], "s1": ["7"]}


def test_an_interruption_keeps_what_was_committed(tmp_path):
    pipe = tmp_path / "works.jsonl"
    os.mkfifo(pipe)
    # Whoever runs the tests in the background has the interrupt ignored, and children inherit that.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from panelist.app.cli.main import main; main(sys.argv[1:])"
    )
    arguments = ["import", "openalex", str(pipe), "--workspace", str(tmp_path / "w")]
    with subprocess.Popen([sys.executable, "-c", code, *arguments], stderr=subprocess.PIPE, text=True) as process:
        try:
            with pipe.open("wb") as feed:
                feed.write(lines(*[work(number, title="t" * 200) for number in range(6000)]))
                feed.flush()
                until(lambda: _committed(tmp_path) >= 2000)
                process.send_signal(signal.SIGINT)
                with suppress(BrokenPipeError):
                    while process.poll() is None:  # a signal within a read is noticed at its end: let it end
                        os.write(feed.fileno(), b"\n" * 65_536)
                        time.sleep(0.05)
            _, err = process.communicate()
        finally:
            process.kill()
    assert process.returncode == 130
    assert err == "interrupted: what was committed is kept, run the same command again to complete it\n"
    assert 2000 <= len(stored(tmp_path)) < 6000


def _committed(tmp_path):
    if not (tmp_path / "w/corpus.sqlite").exists():
        return 0
    with SqliteStore(tmp_path / "w/corpus.sqlite") as corpus:
        return corpus.counts().papers


def test_abstracts_of_the_bulk_data_set_come_from_files_of_their_own(run, tmp_path):
    papers = [{"corpusid": n, "title": f"Title {n}", "authors": [{"authorId": "7", "name": "Ada"}]} for n in (1, 2)]
    texts = [{"corpusid": n, "abstract": text} for n, text in ((1, "On wool."), (2, None), (9, "x"))]
    files = write(tmp_path / "papers.jsonl", lines(*papers)), write(tmp_path / "a.jsonl", lines(*texts) + b"noise\n")
    code, _, errors = run("import", "semanticscholar", files[0], "--abstracts", files[1])
    assert (code, "abstracts given to 1 paper, 1 rejected: " in errors) == (0, True)
    with SqliteStore(tmp_path / "w" / "corpus.sqlite") as store:
        assert {one.id: one.abstract for one in store.iter_papers()} == {"CorpusId:1": "On wool.", "CorpusId:2": ""}


def snapshot(tmp_path, parts=5):
    """A snapshot as OpenAlex lays it out, with works that were merged."""
    works = tmp_path / "snapshot" / "data" / "works"
    for part in range(parts):
        content = gzip.compress(lines(*(work(part * 10 + n, f"A{n}") for n in range(10))) + b"noise\n")
        write(works / f"updated_date=2024-01-0{part + 1}" / "part_000.gz", content)
    merged = b"merge_date,id,merge_into_id\n2024-01-01,W3,W4\n2024-01-01,W999,W4\n"
    write(tmp_path / "snapshot" / "data" / "merged_ids" / "works" / "2024-01-01.csv.gz", gzip.compress(merged))
    return works


def test_workers_import_a_snapshot_without_merged_works(run, tmp_path):
    works = snapshot(tmp_path)
    merged = b"merge_date,id,merge_into_id\n2024-01-01,A5,A6\n2024-01-01,https://openalex.org/A7,A8\n"
    write(tmp_path / "snapshot" / "data" / "merged_ids" / "authors" / "2024-01-01.csv.gz", gzip.compress(merged))
    write(tmp_path / "w" / "removed.json", b'{"ids": ["A8"], "emails": []}')
    code, shown, errors = run("import", "openalex", works, "--executor", "processes:2", "--json")
    assert code == 0, errors
    summary = json.loads(shown)
    assert (summary["papers"], summary["rejected"], summary["parts_before"]) == (50, 5, 0)
    with SqliteStore(tmp_path / "w" / "corpus.sqlite") as store:
        assert {paper.id for paper in store.iter_papers()} == {f"W{n}" for n in range(50)} - {"W3"}
        # A5 is A6 now, and not twice on a paper; A7 became somebody who was erased.
        assert store.papers_of(["A5", "A6"]) == {"A6": tuple(sorted(f"W{n}" for n in range(50) if n % 10 in (5, 6)))}
        assert store.papers_of(["A7", "A8"]) == {}
    left = {path.name.partition(".")[0] for path in (tmp_path / "w").iterdir()}
    assert left == {"corpus", "removed"}


def test_a_list_of_merged_works_that_is_cut_off_is_reported(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    from indexing.jobs.executors import Workers, in_order
    from panelist.corpus.parts import import_parts
    from panelist.corpus.readers import openalex

    files = openalex.find([snapshot(tmp_path, parts=1)])
    (merged,) = (tmp_path / "snapshot" / "data" / "merged_ids" / "works").iterdir()
    merged.write_bytes(merged.read_bytes()[:-9])
    with ThreadPoolExecutor(1) as pool, SqliteStore(tmp_path / "corpus.sqlite") as store:
        summary, _ = import_parts(files, store, tmp_path, partial(in_order, Workers(pool, 1)))
        assert store.counts().papers == 9  # the lines before the cut count
    assert summary.rejected == 2
    assert "cut off" in summary.rejections[0].reason


def test_an_interrupted_import_by_workers_resumes_with_the_first_part_that_is_missing(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    from indexing.jobs.executors import Workers, in_order
    from panelist.corpus.parts import import_parts
    from panelist.corpus.readers import openalex

    files = openalex.find([snapshot(tmp_path)])
    seen = []

    class Interrupted(SqliteStore):
        def upsert(self, papers):
            seen.append(len(seen))
            if len(seen) == 3:
                raise KeyboardInterrupt
            return super().upsert(papers)

    with ThreadPoolExecutor(2) as pool:
        run = partial(in_order, Workers(pool, 2))
        with Interrupted(tmp_path / "corpus.sqlite") as store, pytest.raises(KeyboardInterrupt):
            import_parts(files, store, tmp_path, run)
        with SqliteStore(tmp_path / "corpus.sqlite") as store:
            assert store.counts().papers == 20
            summary, before = import_parts(files, store, tmp_path, run)
            assert (summary.papers, before) == (30, 2)
            assert store.counts().papers == 49
            # A finished import starts over, as one does into another corpus.
            assert import_parts(files, store, tmp_path, run)[1] == 0


@pytest.mark.parametrize("name", FILES)
def test_every_catalogue_is_imported(run, tmp_path, name):
    file, content = FILES[name]
    path = write(tmp_path / "in" / file, content.encode("latin-1" if name == "dblp" else "utf-8"))
    code, out, err = run("import", name, path, "--json")
    assert (code, json.loads(out)["papers"]) == (0, 2 if name == "crossref" else 1), err


def test_a_notice_marks_the_paper_that_it_retracts_whichever_comes_first(run, tmp_path):
    flax = {"DOI": "10.5/Flax", "title": ["Looms of flax"]}
    notice = {"DOI": "10.5/n", "title": ["Retraction"], "update-to": [{"DOI": "10.5/flax", "type": "retraction"}]}
    for works in ([flax, notice], [notice, flax]):
        path = write(tmp_path / "works.jsonl", lines(*works))
        assert run("import", "crossref", path)[0] == 0
        with SqliteStore(tmp_path / "w" / "corpus.sqlite") as corpus:
            assert corpus.papers(["doi:10.5/flax"])["doi:10.5/flax"].retracted


def test_named_reviewers_become_judgements(run, tmp_path):
    older = JATS.replace("Engines.00003", "older").replace("Charles", "Emmy").replace("Babbage", "Noether")
    assert run("import", "jats", write(tmp_path / "older" / "a.xml", older.encode()))[0] == 0
    later, out = write(tmp_path / "later" / "b.xml", JATS.encode()), tmp_path / "qrels.txt"
    assert run("eval", "qrels", later, "--out", out)[0] == 0
    assert out.read_text() == "doi:10.1234/engines.00003 0 name:emmy_noether 1\n"
    assert run("eval", "qrels", later, "--out", out, "--role", "editor")[0] == 2
