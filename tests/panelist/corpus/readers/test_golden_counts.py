"""What every reader makes of its format, in golden counts."""

from importlib import import_module
from pathlib import Path

import pytest
import yaml
from catalogue_support import EUROPE_PMC, FILES
from openreview_support import make_venue
from reader_support import work, write_works
from systems_support import CMT, EASYCHAIR, EDITORIAL_MANAGER, HOTCRP, OJS, REPORTS, SCHOLARONE, export

from panelist.app.cli.corpus.import_ import app
from panelist.corpus.readers import openalex, openreview, semanticscholar, tables
from panelist.corpus.readers.committee import read_people_list
from panelist.corpus.readers.report import ReadReport, watch_files
from panelist.corpus.readers.submissions import numbered_submissions
from panelist.corpus.systems.history import read_report
from retriever.assignment.reading.tables import read_constraints, read_fields, read_people, read_quotas

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


SYSTEMS = {
    **{"easychair": EASYCHAIR, "cmt": CMT, "hotcrp": HOTCRP, "ojs": OJS, "reports": REPORTS},
    **{"editorial manager": EDITORIAL_MANAGER, "scholarone": SCHOLARONE},
    "own": {
        "people.csv": "name,shirt size,email\nAda Lovelace,M,ada@x.org\nBo Ek,L,\n,,\n",
        "lines.jsonl": '{"id": "1", "title": "Sorting", "author_emails": ["ada@x.org"]}\n{"id": "2"}\n',
        "table.csv": "id,title,abstract,e mails\n1,Sorting,We sort.,ada@x.org\n2,,,\n",
    },
}
READ = {
    "submissions": numbered_submissions,
    "people": lambda path, _: read_people(path),
    "list": lambda path, _: read_people_list(path),
    "constraints": lambda path, _: read_constraints(path),
    "bids": lambda path, _: read_fields(path, ("paper", "reviewer", "bid")),
    "pairs": lambda path, _: read_fields(path, ("paper", "reviewer", "score"), 1),
    "quotas": lambda path, _: read_quotas(path),
    "history": lambda path, report: read_report(path, report, "journal"),
}


@pytest.mark.parametrize("name", GOLDEN["systems"])
def test_each_file_of_a_system_says_what_was_read_and_what_was_not(tmp_path, name):
    system, file, kind = name.split("/")
    path, report = export(tmp_path, SYSTEMS[system]) / file, ReadReport()
    with watch_files() as files:
        read = len(list(READ[kind](path, report)))
    words = {other.name: use.words() for other, use in files.items() if use.words()}
    found = {"read": read, "rejected": report.rejected, "left out": report.left_out, "words": words}
    assert {key: value for key, value in found.items() if value} == GOLDEN["systems"][name]


def test_a_row_counts_once_however_often_the_file_is_read(tmp_path):
    path = export(tmp_path, HOTCRP) / "allprefs.csv"
    with watch_files() as files:
        for kind in ("bids", "constraints", "bids"):
            list(READ[kind](path, None))
    assert list(files[path].left_out.items()) == [("no bid", {5}), ("no conflict", {2, 4, 5})]
    assert {"preference", "conflict"} <= files[path].used


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
