"""`POST /assignments` over the wire: a job, its result in every form, and what is refused."""

import csv
import json
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from waiting import finished

from panelist.records import Conflict, ConflictKind
from retriever.assignment.methods import METHODS
from retriever.assignment.options import AssignOptions
from retriever.conference.conflicts.table import ConflictTable, write_table

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(6) for j in range(5))


def done(api, response):
    assert response.status_code == 202
    job = response.json()
    assert response.headers["Location"] == f"/api/v1/jobs/{job['id']}"
    return finished(lambda: api.get(f"/jobs/{job['id']}").json())


def test_scores_become_an_assignment_in_every_form(api):
    asked = {"scores": SCORES, "demand": 2, "most": 4, "method": "total", "alternates": 1, "constraints": "p0,r0,-1\n"}
    job = done(api, api.post("/assignments", json=asked))
    assert job["state"] == "done"
    assert job["result"] == f"/api/v1/assignments/{job['id']}"
    made = api.get(f"/assignments/{job['id']}").json()
    assert made["summary"]["method"] == "total"
    assert len(made["pairs"]) == 12
    assert ("p0", "r0") not in {(one["paper"], one["reviewer"]) for one in made["pairs"]}
    forms = {form: api.get(f"/assignments/{job['id']}?format={form}") for form in ("csv", "alternates", "marginals")}
    assert len(list(csv.reader(forms["csv"].text.splitlines()))) == 12
    assert all(answer.headers["content-type"] == "text/csv; charset=utf-8" for answer in forms.values())
    assert set(json.loads(api.get(f"/assignments/{job['id']}?format=openreview").text)) == {"assignments", "alternates"}
    page = api.get(f"/assignments/{job['id']}?format=report")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text.startswith("<!doctype html>")


def test_bad_files_fail_the_job_with_file_and_line(api):
    job = done(api, api.post("/assignments", json={"scores": SCORES, "quotas": "r1,-2\n"}))
    assert (job["state"], job["error"]) == ("failed", "quotas, line 1: quota -2 is negative")
    job = done(api, api.post("/assignments", json={"scores": SCORES, "demand": 5, "most": 4}))
    assert job["error"].startswith("10 reviews cannot be given: 6 papers need 30, their only 5 reviewers give 20")
    assert api.get(f"/assignments/{job['id']}").status_code == 409


def test_what_does_not_go_together_is_refused_immediately(api):
    refused = api.post("/assignments", json={"scores": SCORES, "cap": 0.5})
    assert refused.status_code == 422
    assert "cap does not work with method fair" in refused.json()["detail"]
    assert api.post("/assignments", json={}).status_code == 422
    assert api.post("/assignments", json={"scores": SCORES, "job": "x"}).status_code == 422
    assert api.post("/assignments", json={"job": "unknown"}).status_code == 404
    assert api.get("/assignments/unknown").status_code == 404


def test_jobs_of_the_two_kinds_are_told_apart(api):
    job = done(api, api.post("/assignments", json={"scores": SCORES, "demand": 1}))
    assert api.get(f"/jobs/{job['id']}/result").status_code == 404
    assert api.post("/assignments", json={"job": job["id"]}).status_code == 409
    request = {"submissions": [{"id": "s1", "title": "A title"}], "reviewers": ["a0", "a1"], "background": True}
    scored = done(api, api.post("/affinity", json=request | {"model": "tpms"}))
    assert api.get(f"/assignments/{scored['id']}").status_code == 404
    made = done(api, api.post("/assignments", json={"job": scored["id"], "demand": 1}))
    assert made["state"] == "done"


def test_defaults_and_limits_are_those_of_the_one_record(api):
    found = api.get("/assignments/options").json()
    default = AssignOptions()
    shared = {one.name for one in fields(AssignOptions)} & found["defaults"].keys()
    assert shared >= {"method", "demand", "most", "least", "cap", "quality", "seed", "possible", "allow_unscored"}
    for name in shared - {"apart"}:
        assert found["defaults"][name] == getattr(default, name)
    assert found["limits"]["quality"] == {"above": 0, "max": 1}
    assert found["limits"]["demand"] == {"min": 0, "max": 100}
    assert {one["name"]: one["takes"] for one in found["methods"]} == {
        name: list(method.takes) for name, method in METHODS.items()
    }


def test_a_conflict_table_is_taken_and_possible_conflicts_are_told(api):
    rows = [("p0", "r0", True), ("p1", "r1", False)]
    table = ConflictTable.grouped(Conflict(p, r, ConflictKind.COAUTHOR, "together", sure) for p, r, sure in rows)
    with TemporaryDirectory() as folder:
        write_table(table, Path(folder, "t.jsonl"))
        asked = {"scores": SCORES, "demand": 2, "most": 4, "conflicts": Path(folder, "t.jsonl").read_text()}
    for possible, locked in (("avoid", ""), ("allow", "p1,r1,1\n")):
        more = {"possible": possible} | ({"constraints": locked} if locked else {})
        job = done(api, api.post("/assignments", json=asked | more))
        made = api.get(f"/assignments/{job['id']}").json()
        chosen = {(one["paper"], one["reviewer"]): one["conflict"] for one in made["pairs"]}
        assert ("p0", "r0") not in chosen
        assert chosen.get(("p1", "r1")) == (None if possible == "avoid" else "together")
        assert made["summary"]["conflicts"]["known"]
    job = done(api, api.post("/assignments", json=asked | {"constraints": "p0,r0,1\n"}))
    assert job["error"] == "constraints, line 1: the pair p0, r0 is locked, but r0 has a conflict of interest: together"
