"""Files of conference and journal systems are read as Panelist's own are."""

import logging

import pytest
from systems_support import CMT, EASYCHAIR, EDITORIAL_MANAGER, HOTCRP, OJS, SCHOLARONE, export

from eval.calibration.reviews import read_reviews
from eval.reviews.reading.files import read_review_file
from panelist.corpus.readers.submissions import read_submissions
from panelist.corpus.systems.columns import BID_WORDS
from panelist.errors import InputError
from panelist.records import Author, Institution
from retriever.assignment.reading.scores import conflicts_among_bids, read_scores
from retriever.assignment.reading.tables import read_fields, read_people, read_table
from retriever.conference.conflicts.declared import read_conflicts

PAIR = ("paper", "reviewer")


def fields(path, *columns, optional=0):
    return [tuple(row) for _, row in read_fields(path, columns, optional)]


def test_submissions_of_easychair_have_the_authors_of_the_file_beside_them(tmp_path, caplog):
    folder = export(tmp_path, EASYCHAIR)
    first, second = read_submissions(folder)
    assert (first.id, first.title, first.abstract) == ("1", "Sorting, fast", "We sort.\nQuickly.")
    # Ada is on the committee: the same person number gives her the member's id, and so a certain conflict.
    assert first.authors == (
        Author("11", "Ada Lovelace", None, "ada@x.org"),
        Author("easychair:72", "Bo Ek", None, "bo@y.org"),
        Author("easychair:73", "Cy Dee"),
    )
    assert first.author_names == ()
    assert first.institutions == (Institution("University of X"), Institution("Institute Y"))
    assert [author.email for author in second.authors] == ["dan@z.org"]
    assert "1 submission in" in caplog.text
    assert "marked as deleted" in caplog.text


def test_submissions_of_easychair_alone_have_names(tmp_path):
    folder = export(tmp_path, {"submission.csv": EASYCHAIR["submission.csv"]})
    first, _ = read_submissions(folder / "submission.csv")
    assert first.authors == ()
    assert first.author_names == ("Ada Lovelace", "Bo Ek", "Cy Dee")


def test_submissions_of_cmt_are_found_below_the_title_of_its_workbook(tmp_path):
    first, second = read_submissions(export(tmp_path, CMT) / "Papers.csv")
    assert (first.id, first.title, first.abstract) == ("1", "Sorting", "We sort.")
    assert [(author.id, author.name) for author in first.authors] == [
        ("ada@x.org", "Ada Lovelace"),
        ("bo@y.org", "Bo Ek"),
    ]
    assert [author.id for author in second.authors] == ["dan@z.org"]


def test_submissions_of_hotcrp(tmp_path):
    folder = export(tmp_path, HOTCRP)
    first, second = read_submissions(folder / "submissions.csv")
    assert [author.id for author in first.authors] == ["ada@x.org"]
    assert first.author_names == ("Bo Ek",)
    assert [author.id for author in second.authors] == ["dan@z.org"]
    (from_json,) = read_submissions(folder / "data.json")
    assert (from_json.id, from_json.title) == ("1", "Sorting")


def test_submissions_of_journals(tmp_path):
    (ojs,) = read_submissions(export(tmp_path / "ojs", OJS) / "articles.csv")
    orcid = "https://orcid.org/0000-0002-1825-0097"
    assert ojs.authors == (Author(orcid, "Ada Lovelace", orcid, "ada@x.org"),)
    assert ojs.author_names == ("Bo Ek",)
    for name, files, number in (("em", EDITORIAL_MANAGER, "J-1"), ("s1", SCHOLARONE, "M-1")):
        (one,) = read_submissions(export(tmp_path / name, files) / "submissions.csv")
        assert (one.id, one.title, one.author_names) == (number, "Sorting", ("Ada Lovelace", "Bo Ek"))


@pytest.mark.parametrize(
    ("files", "name", "bids"),
    [
        (EASYCHAIR, "bidding.csv", [("1", "12", "yes"), ("2", "12", "maybe"), ("2", "14", "yes"), ("2", "11", "no")]),
        (
            CMT,
            "Bids.txt",
            [("1", "finn@w.org", "Eager"), ("2", "hal@u.org", "In a pinch"), ("2", "finn@w.org", "Not Willing")],
        ),
        (HOTCRP, "allprefs.csv", [("1", "finn@w.org", "10"), ("2", "hal@u.org", "-3")]),
    ],
)
def test_bids_and_conflicts_among_them(tmp_path, files, name, bids):
    path = export(tmp_path, files) / name
    assert [one for one in fields(path, *PAIR, "bid") if one[2] != "conflict"] == bids
    assert conflicts_among_bids(path) == {"bidding.csv": [("1", "14")], "allprefs.csv": [("1", "hal@u.org")]}.get(
        name, []
    )
    assert len(read_scores(path, BID_WORDS).score) == len(bids)


@pytest.mark.parametrize(
    ("files", "name", "pair"),
    [
        (EASYCHAIR, "bidding.csv", ("1", "14")),
        (CMT, "Conflicts.xml", ("1", "hal@u.org")),
        (HOTCRP, "pcconflicts.csv", ("1", "hal@u.org")),
        (HOTCRP, "allprefs.csv", ("1", "hal@u.org")),
    ],
)
def test_conflicts_as_constraints_and_as_declared(tmp_path, files, name, pair):
    path = export(tmp_path, files) / name
    assert fields(path, *PAIR, "constraint") == [(*pair, "-1")]
    assert read_conflicts(path) == {pair[0]: (pair[1],)}


@pytest.mark.parametrize(
    ("files", "name", "pairs"),
    [
        (EASYCHAIR, "assignment.csv", [("1", "12"), ("2", "14")]),
        (CMT, "Assignments.xml", [("1", "finn@w.org"), ("2", "hal@u.org"), ("2", "finn@w.org")]),
        (HOTCRP, "pcassignments.csv", [("1", "finn@w.org"), ("2", "hal@u.org")]),
    ],
)
def test_assignments_of_systems_are_read_as_pairs(tmp_path, files, name, pairs):
    assert fields(export(tmp_path, files) / name, *PAIR, "score", optional=1) == pairs


def test_quotas_of_cmt(tmp_path):
    found = fields(export(tmp_path, CMT) / "Quotas.txt", "reviewer", "max", "min", optional=1)
    assert found == [("finn@w.org", "3"), ("hal@u.org", "1")]


@pytest.mark.parametrize(
    ("files", "name", "first"),
    [
        (
            EASYCHAIR,
            "committee.csv",
            {"reviewer": "11", "institution": "University of X", "country": "", "role": "reviewer"},
        ),
        (CMT, "Reviewers.txt", {"reviewer": "finn@w.org", "institution": "W", "country": "NO"}),
        (HOTCRP, "users.csv", {"reviewer": "finn@w.org", "institution": "W", "country": "NO", "role": "reviewer"}),
    ],
)
def test_committees_of_systems_are_read_by_column(tmp_path, files, name, first):
    columns = ("reviewer", "seniority", "institution", "country", "role", "authored")
    rows = [values for _, values in read_table(export(tmp_path, files) / name, columns)]
    assert rows[0] == first
    if files is EASYCHAIR:
        assert [row["role"] for row in rows] == ["reviewer", "reviewer", "senior PC member", "reviewer"]


@pytest.mark.parametrize(
    ("files", "name", "scores"),
    [
        (EASYCHAIR, "review.csv", {("1", "12"): -2, ("2", "14"): 3}),  # the last version of a review counts
        (CMT, "Reviews.csv", {("1", "finn@w.org"): 4, ("2", "hal@u.org"): 1}),
        (HOTCRP, "reviews.csv", {("1", "finn@w.org"): 4, ("2", "hal@u.org"): 2}),
        (OJS, "reviews.csv", {("1", "finn"): 3, ("2", "hal"): 0}),
        (EDITORIAL_MANAGER, "reviews.csv", {("J-1", "Finn Hay"): 3, ("J-1", "Hal Jones"): 0}),
        (SCHOLARONE, "reviews.csv", {("M-1", "881"): 4, ("M-1", "882"): 2}),
    ],
)
def test_scores_of_reviews(tmp_path, files, name, scores, caplog):
    table = read_reviews(export(tmp_path, files) / name)
    found = {
        (table.papers.names[paper], table.reviewers.names[who]): score
        for paper, who, score in zip(table.papers.codes, table.reviewers.codes, table.scores, strict=True)
    }
    assert found == scores
    assert ("1 review without a score" in caplog.text) == (files is OJS)


@pytest.mark.parametrize(
    ("files", "name", "text"),
    [
        (EASYCHAIR, "review.csv", "Better words about sorting, which is fast."),
        (CMT, "Reviews.csv", "The paper sorts quickly and shows it."),
        (HOTCRP, "reviews.csv", "The paper sorts quickly.\n\nPlease compare with others."),
        (OJS, "reviews.csv", "It sorts well but says little."),
        (EDITORIAL_MANAGER, "reviews.csv", "It sorts well."),
    ],
)
def test_texts_of_reviews_without_what_is_confidential(tmp_path, files, name, text):
    first = read_review_file(export(tmp_path, files) / name).reviews[0]
    assert first.text == text
    assert "Weak" not in first.text
    assert "Between us" not in str(first.columns.get("text", ""))


def test_rows_of_files_without_a_header_pass_unchanged(tmp_path):
    path = tmp_path / "bids.csv"
    path.write_text("p1,r1,high\np2,r1,conflict\np2,r2,-1\n")
    assert fields(path, *PAIR, "bid") == [("p1", "r1", "high"), ("p2", "r1", "conflict"), ("p2", "r2", "-1")]
    assert conflicts_among_bids(path) == [("p2", "r1")]
    path.write_text("p1,r1,-1\n")
    assert fields(path, *PAIR, "constraint") == [("p1", "r1", "-1")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "<assignments><submission><user email='a@b.c'/></submission></assignments>",
            "expected <submission submissionId",
        ),
        ("<assignments>", "is not XML"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><assignments/>", "declares entities"),
    ],
)
def test_xml_that_is_not_cmts_is_refused(tmp_path, content, message):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        fields(path, *PAIR, "constraint")


def test_nothing_is_logged_of_files_that_need_no_word(tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        read_reviews(export(tmp_path, CMT) / "Reviews.csv")
    assert caplog.text == ""


def test_short_rows_of_a_system_are_refused_and_not_passed_over(tmp_path):
    committee = tmp_path / "committee.csv"
    committee.write_text("#,first name,last name,email\n1,Ada,Lovelace,ada@x.example\n,Charles,Babbage,\n")
    with pytest.raises(InputError, match="line 3: reviewer is empty"):
        read_people(committee)
    declared = tmp_path / "conflicts.csv"
    declared.write_text("paper,email\n1,ada@x.example\n2\n")
    with pytest.raises(InputError, match=r"conflicts\.csv:3: expected"):
        read_conflicts(declared)
