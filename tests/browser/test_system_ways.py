"""From three files as a conference system exports them to the assignment that it takes: at most 15 clicks."""

import csv
import io
import json
import re

import pytest
from browser_support import needs_browser
from conference_support import zipped
from panel_support import at, paper
from systems_support import CMT, EASYCHAIR, HOTCRP
from web_support import make_workspace, start_service

from panelist.corpus.systems.pairs import native_pairs

pytestmark = [pytest.mark.browser, needs_browser]

TOPICS = (
    "sorting of lists",
    "searching in graphs",
    "colouring of maps",
    "packing of boxes",
    "routing of trucks",
    "merging of files",
)
PEOPLE = ("Finn Hay", "Hal Jones", "Gus Ives", "Ada Lovelace", "Ida Kay", "Jon Lee", "Kim Moe")
EMAILS = {name: "{}@{}.org".format(*name.lower().split()) for name in PEOPLE}
MEMBERS = {name: str(11 + number) for number, name in enumerate(PEOPLE)}
AUTHORS = ("Ada Lovelace", "Bo Ek", "Cy Dee", "Dan Fox", "Eve Gil", "Flo Hem")
ADDRESS = {name: EMAILS.get(name, f"{name.split()[0].lower()}@z.org") for name in AUTHORS}
PAPERS = range(1, len(AUTHORS) + 1)
DECLARED = ("2", "Hal Jones")  # a conflict that only the system knows
MOST_CLICKS = 15


def title(number):
    return f"Fast algorithms for large data: {TOPICS[number % len(TOPICS)]}"


def shaped(sample, rows, delimiter=","):
    """A table with the header of a system's file and what stands above it; rows by column."""
    above = sample.splitlines(keepends=True)
    number = next(n for n, line in enumerate(above) if line.strip(",\n") and line.count(delimiter) and "20" not in line)
    header = next(csv.reader([above[number]], delimiter=delimiter))
    assert all(set(row) <= set(header) for row in rows), header
    out = io.StringIO("".join(above[: number + 1]))
    out.seek(0, io.SEEK_END)
    csv.DictWriter(out, header, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def split(name):
    return dict(zip(("first", "last"), name.split(), strict=True))


def hotcrp():
    """Its JSON of submissions, its users and its preferences with conflicts."""
    (sample,) = json.loads(HOTCRP["data.json"])
    papers = [
        {**sample, "pid": number, "title": title(number), "abstract": f"We study {title(number)}.", "pc_conflicts": {}}
        | {"authors": [{"email": ADDRESS[name], **split(name), "affiliation": f"University of {name}"}]}
        for number, name in zip(PAPERS, AUTHORS, strict=True)
    ]
    users = [
        {"given_name": name.split()[0], "family_name": name.split()[1], "email": EMAILS[name], "roles": "pc"}
        for name in PEOPLE
    ]
    wishes = [
        {"paper": number, "email": EMAILS[name], "preference": 5 if (number + at) % 3 else -5, "conflict": ""}
        for number in PAPERS
        for at, name in enumerate(PEOPLE)
        if (str(number), name) != DECLARED
    ]
    wishes.append({"paper": DECLARED[0], "email": EMAILS[DECLARED[1]], "conflict": "conflict"})
    return {
        "conf-data.json": json.dumps(papers).encode(),
        "conf-users.csv": shaped(HOTCRP["users.csv"], users).encode(),
        "conf-allprefs.csv": shaped(HOTCRP["allprefs.csv"], wishes).encode(),
    }


def easychair():
    """Its tables of submissions and authors as one archive, its committee and its bids."""
    papers = [
        {"#": n, "title": title(n), "authors": AUTHORS[n - 1], "abstract": f"We study {title(n)}.", "deleted?": "no"}
        for n in PAPERS
    ]
    authors = [
        {"submission #": n, "first name": name.split()[0], "last name": name.split()[1], "email": ADDRESS[name]}
        for n, name in zip(PAPERS, AUTHORS, strict=True)
    ]
    committee = [
        {
            "#": MEMBERS[name],
            "first name": name.split()[0],
            "last name": name.split()[1],
            "email": EMAILS[name],
            "role": "PC member",
        }
        for name in PEOPLE
    ]
    bids = [
        {
            "member #": MEMBERS[name],
            "member name": name,
            "submission #": n,
            "bid": "conflict" if (str(n), name) == DECLARED else "maybe",
        }
        for n in PAPERS
        for name in PEOPLE
    ]
    archive = {
        "submission.csv": shaped(EASYCHAIR["submission.csv"], papers),
        "author.csv": shaped(EASYCHAIR["author.csv"], authors),
    }
    return {
        "submissions.zip": zipped(archive),
        "committee.csv": shaped(EASYCHAIR["committee.csv"], committee).encode(),
        "bidding.csv": shaped(EASYCHAIR["bidding.csv"], bids).encode(),
    }


def cmt():
    """Its papers as saved from a workbook, its reviewers and its conflicts."""
    papers = [
        {
            "Paper ID": n,
            "Paper Title": title(n),
            "Abstract": f"We study {title(n)}.",
            "Author Names": "{last}, {first} (Z)*".format(**split(name)),
            "Author Emails": f"{ADDRESS[name]}*",
        }
        for n, name in zip(PAPERS, AUTHORS, strict=True)
    ]
    people = [
        {
            "First Name": name.split()[0],
            "Last Name": name.split()[1],
            "E-mail": EMAILS[name],
            "Organization": f"Institute {name}",
        }
        for name in PEOPLE
    ]
    conflicts = CMT["Conflicts.xml"].replace('"1"', f'"{DECLARED[0]}"').replace("hal@u.org", EMAILS[DECLARED[1]])
    return {
        "Papers.csv": shaped(CMT["Papers.csv"], papers).encode(),
        "Reviewers.txt": shaped(CMT["Reviewers.txt"], people, "\t").encode(),
        "Conflicts.xml": conflicts.encode(),
    }


WAYS = {
    "hotcrp": (hotcrp, EMAILS, "assignment-hotcrp.csv", r"paper,action,email\n(\d+,primary,\w+@\w+\.org\n)+"),
    "easychair": (
        easychair,
        MEMBERS,
        "assignment-easychair.csv",
        r"member #,member name,submission #\n(\d+,\w+ \w+,\d+\n)+",
    ),
    "cmt": (
        cmt,
        EMAILS,
        "assignment-cmt.xml",
        r'<\?xml version="1.0" encoding="utf-8"\?>\n<assignments>\n'
        r'(  <submission submissionId="\d">\n(    <user email="\w+@\w+\.org" />\n)+  </submission>\n)+</assignments>\n',
    ),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    papers = [
        paper(
            f"{name.split()[0]}{number}",
            at(f"a-{name.split()[0]}", name=name),
            title=f"Notes {number} on {title(place + number)}",
        )
        for place, name in enumerate(PEOPLE)
        for number in range(3)
    ]
    return start_service(make_workspace(tmp_path_factory.mktemp("web"), papers))


class Clicks:
    """A page whose clicks are counted."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def press(self, selector):
        page = self.page
        page.until(lambda: page.all(selector) and page.one(selector).is_displayed() and page.one(selector).is_enabled())
        self.count += 1
        page.click(selector)


@pytest.mark.parametrize("system", WAYS)
def test_from_three_files_of_a_system_to_the_file_that_it_takes(window, address, tmp_path, system):
    files, keys, name, form = WAYS[system]
    page, clicks = window, Clicks(window)
    page.open(f"{address}/conferences")
    page.one("#name").send_keys(system)
    clicks.press("#create button")
    clicks.press("#steps [data-action=files]")
    page.until(lambda: page.all("#chosen") and page.texts("#conference-name") == [system])
    clicks.press("#choose")  # the window of the operating system opens, in which all three are marked
    paths = []
    for file, content in files().items():
        (tmp_path / file).write_bytes(content)
        paths.append(str(tmp_path / file))
    assert len(paths) == 3
    page.one("#chosen").send_keys("\n".join(paths))
    page.until(lambda: len(page.all(".kind.there")) == 3)
    assert [text for text in page.texts(".oddities li") if "not used" not in text] == []
    for action in ("score", "assign", "choose"):
        clicks.press(f"#steps [data-action={action}]")
    page.until(lambda: not page.all("#steps [data-action=choose]"))
    clicks.press(".tabs a[href$=assignment]")
    clicks.press(f"#exports [data-format={system}]")
    text = page.downloaded(name)
    assert re.fullmatch(form, text)
    (tmp_path / name).write_text(text)
    pairs = {
        tuple(row[:2]) for _, row in native_pairs(tmp_path / name, enumerate(csv.reader(io.StringIO(text)), 1), "score")
    }
    assert len(pairs) == 3 * len(PAPERS)
    assert {number for number, _ in pairs} == {str(number) for number in PAPERS}
    assert {who for _, who in pairs} <= set(keys.values())
    assert ("1", keys["Ada Lovelace"]) not in pairs  # who wrote it
    assert (DECLARED[0], keys[DECLARED[1]]) not in pairs
    assert 0 < clicks.count <= MOST_CLICKS
