"""Who reviewed and edited what, from articles, JSON lines and pulled venues."""

from datetime import date

import orjson
import pytest

from panelist.corpus.readers.history import read_history
from panelist.corpus.readers.report import ReadReport, watch_files
from panelist.errors import InputError
from panelist.records import HistoryEvent, HistoryRole, Outcome

ARTICLE = """<article><front><article-meta><article-id pub-id-type="doi">10.7554/eLife.1</article-id>
<title-group><article-title>On engines</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Lovelace</surname></name></contrib></contrib-group>
<contrib-group><contrib contrib-type="senior_editor"><name><surname>Ek</surname><given-names>Bo</given-names></name>
</contrib>
<contrib contrib-type="reviewer"><contrib-id contrib-id-type="orcid">https://orcid.org/0000-0002-1825-0097</contrib-id>
<name><surname>Hay</surname><given-names>Finn</given-names></name></contrib></contrib-group>
<author-notes><fn><p>Reviewed by: Hal Jones, University of U; Ida Kay, V</p></fn></author-notes>
<pub-date><month>2</month><year>2020</year></pub-date><abstract><p>They compute.</p></abstract></article-meta></front>
</article>"""
ORCID = "https://orcid.org/0000-0002-1825-0097"
PEOPLE = [
    {"role": "editor", "id": "orcid:0000-0001", "name": "Bo Ek", "orcid": None},
    {
        "role": "reviewer",
        "name": "Finn Hay",
        "orcid": "https://orcid.org/0000-0002-1825-0097",
        "submitted": "2020-01-05",
    },
]
RESCIENCE = """
title: "[Re] Engines"
contributors:
  - {role: editor, name: Bo Ek, orcid: 0000-0002-1825-0097}
  - {role: reviewer, name: Finn Hay}
  - {role: author, name: Ada}
dates:
  - {received: "May 1, 2019"}
  - {published: "June 2, 2020"}
article:
  - {number: 1}
  - {doi: 10.5281/Zenodo.1}
"""


def read(path):
    report = ReadReport()
    return [*read_history([path], report)], report


JOSS = """
title: Engines.jl
doi: 10.21105/JOSS.00001
published_at: 2020-06-02 12:00:00 UTC
editor: "@bo"
editor_name: Bo Ek
reviewers: ["@finn", "Hal Jones", {name: Ida Kay, orcid: 0000-0002-1825-0097}, {github_user: "@jo"}]
"""


def test_articles_name_their_editors_and_reviewers(tmp_path):
    (tmp_path / "article.xml").write_text(ARTICLE)
    found, _ = read(tmp_path)
    known = [(event.name, event.person, event.orcid, event.role) for event in found]
    assert known == [
        ("Bo Ek", "", "", HistoryRole.SENIOR_EDITOR),
        ("Finn Hay", "orcid:0000-0002-1825-0097", "0000-0002-1825-0097", HistoryRole.REVIEWER),
        ("Hal Jones", "", "", HistoryRole.REVIEWER),
        ("Ida Kay", "", "", HistoryRole.REVIEWER),
    ]
    assert {(event.paper, event.title, event.abstract) for event in found} == {
        ("doi:10.7554/elife.1", "On engines", "They compute.")
    }
    assert found[0].evidence_since == date(2020, 2, 29)  # the day is not known: the last of the month


def test_json_lines_are_papers_with_people_or_events(tmp_path):
    lines = [
        {"id": "elife:1", "received": "2019-01-01", "published": "2020-02-03", "title": "On engines", "people": PEOPLE},
        {"person": "a", "role": "area_chair", "paper": "p", "outcome": "declined", "email": "A@x.org"},
        {"id": "elife:2", "people": [{"role": "author", "name": "Ada"}]},
        {"id": "elife:3", "people": [{"role": "reviewer"}]},
    ]
    (tmp_path / "history.jsonl").write_bytes(b"\n".join(map(orjson.dumps, lines)))
    (editor, reviewer, chair), report = read(tmp_path / "history.jsonl")
    assert (editor.person, editor.paper, editor.title) == ("orcid:0000-0001", "elife:1", "On engines")
    assert (reviewer.orcid, reviewer.submitted) == ("0000-0002-1825-0097", date(2020, 1, 5))
    assert reviewer.evidence_since == date(2020, 1, 5)  # the review told it before the paper was published
    assert chair == HistoryEvent("a", HistoryRole.AREA_CHAIR, "p", email="a@x.org", outcome=Outcome.DECLINED)
    assert [str(rejection).rpartition("jsonl:")[2][0] for rejection in report.rejections] == ["3", "4"]


def test_rescience_names_its_contributors(tmp_path):
    (tmp_path / "metadata.yaml").write_text(RESCIENCE)
    (editor, reviewer), _ = read(tmp_path / "metadata.yaml")
    assert (editor.paper, editor.name, editor.role) == ("doi:10.5281/zenodo.1", "Bo Ek", HistoryRole.EDITOR)
    assert (reviewer.name, reviewer.published) == ("Finn Hay", date(2020, 6, 2))
    (tmp_path / "metadata.yaml").write_text("title: [")
    with pytest.raises(InputError, match=r"not the metadata\.yaml"):
        read(tmp_path / "metadata.yaml")


def test_joss_names_its_editors_and_handles_are_counted(tmp_path):
    (tmp_path / "metadata.yaml").write_text(JOSS)
    with watch_files() as files:
        found, report = read(tmp_path / "metadata.yaml")
    assert [(event.name, event.role.value, event.orcid) for event in found] == [
        ("Bo Ek", "editor", ""),
        ("Hal Jones", "reviewer", ""),
        ("Ida Kay", "reviewer", "0000-0002-1825-0097"),
    ]
    assert {(event.paper, event.published) for event in found} == {("doi:10.21105/joss.00001", date(2020, 6, 2))}
    assert report.left_out == 2
    assert files[tmp_path / "metadata.yaml"].words() == ["2 rows left out: a handle or a role without a name"]


def test_a_pulled_venue_knows_assignments_and_the_days_of_reviews(tmp_path):
    content = {"title": {"value": "Sorting"}, "abstract": {"value": "We sort."}}
    notes = {key: {"id": key, "content": content} for key in ("n1", "n2")}
    (tmp_path / "submissions.json").write_bytes(orjson.dumps(notes))
    (tmp_path / "reviews.json").write_bytes(orjson.dumps({"notes": [{"forum": "n1", "tcdate": 1_700_000_000_000}]}))
    (tmp_path / "assignments.csv").write_text("n1,~Bo1,1\nn2,~Bo1,\n")
    (done, open_), _ = read(tmp_path)
    assert (done.person, done.paper, done.title, done.submitted) == ("~Bo1", "n1", "Sorting", date(2023, 11, 14))
    assert (open_.paper, open_.outcome, open_.submitted) == ("n2", Outcome.ACCEPTED, None)
