"""Papers 1…n and reviewers called `load` or `paper`: no message takes a number or a word for one of them."""

import re

import pytest
from numbers_support import LONG, SMALL, answers, build, files, refusals

DATED = re.compile(r"\d{4}-\d\d-\d\d[T ][\d:.+]*( UTC)?|data:image/png;base64,[\w+/=]*")


@pytest.fixture(scope="module")
def both(address):
    from web_support import api_of

    with api_of(address) as api:
        yield (build(api, SMALL), SMALL), (build(api, LONG), LONG)


def test_everything_that_is_said_is_the_same_with_any_ids(both):
    small, long = (answers(chair, ids) for chair, ids in both)
    for where, said in small.items():
        assert said == long[where], where
    told = str(small["/assignment"])
    assert "cannot be given: 12 papers need 48, their only 8 reviewers give 24" in told
    assert "Raise every load to 6" in told
    assert [event["detail"]["words"] for event in small["/events"] if event["kind"] == "demand"] == [
        "“On the bark of Cedar” needs 3"
    ]


def test_reports_the_history_and_refusals_are_the_same_with_any_ids(both):
    small, long = (files(chair) for chair, _ in both)
    for where, text in small.items():
        if "events" not in where:  # the table of the history has the ids, too
            assert DATED.sub("", text) == DATED.sub("", long[where]), where
            assert "On the bark of Cedar" in text
    assert refusals(*both[0]) == refusals(*both[1])
