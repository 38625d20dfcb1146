"""What every reader makes of its format, in golden counts."""

from importlib import import_module
from pathlib import Path

import pytest
import yaml
from catalogue_support import EUROPE_PMC, FILES
from openreview_support import make_venue
from reader_support import work, write_works

from panelist.app.cli.corpus.import_ import app
from panelist.corpus.readers import openalex, openreview, semanticscholar, tables
from panelist.corpus.readers.report import ReadReport

GOLDEN = yaml.safe_load((Path(__file__).parents[3] / "golden" / "readers.yaml").read_text())
CATALOGUES = {**FILES, "pubmed of Europe PMC": ("results.xml", EUROPE_PMC)}
EXPERTISE = "reviewer,paper,title,abstract\n~Ada1,p1,On wool,We knit.\n~Ben1,p1,On wool,We knit.\n~Ben1,p2,,\n"


def counts(papers, report):
    papers = list(papers)
    authorships = [one for paper in papers for one in paper.authorships]
    return {
        "papers": len(papers),
        "authors": len({one.author.id for one in authorships}),
        "institutions": len({place for one in authorships for place in one.institutions}),
        "references": sum(len(paper.references) for paper in papers),
        "emails": sum(one.author.email is not None for one in authorships),
        "retracted": sum(paper.retracted for paper in papers),
        "rejected": report.rejected,
        "left_out": report.unidentified_authors,
    }


def read_catalogue(name, path):
    module = import_module(f"panelist.corpus.readers.catalogues.{name}")
    report = ReadReport()
    return counts(getattr(module, "READER", module).read([path], report), report)


def read_invented(name, folder):
    report = ReadReport()
    if name == "openalex":
        person = {"author": {"id": "A1", "display_name": "Ada"}, "institutions": [{"display_name": "U", "ror": "r"}]}
        works = [work(1, authorships=[person, {}], referenced_works=["W2"]), work(2, is_retracted=True), {"id": 3}]
        return counts(openalex.read([write_works(folder / "w.jsonl", works)], report), report)
    if name == "semanticscholar":
        records = [
            {"paperId": "p1", "title": "T", "authors": [{"authorId": "7", "name": "Ada"}, {"name": "Ben"}]},
            {"corpusid": 2, "title": "U", "references": [{"paperId": "p1"}, {"paperId": None}]},
            {"title": "without an id"},
        ]
        return counts(semanticscholar.read([write_works(folder / "p.jsonl", records)], report), report)
    if name == "openreview":
        return counts(openreview.read(make_venue(folder / "venue"), report), report)
    (folder / "e.csv").write_text(EXPERTISE)
    return counts(tables.read([folder / "e.csv"], report), report)


@pytest.mark.parametrize("name", GOLDEN["invented"])
def test_counts_of_invented_files_are_as_recorded(tmp_path, name):
    if name in CATALOGUES:
        path = tmp_path / CATALOGUES[name][0]
        path.write_text(CATALOGUES[name][1])
        found = read_catalogue(name.partition(" ")[0], path)
    else:
        found = read_invented(name, tmp_path)
    assert found == GOLDEN["invented"][name]


@pytest.mark.data
@pytest.mark.parametrize("folder", GOLDEN["real"])
def test_counts_of_real_files_are_as_recorded(data_dir, folder):
    report = ReadReport()
    if folder == "goldstandard":
        papers = semanticscholar.read([data_dir / folder], report)
    elif folder == "goldstandard/openreview/d_20_1":
        papers = openreview.read(data_dir / folder, report)
    else:
        papers = openalex.read([data_dir / folder], report)
    assert counts(papers, report) == GOLDEN["real"][folder]


def test_every_reader_has_counts():
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert sorted(commands) == sorted({name.partition(" ")[0] for name in GOLDEN["invented"]})
