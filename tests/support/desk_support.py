"""A chair and an editor at work over the wire: a conference in every state, and a kept submission with a note."""

from conference_support import openreview_folder, zipped
from waiting import finished

BINARY = {"Content-Type": "application/octet-stream"}
CSV = {"Content-Type": "text/csv"}
TEXT = "The paper is well written. The evaluation is weak because baselines are missing from table 2."


class Chair:
    """A conference at a server, from its files to its calibration.

    Args:
        api: a client whose base address is that of the API.
        name: of the conference.
    """

    def __init__(self, api, name="Invented"):
        self.api = api
        answer = api.post("conferences", json={"name": name}, params={"who": "Ada"})
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["id"]
        self.path = f"conferences/{self.id}"

    def send(self, kind, content, name="", **params):
        """Send a file; the answer."""
        path = f"{self.path}/files/{kind}"
        return self.api.put(path, content=content, headers=BINARY, params={"name": name, **params})

    def send_reviews(self, kind, content, **params):
        """Send texts or scores of reviews; the answer."""
        return self.api.put(f"{self.path}/reviews/{kind}", content=content, headers=CSV, params=params)

    def get(self, what="", **params):
        """What the API answers, as JSON."""
        answer = self.api.get(f"{self.path}{what}", params=params)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, what, body=None, **params):
        """Ask for something; the answer as JSON."""
        answer = self.api.post(f"{self.path}{what}", json=body, params=params)
        assert answer.status_code in (200, 201, 202), answer.text
        return answer.json()

    def score(self, **settings):
        """Score, and wait for it."""
        self.post("/score", {"model": "bm25"} | settings, who="Ada")
        assert finished(lambda: self.get("/score")["job"])["state"] == "done", self.get("/score")

    def solve(self, keep=False, **settings):
        """Make a solution, and wait for it."""
        body = {"keep": True} if keep else {"settings": {"demand": 2, "most": 4} | settings}
        number = self.post("/solutions", body, who="Ada")["number"]
        return finished(lambda: self.get(f"/solutions/{number}"))

    def pairs(self, number):
        """Who reviews what in a solution."""
        rows = self.get(f"/solutions/{number}/pairs", limit=500)["rows"]
        return [(row["pair"]["paper"], row["pair"]["reviewer"]) for row in rows]

    def check(self):
        """Check the texts of reviews, and wait for it; how it ended."""
        self.post("/reviews/check")
        return finished(lambda: self.get("/reviews")["check"])["state"]


def whole_conference(api, name="Invented", word="droplets"):
    """A conference that went the whole way; `word` stands in what the chair, the authors and the reviewers wrote."""
    chair = Chair(api, name)
    members = {key: text.replace(b"droplets", word.encode()) for key, text in openreview_folder(reviewers=8).items()}
    assert chair.send("openreview", zipped(members), "venue.zip").status_code == 200
    assert chair.send("constraints", b"s0,~Rev_11,-1,evidence\n", "conflicts.csv").status_code == 200
    chair.score()
    assert chair.solve()["state"] == "done"
    chair.post("/solutions/1/choose", who=word)
    gone = chair.pairs(1)[0]
    chair.post("/changes", {"action": "forbid", "paper": gone[0], "reviewer": gone[1]}, who=word)
    assert chair.solve(keep=True)["state"] == "done"
    chair.post("/solutions/2/choose")
    lines = [f'{one},{who},{4 + n % 3},"{TEXT} {word}."\n' for n, (one, who) in enumerate(chair.pairs(2))]
    texts = "paper,reviewer,score,text\n" + "".join(lines)
    assert chair.send_reviews("texts", texts.encode(), name=f"{word}.csv").status_code == 200
    assert chair.check() == "done"
    answer = api.post(f"{chair.path}/calibration", params={"accept": 1, "samples": 20})
    assert answer.status_code == 200, answer.text
    return chair


def kept_submission(api, person, word="droplets"):
    """A submission that an editor kept, with somebody invited and a note about them; its id."""
    body = {
        "submission": {"id": word, "title": f"On {word}", "abstract": f"We study {word}."},
        "reviewers": [{"id": person, "state": "shortlisted"}],
    }
    answer = api.post("submissions", json=body)
    assert answer.status_code == 201, answer.text
    note = api.put(f"desk/notes/{person}", json={"text": f"knows about {word}", "revision": 0})
    assert note.status_code == 200, note.text
    return answer.json()["id"]
