"""What a chair sends is read, checked with line numbers, and kept as a whole or not at all."""

import gzip
import json

import conference_support
import pytest
from conference_support import Live, note, open_conferences, openreview_folder, zipped
from panel_support import at, paper
from systems_support import CMT, EASYCHAIR, HOTCRP
from web_support import pdf

from panelist.app.desk.conference.contents import (
    file_content,
    file_records,
    load_committee,
    load_profiles,
    load_reviewers,
    load_submissions,
)
from panelist.app.desk.conference.findings import RefusedError
from panelist.app.desk.conference.intake.accept import leave_out, plain_name, remove
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.desk.errors import NotFoundError, RevisionConflictError
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from retriever.conference.conference import Conference


@pytest.fixture
def conferences(tmp_path):
    return open_conferences(tmp_path)


@pytest.fixture
def corpus(tmp_path):
    with SqliteStore(tmp_path / "corpus.sqlite") as store:
        store.upsert([paper("p1", at("a1")), paper("p2", at("a2"))])
        yield store


@pytest.fixture
def made(conferences):
    return Live(conferences, {})


@pytest.fixture
def send(conferences, corpus, made):
    def send(kind, content, name=None, **options):
        conference_support.send(
            conferences, made.id, kind, plain_name(name or f"{kind}.csv"), content, corpus, **options
        )
        return file_records(made.now)[kind] if kind != "openreview" else file_records(made.now)

    return send


def odd(record):
    return {oddity.what.split(":")[0]: [(found.line, found.text) for found in oddity.where] for oddity in record.odd}


def test_submissions_are_read_and_what_is_odd_has_its_line(send, made):
    text = (
        "id,title,abstract,authors,authorids,e mails\ns1,A title,An abstract,Ann,~Ann1,a@x.org\ns2,B,,,,\n"
        "s3,A title,An abstract,Bob Builder,,\n"
    )
    record = send("submissions", text)
    assert record.summary == "3 submissions, 1 without an abstract"
    assert odd(record) == {
        "submissions without authors": [(3, "s2")],
        "submissions whose authors have no ids": [(4, "s3")],
        "submissions that come twice under different ids": [(4, "s3 has the same title and abstract as s1")],
        "parts that this file is not read for": [(0, "column 'e mails' was not used")],
    }
    assert [submission.id for submission in load_submissions(made.now)] == ["s1", "s2", "s3"]
    assert load_submissions(made.now)[0].authors[0].id == "~Ann1"


def test_what_submissions_cite_may_lie_beside_them_in_the_archive(send, made):
    cited = "@article{a, author = {Lovelace, Ada}, title = {Of tides and of storms in winter}, year = 2017}"
    files = {"submissions.csv": "id,title,abstract\ns1,A title,\ns2,B title,\n", "s1.bib": cited}
    record = send("submissions", zipped(files), "submissions.zip")
    assert record.summary == "2 submissions, 2 without an abstract, 1 with references"
    first, second = load_submissions(made.now)
    assert first.references == ("Ada Lovelace. Of tides and of storms in winter. 2017",)
    assert second.references == ()
    with pytest.raises(InputError, match=r"'s3.bib' .*no submission"):
        send("submissions", zipped({**files, "s3.bib": cited}), "submissions.zip")


def test_what_submissions_cite_is_read_from_their_pdfs(send, made):
    line = "{}. Lovelace A. Of tides and of storms in winter {}. Journal of Weather, 2017."
    cited = [(10, line.format(number, number)) for number in (1, 2, 3)]
    paper = pdf((18, "On storms"), (12, "References"), *cited)
    files = {"submissions.csv": "id,title,abstract\ns1,A title,\ns2,B title,\n", "s1.pdf": paper}
    record = send("submissions", zipped({**files, "s2.pdf": pdf((18, "Nothing cited"))}), "submissions.zip")
    assert record.summary == "2 submissions, 2 without an abstract, 1 with references"
    printed = "A Lovelace. Of tides and of storms in winter {}. 2017"
    assert load_submissions(made.now)[0].references == tuple(map(printed.format, (1, 2, 3)))
    advice = "no reference section was found in 's2.pdf': give a .bib or .ris file instead"
    assert odd(record)["PDF files without references that can be read"] == [(0, advice)]
    record = send("submissions", zipped({**files, "s2.pdf": b"No PDF"}), "submissions.zip")
    ((_, why),) = odd(record)["PDF files without references that can be read"]
    assert why.startswith("cannot read references from 's2.pdf': this is not a PDF file")
    with pytest.raises(InputError, match=r"'unpacked' .*submission.* ID\.bib"):
        send("submissions", zipped({"submissions.csv": files["submissions.csv"], "x.pdf": paper}), "submissions.zip")


def test_what_was_sent_is_read_back_as_it_was(send, made):
    lines = [
        {"id": "s1", "title": "A", "authors": [{"id": "x", "name": "X"}], "institutions": [{"name": "I", "ror": "r"}]},
        {"id": "s2", "title": "B", "author_names": ["N"], "references": ["p1"], "year": 2021},
    ]
    send("submissions", "\n".join(map(json.dumps, lines)), "submissions.jsonl")
    first, second = load_submissions(made.now)
    assert (first.authors[0].id, first.institutions[0].ror) == ("x", "r")
    assert (second.author_names, second.references, second.year) == (("N",), ("p1",), 2021)


@pytest.mark.parametrize("packed", [False, True])
def test_a_committee_of_ids_names_those_without_papers_and_those_who_come_twice(send, made, corpus, packed):
    text = b"reviewer\na1\n# a remark\nnobody\na1\na2\n"
    record = send("committee", gzip.compress(text) if packed else text, "committee.txt")
    assert record.summary == "3 reviewers of the corpus"
    assert odd(record) == {
        "ids that come twice, counted once": [(5, "a1 is there already (line 2)")],
        "ids without any paper in the corpus": [(4, "nobody")],
    }
    reviewers = load_reviewers(made.now, corpus)
    assert dict(zip(reviewers.ids, map(len, reviewers.profiles), strict=True)) == {"a1": 1, "a2": 1, "nobody": 0}


def test_ids_of_which_none_is_in_the_corpus_are_refused(send, made):
    with pytest.raises(RefusedError, match=r"2 ids .*ids\.txt .*corpus") as caught:
        send("committee", "x\ny\n", "ids.txt")
    assert [(finding.line, finding.text) for finding in caught.value.findings] == [(1, "x"), (2, "y")]
    assert file_records(made.now) == {}


def test_expertise_as_csv_is_read_as_a_committee(send, made, corpus):
    text = "reviewer,paper,title,abstract,name,year\nr1,p1,T,A,Ann,2020\nr2,p1,T,A,Bob,2020\nr2,p2,,,Bob,2021\n"
    record = send("committee", text, "expertise.csv")
    assert record.summary == "2 reviewers with 1 paper"
    assert odd(record) == {
        "papers without title and abstract, which nobody can score": [(4, "neither title nor abstract")]
    }
    assert load_profiles(made.now).names == {"r1": "Ann", "r2": "Bob"}
    assert [len(profile) for profile in load_reviewers(made.now, corpus).profiles] == [1, 1]


def test_the_folder_of_openreview_is_submissions_and_committee_at_once(send, made, corpus):
    members = openreview_folder() | {"venue/archives/~Empty1.jsonl": b""}
    records = send("openreview", zipped(members), "venue.zip")
    assert records["submissions"].summary == "4 submissions"
    assert records["committee"].summary == "7 reviewers with 18 papers"
    assert odd(records["committee"]) == {
        "papers without title and abstract, which nobody can score": [(0, "the file is empty")],
        "reviewers without any paper": [(0, "~Empty1")],
    }
    assert records["committee"].odd[0].where[0].file == "venue/archives/~Empty1.jsonl"
    assert len(load_reviewers(made.now, corpus).ids) == 7


def test_archives_without_a_folder_are_accepted(send):
    members = {name.rpartition("/")[2]: content for name, content in openreview_folder().items() if "archives" in name}
    assert send("committee", zipped(members), "archives.zip").summary == "6 reviewers with 18 papers"


def test_co_authors_whom_archives_name_are_kept_for_conflicts(send, made, corpus):
    people = {"authors": ["Ann A", "Bo B"], "authorids": ["~Ann_A1", "~Bo_B1"]}
    content = json.dumps(note("n1", "Bees", "They dance.", year=2025, **people)).encode()
    assert send("committee", zipped({"archives/~Ann_A1.jsonl": content}), "a.zip").summary == "1 reviewer with 1 paper"
    send("submissions", '{"id": "s1", "title": "Wax", "authors": [{"id": "~Bo_B1", "name": "Bo B"}]}', "s.jsonl")
    committee = load_reviewers(made.now, corpus)
    assert committee.ids == ("~Ann_A1",)
    (conflict,) = Conference(load_submissions(made.now), committee).conflicts()
    assert conflict.certain
    assert conflict.evidence == "co-authored “Bees” in 2025 with Bo B"


@pytest.mark.parametrize(
    ("kind", "content", "message", "line"),
    [
        ("submissions", "id,title,abstract\ns1,A,B\ns1,C,D\n", r".*id 's1' .*twice", 3),
        ("submissions", "id,title,abstract\ns1,,\n", r".*title nor abstract", 2),
        ("committee", "reviewer,paper,title,abstract\nr1,p1\n", "expected 4 columns", 2),
    ],
)
def test_what_readers_reject_refuses_the_file_with_its_lines(send, made, kind, content, message, line):
    with pytest.raises(RefusedError, match=f"{kind}.csv, line {line}: {message}.*nothing") as caught:
        send(kind, content)
    assert caught.value.findings[0].line == line
    assert file_records(made.now) == {}
    assert made.now.parts == {}


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("constraints", "s1,r1,2\n", r"constraints.csv, line 1: constraint 2 .*-1"),
        ("constraints", "s1,r1,-1\ns1,r1,1\n", r"line 2: .*s1, r1 .*locked .*conflict"),
        ("constraints", "s1\n", "line 1: expected paper,reviewer,-1"),
        ("bids", "s1,r1,enthusiastic\n", r"bids.csv, line 1: .*'enthusiastic' .*number"),
        ("quotas", "r1,3\nr1,4\n", r"line 2: reviewer r1 .*twice \(line 1\)"),
        ("quotas", "r1,3,5\n", r"minimum 5 .*maximum 3"),
        ("quotas", "r1,many\n", r"quota 'many' .*number"),
        ("demands", "s1,3\ns1,2\n", r"paper s1 .*twice"),
        ("reviewers", "who,role\nr1,area chair\n", r"expected .*header of reviewer"),
        ("reviewers", "reviewer,seniority\nr1,ancient\n", r"line 2: .*'ancient' .*senior nor junior"),
        ("scores", "s1,r1,0.5\ns1,r1,0.6\n", r"line 2: .*s1, r1 .*twice"),
        ("scores", "work,reviewer,score\ns1,r1,1\n", r"line 1: .*'score' .*number .*no header"),
        ("scores", "s1,r1,nan\n", r"line 1: score .*nan: .*finite"),
        ("scores", "", "there are no scores"),
        ("scores", b"\xff\xfe\x00", "is not text in UTF-8"),
        ("scores", zipped({"scores.csv": "s,r,1"}), "scores.csv"),
        ("submissions", zipped({"readme.txt": "x"}), "holds neither submissions.json"),
        ("submissions", zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "is an Excel workbook: save"),
        ("committee", zipped({"xl/workbook.xml": ""}), "is an Excel workbook: save"),
        ("committee", "", "names nobody: give names"),
        ("constraints", "<html></html>", "has no rows of constraints"),
        ("submissions", "", "the file is empty"),
        ("openreview", "no zip at all", "submissions|not JSON|openreview"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_nothing_changes(send, conferences, made, kind, content, message):
    send("quotas", "r9,9\n")
    before, revision = file_records(made.now), conferences.get(made.id).revision
    with pytest.raises(RefusedError, match=message) as caught:
        send(kind, content)
    assert str(conferences.desk.home) not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (file_records(made.now), conferences.get(made.id).revision) == (before, revision)
    assert made.now.parts.keys() == {"quotas"}


def test_a_file_of_another_kind_is_no_file_of_submissions(send):
    with pytest.raises(RefusedError, match=r"'paper.pdf' is no file of submissions: give a table"):
        send("submissions", b"%PDF-1.4\n", "paper.pdf")


def test_roles_are_named_in_the_summary(send):
    text = "reviewer,role,seniority\nr1,Area_Chair,senior\nr2,,junior\nr3,theory track,\n"
    assert send("reviewers", text).summary == "3 people, 3 roles: area chair, reviewer, theory track"


def test_conflicts_may_come_without_a_constraint_and_with_evidence(send, made):
    assert send("constraints", 's1,r1\ns1,r2,-1,"same, lab"\ns2,r1,1\n').summary == "2 conflicts, 1 lock"
    assert file_content(made.now, "constraints").decode() == "s1,r1,-1\ns1,r2,-1\ns2,r1,1\n"


def test_files_are_checked_beside_each_other_in_whichever_order_they_come(send, conferences, made):
    send("constraints", "s0,~Rev_01,-1\ngone,~Rev_01,-1\ns1,nobody,-1\n")
    send("quotas", "nobody,3\n~Rev_11,2\n")
    send("reviewers", "reviewer,role,authored\n~Rev_01,area chair,s0 gone\n")
    assert not any(cross_check(conferences.get(made.id)).values())  # there is nothing to compare with yet
    send("openreview", zipped(openreview_folder()), "v.zip")
    beside = cross_check(conferences.get(made.id))
    assert [(one.count, [(f.line, f.text) for f in one.where]) for one in beside["constraints"]] == [
        (1, [(2, "gone")]),
        (1, [(3, "nobody")]),
    ]
    assert [oddity.where[0].line for oddity in beside["quotas"]] == [1]
    assert [oddity.count for oddity in beside["reviewers"]] == [1, 5]
    assert leave_out(conferences, made.id, "constraints", revision=None, actor="Ada") == 2
    assert file_content(made.now, "constraints").decode() == "s0,~Rev_01,-1\n"
    assert cross_check(conferences.get(made.id))["constraints"] == ()
    event = made.now.events[0]
    assert (event.kind, event.who, event.detail) == ("lines left out", "Ada", {"file": "constraints", "lines": 2})
    send("bids", "gone,~Rev_01,high\n")
    with pytest.raises(InputError, match="remove the file instead"):
        leave_out(conferences, made.id, "bids", revision=None, actor="")


def test_ready_scores_are_compared_with_submissions(send, conferences, made):
    send("openreview", zipped(openreview_folder()), "v.zip")
    send("scores", "s0,~Rev_01,0.5\nother,~Rev_01,0.4\ns1,stranger,0.1\n")
    found = {
        oddity.what: [finding.text for finding in oddity.where]
        for oddity in cross_check(conferences.get(made.id))["scores"]
    }
    assert found == {
        "papers with scores that are not among the submissions": ["other"],
        "submissions without any score": ["s2", "s3"],
        "reviewers with scores who are not on the committee": ["stranger"],
    }


def test_a_change_from_an_old_revision_leaves_the_files(send, conferences, made):
    send("quotas", "r1,1\n", revision=1)
    with pytest.raises(RevisionConflictError, match="file added by somebody"):
        send("quotas", "r1,2\n", revision=1)
    with pytest.raises(RevisionConflictError):
        remove(conferences, made.id, "quotas", revision=1)
    assert file_content(made.now, "quotas").decode() == "r1,1\n"


def test_a_file_is_replaced_with_all_that_belonged_to_it(send, conferences, made):
    send("openreview", zipped(openreview_folder()), "v.zip")
    send("committee", "a1\n", "ids.txt")
    assert load_committee(made.now) == ("a1",)
    assert load_profiles(made.now) is None
    remove(conferences, made.id, "committee")
    assert load_committee(made.now) == ()
    with pytest.raises(NotFoundError, match=r"no file .*'committee'"):
        remove(conferences, made.id, "committee")


@pytest.mark.parametrize(
    ("name", "plain"),
    [("../../etc/passwd", "passwd"), ("C:\\x\\scores.csv", "scores.csv"), ("...", "file"), ("", "file")],
)
def test_names_of_sent_files_become_harmless(name, plain):
    assert plain_name(name) == plain
    assert len(plain_name("x" * 500 + ".csv")) <= 80


def test_notes_without_text_do_not_hide_what_is_wrong(send):
    notes = [json.dumps(note(f"p{i}", "")) for i in range(150)] + ["{broken"]
    members = openreview_folder() | {"venue/archives/~Bad1.jsonl": "\n".join(notes)}
    with pytest.raises(RefusedError, match=r"~Bad1.jsonl, line 151: not JSON"):
        send("openreview", zipped(members), "v.zip")


def test_files_of_systems_are_taken_as_they_are(send, made):
    archive = zipped({name: content.encode() for name, content in EASYCHAIR.items()})
    assert send("submissions", archive, "easychair.zip").summary == "2 submissions, 1 left out: marked as deleted"
    assert load_submissions(made.now)[0].authors[0].id == "11"
    assert send("bids", EASYCHAIR["bidding.csv"]).summary == "4 bids of 3 reviewers, and 1 conflict"
    assert send("reviewers", EASYCHAIR["committee.csv"]).summary == "4 people, 2 roles: reviewer, senior pc member"
    assert send("constraints", CMT["Conflicts.xml"], "Conflicts.xml").summary == "1 conflict, 0 locks"
    assert send("constraints", HOTCRP["allprefs.csv"]).summary == "1 conflict, 0 locks"
    assert file_content(made.now, "constraints").decode() == "1,hal@u.org,-1\n"
    assert send("quotas", CMT["Quotas.txt"]).summary == "2 quotas"
