"""`panelist committee match`: from a chair's list to a committee that is scored."""

import csv
import json

import pytest
from openreview_support import read_scores

from panelist.app.demo import submissions


@pytest.fixture
def people(demo_workspace):
    """Two people of the demo without namesakes."""
    with demo_workspace.open_corpus() as corpus:
        papers = list(corpus.iter_papers())
        ids = sorted({authorship.author.id for paper in papers for authorship in paper.authorships})
        return list(corpus.authors(ids[1:3]).values())


def _rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_list_of_names_and_addresses_becomes_a_committee(demo_workspace, panelist, people, tmp_path):
    listed, out = tmp_path / "pc.csv", tmp_path / "reviewers.csv"
    lines = [f"{person.name},{person.id.rpartition('/')[2]}@example.org" for person in people]
    listed.write_text("\n".join(["Name,E-mail", *lines, "Grace Hopper,grace@example.org"]))
    code, printed, _ = panelist("committee", "match", listed, "-o", out)
    assert code == 0
    assert "3 people: 0 found for certain, 2 probably, 0 open, 1 not in the corpus" in printed
    rows = _rows(out)
    assert [row["reviewer"] for row in rows] == [*(person.id for person in people), "grace@example.org"]
    assert [row["match"] for row in rows] == ["probable", "probable", "none"]

    papers, scores = tmp_path / "submissions.json", tmp_path / "scores.csv"
    chosen = [{"id": paper.id, "title": paper.title, "abstract": paper.abstract} for paper in submissions()[:2]]
    papers.write_text(json.dumps(chosen))
    code, printed, _ = panelist("affinity", "-s", papers, "-r", out, "-o", scores, "-m", "tpms")
    assert code == 0
    assert {reviewer for _, reviewer in read_scores(scores)} == {person.id for person in people}
    assert "1 reviewer without any paper: grace@example.org" in printed


@pytest.mark.parametrize(("line", "column"), [("Somebody Else <both@example.org>", "email"), ("Ada Unseen", "name")])
def test_two_profiles_of_one_person_are_joined_by_what_was_decided(
    demo_workspace, panelist, people, tmp_path, line, column
):
    listed, decided, out = tmp_path / "pc.csv", tmp_path / "decided.csv", tmp_path / "reviewers.csv"
    one, other = people
    listed.write_text(f"{line}\n")
    known = "both@example.org" if column == "email" else line
    decided.write_text(f"reviewer,{column}\n{one.id},{known}\n{other.id},{known}\n")
    assert panelist("committee", "match", listed, "-o", out, "--decided", decided)[0] == 0
    assert [row["reviewer"] for row in _rows(out)] == [one.id, other.id]

    paper = {"id": "s1", "title": "Anything", "abstract": "At all.", "authors": [other.id]}
    (tmp_path / "s.json").write_text(json.dumps([paper]))
    code, printed, _ = panelist("affinity", "-s", tmp_path / "s.json", "-r", out, "-o", tmp_path / "scores.csv")
    assert code == 0
    assert "1 submission × 1 reviewer: 0 scores" in printed  # the author's other profile is the reviewer
    assert "pairs with a certain conflict of interest: 1" in printed


def test_who_may_be_meant_is_written_for_a_person_to_choose(demo_workspace, panelist, people, tmp_path):
    given, family = people[0].name.split()[0], people[0].name.split()[-1]
    (tmp_path / "pc.txt").write_text(f"{given[0]}. {family} <someone@example.org>\n")
    candidates = tmp_path / "open.csv"
    code, printed, _ = panelist(
        "committee", "match", tmp_path / "pc.txt", "-o", tmp_path / "r.csv", "--candidates", candidates
    )
    assert code == 0
    assert "1 open" in printed
    assert people[0].id in [row["reviewer"] for row in _rows(candidates)]
    assert _rows(tmp_path / "r.csv")[0]["reviewer"] == "someone@example.org"  # nothing is guessed


def test_an_empty_list_is_refused_in_one_line(demo_workspace, panelist, tmp_path):
    (tmp_path / "pc.csv").write_text("name,email\n")
    code, printed, err = panelist("committee", "match", tmp_path / "pc.csv", "-o", tmp_path / "r.csv")
    assert (code, printed) == (2, "")
    assert "pc.csv names nobody" in err
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize("system", ["name,email\n{0},{1}\n", "given_name,family_name,email,roles\n{2},{3},{1},pc\n"])
def test_a_table_of_names_and_addresses_is_looked_up_where_it_is_scored(demo_workspace, panelist, tmp_path, system):
    """A table that names no ids, of a chair or of HotCRP, has its people found in the corpus."""
    with demo_workspace.open_corpus() as corpus:
        person = next(authorship.author for paper in corpus.iter_papers() for authorship in paper.authorships)
    given, _, family = person.name.partition(" ")
    listed, papers, scores = tmp_path / "users.csv", tmp_path / "s.csv", tmp_path / "scores.csv"
    listed.write_text(system.format(person.name, "new@example.org", given, family))
    papers.write_text("id,title,abstract\n1,Anything,At all\n")
    code, _, error = panelist("affinity", "-s", papers, "-r", listed, "-o", scores, "-m", "tpms")
    assert code == 0
    assert "1 person: 1 found probably" in error
    assert list(read_scores(scores)) == [("1", "new@example.org")]


def test_nobody_of_a_list_is_lost(demo_workspace, panelist, tmp_path):
    listed, out = tmp_path / "pc.txt", tmp_path / "r.csv"
    listed.write_text("Ada Unseen, Nowhere College\nBo Hidden\tbo@example.org\nCy Missing; cy@example.org\n")
    assert panelist("committee", "match", listed, "-o", out)[0] == 0
    assert [(row["reviewer"], row["name"]) for row in _rows(out)] == [
        ("Ada_Unseen", "Ada Unseen"),
        ("bo@example.org", "Bo Hidden"),
        ("cy@example.org", "Cy Missing"),
    ]
