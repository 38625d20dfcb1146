"""One conference twice: with papers 1…n and reviewers called `2` or `load`, and with ids that nothing else is."""

from desk_support import Chair
from waiting import finished

PAPERS, PEOPLE = 12, 8
WORDS = ("Larch", "Beech", "Cedar", "Maple", "Aspen", "Hazel", "Rowan", "Alder", "Birch", "Elder", "Olive", "Walnut")
TITLES = [f"On the bark of {word}" for word in WORDS]
NAMES = [f"{first} Vimond" for first in ("Ada", "Bea", "Cleo", "Dora", "Edda", "Fern", "Gina", "Hana")]
SMALL = [str(number) for number in range(1, PAPERS + 1)], ["2", "3", "each", "load", "need", "paper", "review", "to"]
LONG = [f"venue:{number:0>6}" for number in SMALL[0]], [f"~Member_{at}" for at in range(PEOPLE)]
"""Ids of papers and people; both kinds are in the same order, also by name."""
LONG = [f"venue:{sorted(SMALL[0]).index(number):06}" for number in SMALL[0]], LONG[1]


def build(api, ids):
    """A conference with these ids, which went the whole way: solutions, changes, reviews, calibration."""
    papers, people = ids
    chair = Chair(api, "Numbers")
    lines = "".join(f'{paper},{title},"{title} and its colour."\n' for paper, title in zip(papers, TITLES, strict=True))
    _sent(chair.send("submissions", f"id,title,abstract\n{lines}".encode(), "submissions.csv"))
    scores = (
        f"{paper},{who},{((5 * i + 3 * j) % 7) / 7 + i / 100 + j / 1000:.4f}\n"
        for i, paper in enumerate(papers)
        for j, who in enumerate(people)
    )
    _sent(chair.send("scores", "".join(scores).encode(), "scores.csv"))
    named = "".join(f"{who},{name}\n" for who, name in zip(people, NAMES, strict=True))
    _sent(chair.send("reviewers", f"reviewer,name\n{named}".encode(), "reviewers.csv"))
    _sent(chair.send("constraints", f"{papers[0]},{people[3]},-1\nnobody,{people[3]},-1\n".encode(), "conflicts.csv"))
    odd = chair.get("/files")
    chair.post("/files/constraints/known")
    assert chair.solve(demand=4, most=3)["state"] == "infeasible"
    chair.solve(demand=2, most=3)
    chair.solve(demand=2, most=4, method="total")
    chair.post("/solutions/3/choose")
    (paper, who), other = chair.pairs(3)[0], people[4]
    chair.post("/changes", {"action": "replace", "paper": paper, "reviewer": who, "other": _free(chair, paper)})
    chair.post("/changes", {"action": "quota", "quotas": {people[3]: 2, people[0]: 3}})
    chair.post("/changes", {"action": "demand", "paper": papers[2], "number": 3})
    chair.post("/changes", {"action": "decline", "reviewer": other})
    chair.post("/changes/8/undo")
    number = chair.post("/solutions", {"keep": True})["number"]
    finished(lambda: chair.get(f"/solutions/{number}"))
    pairs = chair.pairs(3)
    rows = "".join(f"{paper},{who},{1 + (3 * at) % 5}\n" for at, (paper, who) in enumerate(pairs[2:]))
    _sent(chair.send_reviews("scores", f"paper,reviewer,score\n{rows}{papers[1]},{people[6]},4\n".encode()))
    chair.post("/calibration")
    chair.odd = odd
    return chair


def answers(chair, ids):
    """Everything that the conference says, by where; ids that stand alone are named `id`."""
    papers, people = ids
    said = {
        path: chair.get(path)
        for path in (
            "/events",
            "/assignment",
            "/files",
            "/reviews",
            "/papers",
            "/people",
            "/next",
            "/calibration",
            "/conflicts",
        )
    }
    for paper in papers[:4]:
        said[f"paper {papers.index(paper)}"] = chair.get("/paper", id=paper)
        for at, who in enumerate(people):
            said[f"why {papers.index(paper)} {at}"] = chair.get("/solutions/3/why", paper=paper, reviewer=who)
    for at, who in enumerate(people):
        said[f"person {at}"] = chair.get("/person", id=who)
    said["against"] = chair.get("/solutions/3/against/4")
    known = {*papers, *people}
    return {where: _plain(answer, known) for where, answer in said.items()}


def files(chair):
    """What can be taken away in words: reports and the history."""
    paths = ("/solutions/3/export?format=report&pending=leave", "/calibration/report", "/events/export")
    answers = {path: chair.api.get(chair.path + path) for path in paths}
    assert all(answer.status_code == 200 for answer in answers.values()), answers
    return {path: answer.text for path, answer in answers.items()}


def refusals(chair, ids):
    """What changes are refused with."""
    (first, *_), (_, _, _, banned, *_) = ids
    lock = chair.api.post(f"{chair.path}/changes", json={"action": "lock", "paper": first, "reviewer": banned})
    least = chair.api.post(f"{chair.path}/solutions", json={"settings": {"demand": 2, "most": 1, "least": 1}})
    return [lock.json()["detail"], least.json().get("detail")]


def _free(chair, paper):
    taken = {who for other, who in chair.pairs(3) if other == paper}
    rows = chair.get("/scores/pairs", of="paper", id=paper)["rows"]
    return next(row["reviewer"] for row in reversed(rows) if row["reviewer"] not in taken)


def _plain(answer, ids, by_id=False):
    """An answer without ids and moments: those differ."""
    if isinstance(answer, dict):
        return {
            "id" if by_id else key: _plain(value, ids, key in ("quotas", "demands", "unchecked_people"))
            for key, value in answer.items()
            if key not in ("at", "begun", "bytes", "digest", "of", "job", "value")
        }
    if isinstance(answer, list):
        return [_plain(value, ids) for value in answer]
    return "id" if isinstance(answer, str) and answer in ids else answer


def _sent(answer):
    assert answer.status_code == 200, answer.text
