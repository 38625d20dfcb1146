"""Reports: pages that stand alone, hold the figures of the JSON, and survive hostile names."""

import json

import numpy as np
import pytest
from page_support import Page, read_page

from eval.benchmarks.elife.benchmark import ELife
from eval.benchmarks.elife.report import compare_panels
from eval.benchmarks.lookup import answer
from eval.measures.ranking import parse_measures
from eval.measures.statistics import Figure
from eval.reports.figures import PlotLine, draw_intervals, draw_lines
from eval.reports.leaderboard import BoardRow, Leaderboard, leaderboard_report
from eval.reports.page import Folded, Prose, Report, Section, fingerprint
from eval.reports.table import Column, Table
from eval.runs import Qrels
from panelist.app import demo
from panelist.records import Submission
from retriever.affinity.model import silent
from retriever.lookup import Lookup
from retriever.search import Search

HOSTILE = "<img src=x onerror='alert(1)'>&$\\frac{_.run"


@pytest.fixture
def runs(tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 1\nq2 0 c 1\n")
    (tmp_path / "good.run").write_text("q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 a 1 9 t\nq2 Q0 c 2 8 t\n")
    (tmp_path / HOSTILE).write_text("q1 Q0 c 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 b 1 9 t\nq2 Q0 c 2 8 t\n")
    return tmp_path


def trec(panelist, runs, report):
    arguments = [runs / "qrels.txt", runs / "good.run", runs / HOSTILE, "--report", report, "--json"]
    return panelist("eval", "trec", *arguments)


def test_a_report_of_runs_holds_the_figures_and_survives_a_hostile_name(runs, panelist):
    code, out, err = trec(panelist, runs, runs / "new" / "report")
    assert (code, err) == (0, f"report: {runs / 'new' / 'report' / 'index.html'}\n")
    page = read_page(runs / "new" / "report")
    cells = {row[0]: row[1:] for row in page.rows}
    for name, means in json.loads(out)["runs"].items():
        assert {f"{value:.4f}" for value in means.values()} <= set(cells[name])
    assert HOSTILE in cells
    assert all(HOSTILE in image["alt"] for image in page.of("img"))
    assert "good.run" in page.text
    assert "panelist eval trec" in page.text
    assert fingerprint([runs / "qrels.txt", runs / "good.run", runs / HOSTILE]) in page.text


def test_a_report_replaces_its_files_and_no_others(runs, panelist):
    report = runs / "report"
    report.mkdir()
    (report / "index.html").write_text("old")
    (report / "notes.txt").write_text("mine")
    assert trec(panelist, runs, report)[0] == 0
    read_page(report)
    assert {path.name for path in report.iterdir()} == {"index.html", "measures.png", "recall.png", "notes.txt"}
    assert (report / "notes.txt").read_text() == "mine"


def test_a_report_that_cannot_be_written_is_refused_in_one_line(runs, panelist):
    for target, message in (("good.run", "it is a file, give a directory"), ("good.run/below", "cannot make")):
        code, out, err = trec(panelist, runs, runs / target)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_a_report_on_the_gold_standard(tmp_path, panelist):
    root = demo.write_gold_standard(tmp_path / "gold")
    options = ["--data", root, "--predictions", "--model", "trivial", "--report", tmp_path / "report", "--json"]
    code, out, _ = panelist("eval", "goldstandard", *options)
    assert code == 0
    page = read_page(tmp_path / "report")
    figures = json.loads(out)
    rows = [row for row in page.rows if row[0] in figures]
    for name, of in figures.items():
        mine = {cell for row in rows if row[0] == name for cell in row}
        low, high = of["loss_ci"]
        assert {f"{of['loss']:.4f}", f"[{low:.4f}, {high:.4f}]", f"{of['easy']:.4f}", f"{of['hard']:.4f}"} <= mine
    assert {path.name for path in (tmp_path / "report").iterdir()} == {"index.html", "loss.png", "triplets.png"}
    assert "24 researchers" in page.text


@pytest.fixture
def elife(tmp_path):
    works = [
        {"id": "old1", "title": "Coral reefs", "publication_year": 2015, "authorships": [{"author": {"id": "ann"}}]},
        {"id": "old2", "title": "Deep seas", "publication_year": 2016, "authorships": [{"author": {"id": "bob"}}]},
        {
            "id": "new1",
            "title": "Bleaching",
            "publication_year": 2019,
            "authorships": [{"author": {"id": "eve"}}],
        },
        {"id": "new2", "title": "Life in deep seas", "publication_year": 2020, "authorships": []},
    ]
    (tmp_path / "works").mkdir()
    (tmp_path / "works" / "part_000.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works))
    for task in ("reviewers", "authors", "cite"):
        (tmp_path / f"qrels.dev.{task}.txt").write_text("new1 0 ann 1\nnew2 0 bob 1\n")
    (tmp_path / "mine.run").write_text("new1 Q0 ann 1 0.5 mine\nnew2 Q0 ann 1 0.5 mine\n")
    return tmp_path


def test_a_report_of_a_run_on_elife(elife, tmp_path, panelist):
    options = ["--data", elife, "--run", elife / "mine.run", "--report", tmp_path / "report", "--json"]
    code, out, _ = panelist("eval", "elife", *options)
    assert code == 0
    page = read_page(tmp_path / "report")
    cells = {row[0]: row[1:] for row in page.rows}
    for task, values in json.loads(out).items():
        assert f"{values['recall@10']:.4f}" in cells[task]
    assert len(page.of("img")) == 2  # a run has no look-up to repeat with other weights


def test_a_report_of_models_on_elife(elife, tmp_path, panelist):
    options = ["--data", elife, "--model", "bm25", "--model", "tpms", "--report", tmp_path / "report", "--json"]
    code, out, _ = panelist("eval", "elife-affinity", *options)
    assert code == 0
    page = read_page(tmp_path / "report")
    cells = {row[0]: row[1:] for row in page.rows}
    for model, values in json.loads(out).items():
        assert f"{values['recall@10']:.4f}" in cells[model]


def test_a_report_of_a_run_on_exharmony(tmp_path, panelist):
    works, benchmark = tmp_path / "works.jsonl", tmp_path / "benchmark"
    demo.write_works(works, demo.corpus())
    build = ["exharmony", "build", benchmark, "--since", 2024, "--established", 5, "--works", works]
    assert panelist("eval", *build)[0] == 0
    queries = [paper for paper in demo.corpus() if paper.year == 2024]
    people = sorted({a.author.id for paper in demo.corpus() if paper.year < 2024 for a in paper.authorships})
    lines = [f"{q.id} Q0 {one} 1 {-rank} mine" for q in queries for rank, one in enumerate(people[:50])]
    judged = {line.split()[0] for line in (benchmark / "qrels.authors.txt").read_text().splitlines()}
    (tmp_path / "mine.run").write_text("".join(f"{line}\n" for line in lines if line.split()[0] in judged))
    options = ["--run", tmp_path / "mine.run", "--report", tmp_path / "report", "--json"]
    code, out, err = panelist("eval", "exharmony", "run", benchmark, *options)
    assert code == 0, err
    (mine,) = json.loads(out)["methods"].values()
    page = read_page(tmp_path / "report")
    assert len(page.of("img")) == 4
    rows = [row for row in page.rows if row[0] == mine["label"]]
    assert f"{mine['cite']['recall@100']:.3f}" in {cell for row in rows for cell in row}
    assert f"{mine['diversity']['institutions@10']:.2f}" in {cell for row in rows for cell in row}


def test_a_report_of_leaderboards_draws_what_has_figures_and_names_what_has_none(tmp_path):
    rows = (
        BoardRow(
            "ours", "panelist", {"loss": Figure(0.2, (0.1, 0.3), -0.1, (-0.2, 0.1)), "easy": Figure(0.9, (0.8, 1.0))}
        ),
        BoardRow("theirs", "printed", {"loss": Figure(0.3)}),
        BoardRow("heavy", "panelist", note="not available: fetch it first"),
        BoardRow("alike", "panelist", {"loss": Figure(0.5, (0.5, 0.5)), "easy": Figure(0.0, (0.0, 0.0))}),
    )
    board = Leaderboard("Stated expertise", ("loss", "easy"), "theirs", rows)
    leaderboard_report({"gold": board}, {"gold": [board.table("loss", "easy")]}, {}).write(tmp_path)
    page = read_page(tmp_path)
    (image,) = page.of("img")
    assert "ours 0.200 (0.100 to 0.300); theirs 0.300." in image["alt"]
    assert "theirs not available" in image["alt"]
    assert "heavy" not in image["alt"]
    assert "alike" not in image["alt"]
    assert "alike" in {row[0] for row in page.rows}
    assert ["heavy", "—", "—", "—", "—", "—", "not available: fetch it first"] in page.rows


def test_blocks_are_escaped():
    table = Table("<t>", (Column("<c>"), Column("x")), (("<r>", 1.0),), "<n>")
    section = Section("<s>", (Prose("<p>"), Folded("<f>", table)))
    page = Page(Report("<h>", "<l>", (section,), {"<k>": "<v>"}).html())
    for text in ("<h>", "<l>", "<s>", "<p>", "<f>", "<t>", "<c>", "<r>", "<n>", "<k>", "<v>"):
        assert text in page.words, text


@pytest.mark.parametrize("name", ["_hidden", "$\\frac{", "模型", "a\nb\x00c", "x" * 300, "", "word " * 40])
def test_any_name_can_be_drawn(name):
    pictures = [
        draw_lines(
            "l", [1, 2], {name: PlotLine([0.1, 0.2], [0.0, 0.1], [0.2, 0.3]), "b": PlotLine([0.2, 0.3])}, "x", "y"
        ),
        draw_intervals("i", {name or "m": {name: Figure(0.2, (0.1, 0.3)), "b": None}}, marked=name),
    ]
    for picture in pictures:
        assert picture.png.startswith(b"\x89PNG")
        assert name in picture.alt
    assert "not available" in pictures[1].alt


def test_a_fingerprint_knows_names_and_contents_but_not_the_folder(tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder / "works").mkdir(parents=True)
        (tmp_path / folder / "works" / "a").write_text("a")
    first, second = (fingerprint([tmp_path / folder / "works"]) for folder in ("one", "two"))
    assert first == second
    (tmp_path / "two" / "works" / "a").write_text("b")
    assert fingerprint([tmp_path / "two" / "works"]) != first


@pytest.fixture(scope="module")
def asked():
    """Corpus papers as submissions, with their authors; who is cited is right."""
    papers = {paper.id: paper for paper in demo.corpus()}
    later = [paper for paper in papers.values() if paper.year >= 2023 and paper.references][:30]
    queries = [Submission(p.id, p.title, p.abstract, tuple(a.author for a in p.authorships)) for p in later]
    cited = [sorted({a.author.id for r in p.references for a in papers[r].authorships}) for p in later]
    people = sorted({one for row in cited for one in row})
    pairs = [(row, people.index(one)) for row, ones in enumerate(cited) for one in ones]
    query, doc = np.array(pairs, dtype=np.int64).T
    qrels = Qrels.of([q.id for q in queries], people, query, doc, np.ones(len(pairs), dtype=np.int64))
    return ELife((), tuple(queries), {"reviewers": qrels})


def panels(finder, asked, queries, size, *weights):
    lookup = Lookup(size=size, search=Search("lexical"), conflicts="ignore")
    ways = {str(weight): (weight, None) for weight in weights}
    found = compare_panels(finder, queries, asked.qrels["reviewers"], lookup, ways)
    return [{name: ratio.value for name, ratio in of.items()} for of in found.values()]


def test_without_diversity_panels_are_the_plain_ranking(demo_finder, asked):
    (plain,) = panels(demo_finder, asked, asked.queries, 10, 0.0)
    deep = Lookup(size=60, search=Search("lexical"), conflicts="ignore")
    run = answer(demo_finder, asked.queries, deep, silent)
    expected = asked.score_run(run, parse_measures("ndcg@10,recall@10"))["reviewers"]
    assert {name: plain[name] for name in ("ndcg@10", "recall@10")} == pytest.approx(
        {name: expected[name] for name in ("ndcg@10", "recall@10")}
    )


def test_panels_vary_as_those_of_the_finder_do(demo_finder, asked):
    weights = [0.0, 0.4, 1.0]
    anonymous = [demo.submissions()[2], demo.submissions()[3]]  # without authors: nobody is taken out
    for weight, of in zip(weights, panels(demo_finder, asked, anonymous, 8, *weights), strict=True):
        wanted = Lookup(size=8, search=Search("lexical"), conflicts="ignore", diversity=weight)
        found = [demo_finder.find(one, wanted).diversity for one in anonymous]
        for name in ("institutions", "countries", "sigma_papers", "sigma_citations"):
            expected = np.mean([getattr(one, name) for one in found])
            assert of[name.replace("sigma_", "σ ")] == pytest.approx(expected)


def test_variety_rises_and_relevance_falls_with_the_weight(demo_finder, asked):
    first, middle, last = panels(demo_finder, asked, asked.queries, 10, 0.0, 0.5, 1.0)
    assert first["institutions"] < middle["institutions"] <= 10
    assert first["countries"] < last["countries"]
    assert first["ndcg@10"] > last["ndcg@10"]
