"""Reviews that are sent: calibrated, checked for what they say, refused by line."""

from dataclasses import fields

import pytest
from pydantic import TypeAdapter

from panelist.app.web.app import STATIC
from panelist.app.web.routes.evaluation import ReviewCheck


def send(client, content, path="calibration", **query):
    headers = {"content-type": "text/csv"}
    return client.post(f"/api/v1/{path}", params=query, content=content, headers=headers)


def test_reviews_are_calibrated(client):
    content = (STATIC / "sample-reviews.csv").read_bytes()
    found = send(client, content, accept=10).json()
    assert found["accepted"] == 10
    assert sum(row["p_accept"] for row in found["papers"]) == pytest.approx(10)
    assert [row["rank"] for row in found["papers"]] == list(range(1, len(found["papers"]) + 1))
    report = send(client, content, "calibration/report")
    assert report.text.startswith("<!doctype html>")
    assert "attachment" in report.headers["content-disposition"]


def test_bad_reviews_are_named_by_line_and_not_by_our_paths(client):
    response = send(client, b"paper,reviewer,score\np1,r1,good\n")
    assert response.status_code == 422
    assert response.json()["detail"] == "the file, line 2: the score must be a number, received 'good'"
    assert client.post("/api/v1/calibration", json={}).status_code == 415


def test_reviews_are_checked_and_only_the_chair_sees_flags(client):
    content = (STATIC / "sample-review-texts.csv").read_bytes()
    found = send(client, content, "reviews/check", hints=True).json()
    assert set(found) == {field.name for field in fields(ReviewCheck)}
    assert TypeAdapter(ReviewCheck).validate_python(found).tagged[0].sentences
    assert found["summary"]["reviews"] == len(found["tagged"]) == 9
    assert {kind["name"] for kind in found["hint_kinds"]} >= {"impoliteness", "text against score"}
    kinds = ("authors", "sentences", "chair")
    tables = {kind: send(client, content, "reviews/export", kind=kind) for kind in kinds}
    assert all("attachment" in table.headers["content-disposition"] for table in tables.values())
    assert "~Ada" in tables["chair"].text
    assert "~Ada" not in tables["authors"].text + tables["sentences"].text
    assert client.post("/api/v1/reviews/check", content=b"x", headers={"content-type": "text/plain"}).status_code == 415


def test_the_api_describes_every_answer_outside_conferences(client):
    paths = client.get("/api/v1/openapi.json").json()["paths"]
    untyped = [
        (method, path, kind)
        for path, operations in paths.items()
        if "/conferences" not in path
        for method, operation in operations.items()
        for status, answer in operation["responses"].items()
        if status.startswith("2")
        for kind, content in answer.get("content", {}).items()
        if not (schema := content.get("schema"))
        or schema.get("additionalProperties") is True
        or schema == {"type": "object"}
    ]
    assert untyped == []
