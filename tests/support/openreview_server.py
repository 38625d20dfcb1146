"""A small OpenReview that speaks the shapes of API 2 (notes, groups, profiles, invitations, edges), and trouble."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

VENUE = "Invented.cc/2026/Conference"
GROUP = f"{VENUE}/Reviewers"
LOST = "the action is done, and no answer comes"


def wrapped(**content):
    return {name: {"value": one} for name, one in content.items()}


def submission(number, venueid=f"{VENUE}/Submission", replies=()):
    content = wrapped(
        title=f"Title {number}", abstract=f"Abstract {number}", authors=["Ann"], authorids=["~Ann1"], venueid=venueid
    )
    return {
        "id": f"note{number:04}",
        "number": number,
        "invitations": [f"{VENUE}/-/Submission"],
        "content": content,
        "details": {"replies": list(replies)},
    }


def review(number, who, rating):
    return {
        "id": f"review{number}",
        "forum": f"note{number:04}",
        "invitations": [f"{VENUE}/Submission{number}/-/Official_Review"],
        "signatures": [who],
        "content": wrapped(review="A thorough text.", rating=rating),
    }


def profile(name, email=None, place="University of X"):
    history = [
        {
            "position": "Professor",
            "start": 2020,
            "end": None,
            "institution": {"name": place, "domain": "x.org", "country": "NO"},
        }
    ]
    names = [{"fullname": name.strip("~1").replace("_", " "), "username": name}]
    return {
        "id": name,
        "email": email,
        "content": {"names": names, "history": history, "emailsConfirmed": [email] if email else []},
    }


def edge_form(name):
    return {
        "id": f"{GROUP}/-/{name}",
        "edge": {
            "readers": [VENUE, f"{VENUE}/Submission${{{{2/head}}/number}}/Area_Chairs", "${2/tail}"],
            "nonreaders": [f"{VENUE}/Submission${{{{2/head}}/number}}/Authors"],
            "writers": [VENUE],
            "signatures": {"param": {"regex": ".*", "default": [f"{VENUE}/Program_Chairs"]}},
        },
    }


class OpenReviewServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, page=2):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url, self.page = f"http://127.0.0.1:{self.server_port}", page
        self.notes, self.profiles, self.edges = [], [], {}
        self.publications = []
        self.groups = {
            VENUE: {"id": VENUE, "members": [], "content": wrapped(reviewers_id=GROUP)},
            GROUP: {"id": GROUP, "members": []},
        }
        self.invitations = {
            one["id"]: one for one in map(edge_form, ("Affinity_Score", "Conflict", "Proposed_Assignment"))
        }
        self.tokens, self.logins = {"good"}, 0
        self.trouble = []  # what happens to the next requests: (path, status or LOST, headers)
        self.asked = []

    def edge(self, name, head, tail, weight=1.0, label=None, **more):
        number = len(self.edges)
        one = {
            "id": f"edge{number:05}",
            "invitation": f"{GROUP}/-/{name}",
            "head": head,
            "tail": tail,
            "weight": weight,
            "label": label,
        }
        self.edges[one["id"]] = one | more
        return one["id"]

    def of(self, name):
        return {
            (one["head"], one["tail"]): one["weight"]
            for one in self.edges.values()
            if one["invitation"].endswith(f"/-/{name}")
        }


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urlsplit(self.path)
        self.act(parts.path.strip("/"), {name: values[0] for name, values in parse_qs(parts.query).items()}, None)

    def do_POST(self):
        self.act(
            urlsplit(self.path).path.strip("/"), {}, json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        )

    def act(self, path, query, body):
        server = self.server
        server.asked.append((path, query, self.headers.get("Authorization")))
        trouble = next((one for one in server.trouble if one[0] == path), None)
        if trouble is not None:
            server.trouble.remove(trouble)
            if trouble[1] is not LOST:
                return self.answer(trouble[1], {"message": "trouble"}, trouble[2])
        if path == "login":
            server.logins += 1
            if body["password"] != "right":
                return self.answer(400, {"message": "Invalid username or password"})
            server.tokens.add(f"token{server.logins}")
            return self.answer(200, {"token": f"token{server.logins}", "user": {"id": body["id"]}})
        if (self.headers.get("Authorization") or "").removeprefix("Bearer ") not in server.tokens:
            return self.answer(401, {"name": "TokenExpiredError", "message": "Token has expired, please log in again."})
        result = getattr(self, f"on_{path.replace('/', '_')}")(query, body)
        if trouble is not None:
            self.close_connection = True
            return self.connection.close()
        return self.answer(*result) if isinstance(result, tuple) else self.answer(200, result)

    def on_notes(self, query, body):
        if "content.authorids" in query:
            who = query["content.authorids"]
            found = [one for one in self.server.publications if who in one["content"]["authorids"]["value"]]
        else:
            found = [one for one in self.server.notes if query["invitation"] in one["invitations"]]
        return {"notes": self.paged(found, query), "count": len(found)}

    def on_groups(self, query, body):
        return {"groups": [self.server.groups[query["id"]]] if query["id"] in self.server.groups else []}

    def on_invitations(self, query, body):
        return {"invitations": [self.server.invitations[query["id"]]] if query["id"] in self.server.invitations else []}

    def on_profiles_search(self, query, body):
        ids, emails = set(body.get("ids", ())), set(body.get("confirmedEmails", ()))
        found = [one for one in self.server.profiles if one["id"] in ids or one["email"] in emails]
        return {"profiles": found, "count": len(found)}

    def on_edges(self, query, body):
        wanted = {name: query[name] for name in ("invitation", "label") if name in query}
        found = [one for one in self.server.edges.values() if wanted.items() <= one.items()]
        return {"edges": self.paged(found, query), "count": len(found)}

    def on_edges_bulk(self, query, body):
        made = []
        for one in body:
            number = one.get("id") or f"edge{len(self.server.edges):05}"
            self.server.edges[number] = {**one, "id": number}
            made.append(self.server.edges[number])
        return made

    def paged(self, found, query):
        found = sorted(found, key=lambda one: one["id"])
        return [one for one in found if one["id"] > query.get("after", "")][
            : min(int(query["limit"]), self.server.page)
        ]

    def answer(self, status, value, headers=None):
        body = json.dumps(value).encode()
        self.send_response(status)
        for name, one in ({"Content-Length": str(len(body))} | (headers or {})).items():
            self.send_header(name, one)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@contextmanager
def openreview():
    """A venue with three open submissions, one withdrawn, and three members, one without a profile."""
    with OpenReviewServer() as server:
        server.notes = [submission(1, replies=[review(1, "~Bo1", "6: weak accept")]), submission(2), submission(3)]
        server.notes += [submission(4, venueid=f"{VENUE}/Withdrawn_Submission")]
        server.groups[GROUP]["members"] = ["~Bo1", "cy@z.org", "~Dan1"]
        server.profiles = [profile("~Bo1"), profile("~Cy1", "cy@z.org")]
        for number, who in enumerate(["~Bo1", "~Bo1", "~Bo1", "~Cy1"]):
            content = wrapped(title=f"Paper {number}", abstract="Text.", authors=["X"], authorids=[who], year=2020)
            server.publications.append({"id": f"pub{number}", "content": content})
        server.edge("Bid", "note0001", "~Bo1", label="Very High")
        server.edge("Bid", "note0002", "cy@z.org", label="Low")
        server.edge("Bid", "note0004", "~Bo1", label="High")
        server.edge("Conflict", "note0003", "~Bo1", -1, "Conflict")
        server.edge("Custom_Max_Papers", GROUP, "~Bo1", 2)
        server.edge("Assignment", "note0001", "~Bo1", 1)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
