"""Who reviewed what, from files in the shapes in which systems give it."""

from datetime import date

import pytest
from systems_support import CMT, EASYCHAIR, HOTCRP, OJS, REPORTS, SCHOLARONE, export

from panelist.corpus.readers.history import read_history
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import HistoryEvent, HistoryRole, Outcome


def events(path, source="j"):
    report = ReadReport()
    return [*read_history([path], report, source)], report


def test_a_report_of_ojs_says_who_answered_when_and_what_came_of_it(tmp_path):
    found, report = events(export(tmp_path, REPORTS) / "ojs.csv")
    finn, hal, open_, silent = found
    assert finn == HistoryEvent(
        "",
        HistoryRole.REVIEWER,
        "j:12",
        "Finn Hay",
        "finn@w.org",
        "0000-0002-1825-0097",
        title="Sorting",
        invited=date(2024, 1, 2),
        answered=date(2024, 1, 4),
        submitted=date(2024, 2, 10),
        late_days=5,
        score=4.0,
    )  # who declined the second round had done the first
    assert (hal.outcome, hal.answered, hal.submitted) == (Outcome.DECLINED, date(2024, 1, 3), None)
    assert (open_.email, open_.paper, open_.outcome) == ("hal@u.org", "j:13", Outcome.ACCEPTED)
    assert (silent.name, silent.outcome, silent.answered) == ("Ida Kay", Outcome.NO_ANSWER, None)
    assert report.left_out == 1  # taken back
    assert "names nobody" in report.example()  # the user name 12 is nobody's id


def test_reports_of_publishers_have_days_of_their_own_and_names_in_any_order(tmp_path):
    folder = export(tmp_path, REPORTS)
    (finn, hal), _ = events(folder / "em.csv")
    assert (finn.name, finn.paper, finn.answered, finn.submitted) == (
        "Finn Hay", "j:J-1", date(2024, 1, 3), date(2024, 1, 30),
    )  # fmt: skip
    assert (finn.late_days, finn.score) == (-2, 3.0)
    assert (hal.outcome, hal.answered, hal.score) == (Outcome.DECLINED, date(2024, 1, 5), None)
    (finn, hal), _ = events(folder / "scholarone.csv")
    assert (finn.outcome, finn.invited, finn.submitted) == (Outcome.ACCEPTED, date(2024, 1, 2), None)
    assert (hal.outcome, hal.submitted, hal.score) == (Outcome.DONE, date(2024, 1, 30), 2.0)


@pytest.mark.parametrize(
    ("system", "file", "expected"),
    [
        (EASYCHAIR, "review.csv", [("j:1", "finn@w.org", -2.0), ("j:2", "hal@u.org", 3.0)]),
        (EASYCHAIR, "assignment.csv", [("j:1", "finn@w.org", None), ("j:2", "hal@u.org", None)]),
        (CMT, "Reviews.csv", [("j:1", "finn@w.org", None), ("j:2", "hal@u.org", None)]),
        (HOTCRP, "reviews.csv", [("j:1", "finn@w.org", 4.0), ("j:2", "hal@u.org", 2.0)]),
        (HOTCRP, "pcassignments.csv", [("j:1", "finn@w.org", None), ("j:2", "hal@u.org", None)]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_reviews_and_assignments_of_conferences(tmp_path, system, file, expected):
    found, _ = events(export(tmp_path, system) / file)
    assert [(event.paper, event.email, event.score) for event in found] == expected
    assert {event.outcome for event in found} == {Outcome.DONE}


def test_a_folder_gives_the_reviews_the_texts_of_its_submissions(tmp_path):
    found, report = events(export(tmp_path, EASYCHAIR))
    assert {(event.title, event.abstract) for event in found if event.paper == "j:1"} == {
        ("Sorting, fast", "We sort.\nQuickly.")
    }
    assert {event.paper for event in found} == {"j:1", "j:2"}  # and nothing of bids
    assert not report.rejected


def test_numbers_of_a_system_are_nobody_and_need_a_source(tmp_path):
    assert events(export(tmp_path, SCHOLARONE) / "reviews.csv")[0] == []  # its numbers of people are its own
    assert [event.name for event in events(export(tmp_path, OJS) / "reviews.csv")[0]] == [
        "Finn Hay",
        *["Hal Jones"] * 2,
    ]
    with pytest.raises(InputError, match="give the source"):
        events(tmp_path / "reviews.csv", source="")


def test_tables_of_ones_own_name_ids_of_the_corpus(tmp_path):
    ((event,), _) = events(export(tmp_path, REPORTS) / "own.csv", source="")
    assert (event.person, event.paper, event.role) == ("12", "7", HistoryRole.SENIOR_EDITOR)
    assert event.evidence_since == date(2024, 1, 30)


@pytest.mark.parametrize(
    ("cells", "words"),
    [("p1,ada,2024-13-01", "submitted: '2024-13-01' is not a day"), (",ada,", "paper"), ("p1,,", "names nobody")],
)
def test_a_row_that_cannot_be_used_is_rejected_alone(tmp_path, cells, words):
    (tmp_path / "own.csv").write_text(f"paper,person,submitted\n{cells}\np2,ada,03/04/2024\np3,ada,13/04/2024\n")
    found, report = events(tmp_path / "own.csv", source="")
    assert [event.submitted for event in found] == [date(2024, 4, 3), date(2024, 4, 13)]  # 13: the day comes first
    assert words in report.example()
