"""Both desks of a workspace whose corpus is in MongoDB: only the corpus is there, the desks are beside the index."""

import pymongo
import pytest
from desk_support import Chair, kept_submission, whole_conference
from panel_support import at, paper
from web_support import api_of, make_workspace, running, start_service

WORD = "quizzacious"


@pytest.fixture
def workspace(tmp_path, mongo_uri, mongo_database):
    papers = [paper(f"p{i}", at(f"a{i % 4}"), title=f"Earlier work {i} on galaxies and halos") for i in range(12)]
    return make_workspace(tmp_path / mongo_database, papers, mongo_uri)


def served(workspace):
    return running(start_service(workspace))


def test_a_committee_of_the_corpus_is_scored_assigned_reviewed_and_kept_for_the_next_server(workspace):
    with served(workspace) as address, api_of(address) as api:
        chair = Chair(api)
        submitted = "id,title,abstract\n" + "".join(f"s{i},On galaxies {i},We study halos.\n" for i in range(3))
        assert chair.send("submissions", submitted.encode(), "submissions.csv").status_code == 200
        sent = chair.send("committee", b"a0\na1\na2\na3\nnobody\n", "committee.txt").json()
        committee = {one["kind"]: one for one in sent["files"]}["committee"]
        assert committee["odd"][0]["where"] == [{"line": 5, "text": "nobody", "file": ""}]
        chair.score()
        assert chair.solve()["state"] == "done"
        assert chair.get("/scores/why", paper="s0", reviewer="a0")["papers"]
        whole_conference(api, "The whole way")
        kept = kept_submission(api, "a1", WORD)
        profile = api.get("profiles/a1")
        assert profile.status_code == 200, profile.text
    with served(workspace) as address, api_of(address) as api:
        assert [one["name"] for one in api.get("conferences").json()] == ["The whole way", "Invented"]
        assert api.get(f"submissions/{kept}").json()["reviewers"][0]["person"] == "a1"
        assert api.get("desk/people/a1").json()["note"]["text"] == f"knows about {WORD}"


def test_nothing_confidential_reaches_the_database_server(workspace, mongo_uri, mongo_database):
    with served(workspace) as address, api_of(address) as api:
        chair = whole_conference(api, WORD, WORD)
        kept_submission(api, "a1", WORD)
        assert (workspace.path / "desk.sqlite").stat().st_mode & 0o077 == 0
        assert not workspace.corpus_path.exists()
        with pymongo.MongoClient(mongo_uri) as client:
            database = client[mongo_database]
            everything = [str(one) for name in database.list_collection_names() for one in database[name].find()]
        assert len(everything) >= 12
        assert not any(WORD in one for one in everything)
        assert api.delete(chair.path).status_code == 204
