"""What EasyChair, CMT and HotCRP get has people as they know them, or the export says of whom that is missing."""

import csv
import io

import pytest
from desk_support import Chair

from panelist.corpus.systems.pairs import native_pairs

PEOPLE = {"acl:fay-hay": "Fay Hay", "acl:gus-ives": "Gus Ives", "3": "Hal Jones"}
ADDRESSES = {who: f"{name.split()[0].lower()}@w.org" for who, name in PEOPLE.items()}
NUMBERS = {"acl:fay-hay": "12", "acl:gus-ives": "13", "3": "14"}
COMMITTEE = "#,person #,first name,last name,email,country,affiliation,Web page,role\n" + "".join(
    f"{NUMBERS[who]},8{at},{name.replace(' ', ',')},{ADDRESSES[who].upper()},NO,W,http://w.org/,PC member\n"
    for at, (who, name) in enumerate(PEOPLE.items())
)


@pytest.fixture
def chair(api):
    chair = Chair(api)
    scores = "".join(f"{paper},{who},{(3 * paper + at) % 5}\n" for paper in (1, 2, 3) for at, who in enumerate(PEOPLE))
    assert chair.send("scores", scores.encode(), "scores.csv").status_code == 200
    assert chair.solve(demand=2, most=3)["state"] == "done"
    return chair


def named(chair, addresses):
    lines = "".join(f"{who},{name},{addresses.get(who, '')}\n" for who, name in PEOPLE.items())
    assert chair.send("reviewers", f"reviewer,name,email\n{lines}".encode(), "reviewers.csv").status_code == 200


def exported(chair, system):
    return chair.api.get(f"{chair.path}/solutions/1/export", params={"format": system})


def pairs_of(chair, keys):
    return sorted((paper, keys[who]) for paper, who in chair.pairs(1))


def test_hotcrp_and_cmt_get_addresses_that_they_read_back(chair, tmp_path):
    refused = exported(chair, "hotcrp")
    assert (refused.status_code, "3 reviewers have no e-mail address" in refused.text) == (422, True)
    named(chair, ADDRESSES)
    for system, name in (("hotcrp", "a.csv"), ("cmt", "a.xml")):
        path = tmp_path / name
        path.write_bytes(exported(chair, system).content)
        with path.open(newline="") as file:
            rows = [row for _, row in native_pairs(path, enumerate(csv.reader(file), 1), "score")]
        assert sorted((row[0], row[1]) for row in rows) == pairs_of(chair, ADDRESSES)


def test_easychair_gets_the_numbers_of_its_own_committee(chair):
    named(chair, ADDRESSES)
    refused = exported(chair, "easychair").json()["detail"]
    assert "no member number here that EasyChair would know: Fay Hay, Gus Ives" in refused
    assert chair.send("contacts", COMMITTEE.encode(), "committee.csv").status_code == 200
    rows = list(csv.DictReader(io.StringIO(exported(chair, "easychair").text)))
    assert sorted((row["submission #"], row["member #"]) for row in rows) == pairs_of(chair, NUMBERS)
    assert {row["member #"]: row["member name"] for row in rows} == {NUMBERS[who]: PEOPLE[who] for who in PEOPLE}


def test_nobody_is_known_by_a_name_or_by_an_address_of_two(chair):
    named(chair, ADDRESSES | {"3": ADDRESSES["acl:fay-hay"]})
    assert chair.send("contacts", COMMITTEE.encode(), "committee.csv").status_code == 200
    for system in ("hotcrp", "easychair"):
        assert "2 reviewers have no" in exported(chair, system).json()["detail"]
    named(chair, {"acl:fay-hay": ADDRESSES["acl:fay-hay"]})
    assert "Gus Ives, Hal Jones" in exported(chair, "hotcrp").json()["detail"]


def test_addresses_by_id_are_enough(chair):
    lines = "".join(f"{who},{email}\n" for who, email in ADDRESSES.items())
    assert chair.send("contacts", f"reviewer,email\n{lines}".encode(), "addresses.csv").status_code == 200
    rows = list(csv.DictReader(io.StringIO(exported(chair, "hotcrp").text)))
    assert sorted((row["paper"], row["email"]) for row in rows) == pairs_of(chair, ADDRESSES)
    assert chair.send("contacts", b"a,b\n1,2\n", "addresses.csv").status_code == 422
