"""What a system gives comes back as what it takes, and no assignment leaves with a conflict in it."""

from collections import Counter

import pytest
from systems_support import CMT, EASYCHAIR, HOTCRP, export

from retriever.assignment.reading.tables import read_fields


def test_round_trip_of_easychair(panelist, tmp_path):
    folder = export(tmp_path, EASYCHAIR)
    scores = tmp_path / "scores.csv"
    merit = {"11": 0.1, "12": 0.5, "14": 0.9}
    scores.write_text("".join(f"{paper},{who},{score}\n" for paper in "12" for who, score in merit.items()))
    own, out = tmp_path / "own.csv", tmp_path / "out.csv"
    options = ("--demand", 1, "--max", 1, "--method", "total")
    code, _, error = panelist("assign", scores, "-o", own, "--bids", folder / "bidding.csv", *options)
    assert (code, error) == (0, f"{folder / 'bidding.csv'}: column 'member name' was not used\n")
    # Hal scores highest on both, but declared a conflict with paper 1 where he bid.
    assert own.read_text().splitlines()[0].startswith("1,12,")
    code, said, _ = panelist(
        *("export", "easychair", own, "-o", out, "--committee", folder / "committee.csv"),
        *("--conflicts", folder / "bidding.csv"),
    )
    assert (code, said) == (0, f"2 pairs for easychair in {out}\n")
    assert out.read_text() == EASYCHAIR["assignment.csv"]


@pytest.mark.parametrize(
    ("system", "files", "name"),
    [
        ("easychair", EASYCHAIR, "assignment.csv"),
        ("cmt", CMT, "Assignments.xml"),
        ("hotcrp", HOTCRP, "pcassignments.csv"),
    ],
)
def test_an_assignment_is_written_as_the_system_writes_its_own(panelist, tmp_path, system, files, name):
    """What a system gives out as its assignment is made again by `assign --format`, from scores of the same pairs."""
    folder = export(tmp_path, files)
    given = [row[:2] for _, row in read_fields(folder / name, ("paper", "reviewer", "score"), 1)]
    scores, out = tmp_path / "scores.csv", tmp_path / "out"
    scores.write_text("".join(f"{paper},{who},0.5\n" for paper, who in given))
    demands = tmp_path / "demands.csv"
    demands.write_text("".join(f"{paper},{n}\n" for paper, n in Counter(paper for paper, _ in given).items()))
    more = ["--reviewers", folder / "committee.csv"] if system == "easychair" else []
    code, _, error = panelist(
        *("assign", scores, "-o", out, "--format", system, "--demands", demands, "--max", 9, *more),
    )
    told = f"{folder / 'committee.csv'}: columns 'person #', 'web page' were not used\n"
    assert (code, error) == (0, told if more else "")
    assert sorted(row[:2] for _, row in read_fields(out, ("paper", "reviewer", "score"), 1)) == sorted(given)
    if system == "easychair":
        assert out.read_text() == files[name]


def test_the_format_of_a_system_needs_a_file_and_its_ids(panelist, tmp_path):
    (tmp_path / "scores.csv").write_text("1,14,0.5\n")
    assert "say where it goes" in panelist("assign", tmp_path / "scores.csv", "--format", "cmt", "--json")[2]
    told = panelist("assign", tmp_path / "scores.csv", "-o", tmp_path / "o", "--format", "cmt", "--demand", 1)[2]
    assert "cmt knows people by e-mail address" in told


@pytest.mark.parametrize(
    ("system", "files", "name", "kind"),
    [
        ("cmt", CMT, "Assignments.xml", "assignment"),
        ("cmt", CMT, "Conflicts.xml", "conflicts"),
        ("hotcrp", HOTCRP, "pcassignments.csv", "assignment"),
        ("hotcrp", HOTCRP, "pcconflicts.csv", "conflicts"),
        ("easychair", EASYCHAIR, "assignment.csv", "assignment"),
        ("easychair", EASYCHAIR, "bidding.csv", "conflicts"),
        ("openreview", HOTCRP, "pcconflicts.csv", "conflicts"),
    ],
)
def test_what_is_written_reads_back(panelist, tmp_path, system, files, name, kind):
    given, out = export(tmp_path, files) / name, tmp_path / "out.txt"
    columns = ("paper", "reviewer", "constraint" if kind == "conflicts" else "score")
    assert panelist("export", system, given, "-o", out, "--kind", kind)[0] == 0
    read = [[row[:2] for _, row in read_fields(path, columns, 1)] for path in (given, out)]
    assert read[0] == read[1] != []


def test_scores_for_cmt(panelist, tmp_path):
    (tmp_path / "scores.csv").write_text("1,finn@w.org,0.25\n1,hal@u.org,0.5\n")
    assert panelist("export", "cmt", tmp_path / "scores.csv", "-o", tmp_path / "out.xml", "--kind", "scores")[0] == 0
    text = (tmp_path / "out.xml").read_text()
    assert text.startswith(
        '<?xml version="1.0" encoding="utf-8"?>\n<reviewermatching>\n  <submission submissionId="1">\n'
    )
    assert '<reviewer email="hal@u.org" score="0.5" source="Panelist" />' in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["easychair", "own.csv", "--conflicts", "bidding.csv"],
            "1 pair in conflict, so nothing was written: 1 14 (decl",
        ),
        (["hotcrp", "own.csv"], "hotcrp knows people by e-mail address, received the reviewer '14'"),
        (["easychair", "own.csv", "--kind", "scores"], "easychair takes no file of scores"),
        (["easychair", "own.csv", "--committee", "bidding.csv"], "has no names of reviewers"),
    ],
)
def test_what_cannot_be_written_is_refused(panelist, tmp_path, arguments, message, monkeypatch):
    monkeypatch.chdir(export(tmp_path, EASYCHAIR))
    (tmp_path / "own.csv").write_text("1,14,0.5\n")
    code, _, error = panelist("export", *arguments, "-o", "out.csv")
    assert code == 2
    assert message in error
    assert not (tmp_path / "out.csv").exists()


def test_the_conflict_table_beside_an_assignment_is_asked(panelist, tmp_path):
    from panelist.records import Conflict, ConflictKind
    from retriever.conference.conflicts.table import ConflictTable, conflicts_beside, write_table

    own = tmp_path / "own.csv"
    own.write_text("1,https://orcid.org/0000-0002-1825-0097,0.5\n")
    code, said, _ = panelist("export", "openreview", own, "-o", tmp_path / "out.csv")
    assert (code, "not checked for conflicts" in said) == (0, True)
    found = Conflict("1", "0000-0002-1825-0097", ConflictKind.AUTHOR, "author of the submission")
    write_table(ConflictTable.grouped([found]), conflicts_beside(own))
    code, _, error = panelist("export", "openreview", own, "-o", tmp_path / "out.csv")
    assert (code, "author of the submission" in error) == (2, True)


@pytest.mark.parametrize(
    ("system", "written"),
    [
        ("hotcrp", "paper,action,email\n1,primary,hal@u.org\n"),
        ("cmt", '<user email="hal@u.org" />'),
        ("easychair", "member #,member name,submission #\n14,Hal Jones,1\n"),
    ],
)
def test_people_of_the_corpus_are_written_as_the_system_knows_them(panelist, tmp_path, monkeypatch, system, written):
    """From ids of the corpus to addresses by what `committee match` wrote, from these to EasyChair's numbers."""
    monkeypatch.chdir(export(tmp_path, EASYCHAIR))
    (tmp_path / "own.csv").write_text("1,https://openalex.org/A5,0.5\n")
    (tmp_path / "reviewers.csv").write_text(
        "reviewer,name,email,match,evidence\nhttps://openalex.org/A5,Hal Jones,hal@u.org,none,\n"
    )
    code, _, error = panelist("export", system, "own.csv", "-o", "out")
    assert (code, "takes the addresses as --committee FILE" in error) == (2, True)
    files = ["--committee", "reviewers.csv", "--committee", "committee.csv"]
    code, _, error = panelist("export", system, "own.csv", "-o", "out", *files)
    assert code == 0, error
    assert "reviewers.csv" not in error  # no column of our own is called unused
    assert written in (tmp_path / "out").read_text()
    for person in ("https://openalex.org/A5", "hal@u.org", *(["14"] if system == "easychair" else [])):
        (tmp_path / "coi.csv").write_text(f"paper,reviewer\n1,{person}\n")  # under any id of the person
        code, _, error = panelist("export", system, "own.csv", "-o", "none", *files, "--conflicts", "coi.csv")
        assert (code, "in conflict, so nothing was written" in error) == (2, True), person
    (tmp_path / "reviewers.csv").write_text("reviewer,name,email\nhttps://openalex.org/A5,Hal Jones,\n")
    code, _, error = panelist("export", system, "own.csv", "-o", "none", *files)
    assert (code, "1 reviewer has no" in error) == (2, True)
    assert not (tmp_path / "none").exists()
