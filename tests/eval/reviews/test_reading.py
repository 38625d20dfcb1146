"""From files to sentences: layouts, markup, languages, and what cannot be used."""

import gzip
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.reviews.reading.files import read_review_file, review_of
from eval.reviews.reading.markup import is_english, plain_text
from eval.reviews.reading.sentences import already_split, split
from panelist.errors import InputError

FORM = """- Strengths:
The idea is new. It is shown in Fig. 3, e.g. by Smith et al. (2014).

- Weaknesses:
1. The baseline is weak
2. Why is Table 2
missing a row?

Minor comments: typos.
"""


def texts(text):
    return [(s.text, s.heading, s.is_heading) for s in split(text)]


def test_a_form_is_split_into_headings_items_and_sentences():
    assert texts(FORM) == [
        ("- Strengths:", "", True),
        ("The idea is new.", "strengths", False),
        ("It is shown in Fig. 3, e.g. by Smith et al. (2014).", "strengths", False),
        ("- Weaknesses:", "", True),
        ("1. The baseline is weak", "weaknesses", False),
        ("2. Why is Table 2 missing a row?", "weaknesses", False),
        ("Minor comments:", "", True),
        ("typos.", "minor comments", False),
    ]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is 3.5 times faster. We agree.", 2),
        ("See Eq. 4 and Sec. 2. The rest is fine.", 2),
        ("Really?! Yes.", 2),
        ("A. Smith wrote it.", 1),
        ("no capital. so no break", 1),
        ("They use LSTMs, GRUs, etc. The results follow.", 2),
        ("========\nText after a rule.", 1),
        ("", 0),
        ("  \n\n ", 0),
    ],
)
def test_full_stops_end_sentences_where_they_should(text, count):
    assert len(split(text)) == count


def test_a_wrapped_line_that_ends_in_a_colon_is_not_a_heading():
    found = split("Another work that they should\nconsider is:\n- Barbieri et al. on lyrics.")
    assert not any(sentence.is_heading for sentence in found)


@given(st.text(alphabet="aA1 .?!:\n-*#\"'()é…", max_size=200))
def test_positions_lead_back_to_the_text(text):
    found = split(text)
    for sentence in found:
        assert " ".join(text[sentence.start : sentence.end].split()) == sentence.text
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    kept = "".join("".join(s.text.split()) for s in found)
    assert sum(map(str.isalnum, kept)) == sum(map(str.isalnum, text))  # nothing that can be read is lost


def test_headings_are_separated_from_sentences_that_are_split_already():
    found = already_split(["Summary:\nIt proposes a model.", "Good.", "Cons:", "Slow."])
    assert [(s.text, s.heading, s.is_heading) for s in found] == [
        ("It proposes a model.", "summary", False),
        ("Good.", "summary", False),
        ("Cons:", "cons", True),
        ("Slow.", "cons", False),
    ]


def test_markup_is_removed_and_structure_kept():
    html = "<h2>Strengths</h2><ul><li>New &amp; <b>clear</b></li><li>Fast</li></ul><script>x()</script><p>End</p>"
    assert [line for line in plain_text(html).split("\n") if line.strip()] == [
        "Strengths:", "- New & clear", "- Fast", "End",
    ]  # fmt: skip
    assert plain_text("## Weaknesses\n**Very** *slow*, see [the docs](https://x.org) and `code`") == (
        "Weaknesses:\nVery slow, see the docs and code"
    )
    assert plain_text("a * b and 2 * 3, x_1 and y_2, 5 < 6 & 7") == "a * b and 2 * 3, x_1 and y_2, 5 < 6 & 7"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The paper is well written and the experiments are convincing.", True),
        ("Das Papier ist gut geschrieben, aber die Experimente sind nicht überzeugend genug für mich.", False),
        ("L'article est bien écrit mais les expériences ne sont pas convaincantes du tout pour nous.", False),
        ("本文提出了一种新的方法,实验结果很好。", False),
        ("Nice work", True),
        ("", True),
    ],
)
def test_english_is_distinguished_from_other_languages(text, english):
    assert is_english(text) is english


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_csv_in_any_order_with_further_columns(tmp_path):
    path = write(tmp_path / "r.csv", "Score,Review,paper,decision\n6: weak accept,Fine work.,p1,accept\n,,p2,reject\n")
    first, second = read_review_file(path).reviews
    assert (first.id, first.paper, first.score, first.text) == ("p1#1", "p1", 6.0, "Fine work.")
    assert first.columns == {"decision": "accept"}
    assert second.score is None
    assert second.flags == ("no score", "empty")
    assert not second.tagged


def test_json_lines_and_papers_with_nested_reviews_gzipped(tmp_path):
    path = tmp_path / "r.jsonl.gz"
    rows = [
        {"paper": "a", "title": "T", "abstract": "A", "reviews": [{"comments": "One.", "recommendation": "4"}]},
        {"paper": "b", "text": "Two.", "reviewer": "x", "id": "own"},
    ]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    found = read_review_file(path)
    assert [(r.id, r.paper, r.reviewer, r.score) for r in found.reviews] == [
        ("a/1", "a", "", 4.0), ("own", "b", "x", None),
    ]  # fmt: skip
    assert [(p.id, p.title) for p in found.papers] == [("a", "T")]


@pytest.mark.parametrize("version", [1, 2])
def test_openreview_notes_of_both_versions(tmp_path, version):
    def content(**values):
        return values if version == 1 else {name: {"value": value} for name, value in values.items()}

    notes = [
        {"id": "f", "forum": "f", "invitation": "V/-/Submission", "content": content(title="T", abstract="A")},
        {
            "id": "r1", "forum": "f", "replyto": "f", "invitations": ["V/Submission1/-/Official_Review"],
            "signatures": ["V/Reviewer_A"],
            "content": content(summary="It is a model.", weaknesses="It is slow.", rating="6: ok", confidence="4"),
        },
        {"id": "m", "forum": "f", "replyto": "f", "invitation": "V/-/Meta_Review",
         "content": content(metareview="Yes.")},
        {"id": "c", "forum": "f", "replyto": "r1", "invitation": "V/-/Comment", "content": content(comment="Thanks.")},
        {"id": "b", "forum": "f", "replyto": "r1", "invitations": ["V/Submission1/Official_Review1/-/Rebuttal"],
         "content": content(comment="It is fast.")},
    ]  # fmt: skip
    found = read_review_file(write(tmp_path / "n.json", json.dumps({"notes": notes})))
    (review,) = found.reviews
    assert review.text == "Summary:\nIt is a model.\n\nWeaknesses:\nIt is slow."
    assert (review.score, review.reviewer, review.columns["confidence"]) == (6.0, "V/Reviewer_A", "4")
    assert found.metareviews == {"f": "Yes."}
    assert [p.title for p in found.papers] == ["T"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("r.csv", "", r"lacks .*paper, text"),
        ("r.csv", "paper,score\na,1\n", "lacks the column text"),
        ("r.csv", "paper,text\n", "has no reviews"),
        ("r.csv", "paper,text,text\na,b,c\n", "column 'text' twice"),
        ("r.csv", "paper,text\na,b,c\n", "line 2: expected 2 fields"),
        ("r.csv", 'paper,text\na,"b\n', "line 2: not CSV"),
        ("r.csv", "paper,text\n,b\n", "the paper is empty"),
        ("r.csv", "id,paper,text\n1,a,x\n1,a,y\n", r"line 3: .*id '1' .*line 2"),
        ("r.jsonl", '{"paper": "a", "text": "x"}\n{"paper"\n', "line 2 is not JSON"),
        ("r.jsonl", '{"paper": "a", "text": 5}\n', r"text must .*string"),
        ("r.jsonl", "5\n6\n", "expected a JSON object"),
        ("r.jsonl", '{"reviews": [{"text": "x"}], "title": "t"}', r"id .*field 'paper'"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message) as error:
        read_review_file(write(tmp_path / name, content))
    assert "\n" not in str(error.value)


def test_a_missing_file_and_one_that_is_not_text_are_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        read_review_file(tmp_path / "no.csv")
    (tmp_path / "r.csv").write_bytes(b"paper,text\na,\xff\x81\n")
    with pytest.raises(InputError, match="not text in UTF-8"):
        read_review_file(tmp_path / "r.csv")
    packed = gzip.compress(b"paper,text\na,b\n" * 99)
    for damaged in (packed[:-12], packed[:10] + b"\xff" * 9 + packed[19:]):
        (tmp_path / "r.csv.gz").write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged"):
            read_review_file(tmp_path / "r.csv.gz")


def test_an_id_of_blanks_is_not_an_id(tmp_path):
    path = write(tmp_path / "r.csv", "id,paper,text\n ,p1,One.\n ,p1,Two.\n")
    assert [review.id for review in read_review_file(path).reviews] == ["p1#1", "p1#2"]


def test_long_short_and_foreign_reviews_are_flagged():
    assert review_of("The method is good. " * 5000).flags[-1].startswith("20,000 words, more than 10,000")
    assert "only 2 words" in review_of("Nice paper.").flags
    foreign = review_of("Die Arbeit ist sehr gut geschrieben und die Ergebnisse sind neu und wichtig für das Fach.")
    assert not foreign.tagged
    assert "not in English: it is not tagged" in foreign.flags
