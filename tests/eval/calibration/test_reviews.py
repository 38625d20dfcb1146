"""Reading reviews: what is accepted, and the one line about what is not."""

import numpy as np
import pytest

from eval.calibration.reviews import read_reviews
from panelist.errors import InputError


def write(tmp_path, text):
    path = tmp_path / "reviews.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_in_any_order_with_further_ones(tmp_path):
    text = '\ufeffscore, seniority,reviewer,paper\n3,senior,r1,p1\n\n 4.5 ,junior,r2,p1\n\n2,"a, b",r1,p2\n'
    table = read_reviews(write(tmp_path, text))
    assert len(table) == 3
    assert table.papers.names == ("p1", "p2")
    assert table.papers.codes.tolist() == [0, 0, 1]
    assert table.reviewers.names == ("r1", "r2")
    assert table.scores.tolist() == [3, 4.5, 2]
    assert table.columns == {"seniority": ("senior", "junior", "a, b")}
    assert table.grouped_by("seniority").counts().tolist() == [1, 1, 1]


def test_taking_some_reviews_renumbers_the_groups(tmp_path):
    table = read_reviews(write(tmp_path, "paper,reviewer,score,c\np1,r1,1,x\np2,r2,2,y\np1,r2,3,z\n"))
    part = table.take(np.array([2, 1]))
    assert part.papers.names == ("p1", "p2")
    assert part.reviewers.names == ("r2",)
    assert part.scores.tolist() == [3, 2]
    assert part.columns == {"c": ("z", "y")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"empty.* paper,reviewer,score"),
        ("paper,reviewer,score\n", "has no reviews"),
        ("paper,score\np,1\n", r"lacks.* reviewer: .*received paper,score$"),
        ("id,mark\np,1\n", r"lacks .*paper, reviewer, score"),
        ("paper,reviewer,score,score\np,r,1,2\n", "column 'score' twice"),
        ("paper,reviewer,score\np,r,1\nq,r,good\n", r"line 3: .*score .*received 'good'"),
        ("paper,reviewer,score\np,r,\n", r"line 2: .*score .*received ''"),
        ("paper,reviewer,score\np,r,inf\n", r"line 2: .*score .*received 'inf'"),
        ("paper,reviewer,score\n,r,1\n", r"line 2: .*paper.* empty"),
        ("paper,reviewer,score\np,,1\n", r"line 2: .*reviewer.* empty"),
        ("paper,reviewer,score\np,r\n", r"line 2: expected 3 .*received 2"),
        (
            "paper,reviewer,score\np,r,1\nq,r,1\np,r,2\n",
            r"line 4: .*'r' .*'p' .*line 2.* keep one",
        ),
        ('paper,reviewer,score\np,"r,1\n', "line 2: not CSV"),
    ],
)
def test_unusable_table_of_reviews_is_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read_reviews(write(tmp_path, text))


def test_missing_or_binary_file_of_reviews_is_refused(tmp_path):
    with pytest.raises(InputError, match="No such file"):
        read_reviews(tmp_path / "nowhere.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"paper,reviewer,score\n\xff\x81,r,1\n")
    with pytest.raises(InputError, match=r"'.*binary\.csv' .*UTF-8"):
        read_reviews(binary)


DIALECTS = {
    "semicolons": b"paper;reviewer;score;note\np1;r1;3;a,b\np2;r1;4.5;\n",
    "decimal commas": b"paper;reviewer;score;note\np1;r1;3,0;a,b\np2;r1;4,5;\n",
    "capitals": b'Paper,REVIEWER,Score,note\np1,r1,3,"a,b"\np2,r1,4.5,\n',
    "excel": b'sep=;\r\n"Paper";Reviewer;Score;note\r\np1;r1;3;a,b\r\np2;r1;4,5;\r\n',
    "tabs": b"paper\treviewer\tscore\tnote\np1\tr1\t3\ta,b\np2\tr1\t4.5\t\n",
    "utf-16": "paper\treviewer\tscore\tnote\np1\tr1\t3\ta,b\np2\tr1\t4.5\t\n".encode("utf-16"),
    "utf-16 big": b"\xfe\xff" + 'sep=,\nPaper,Reviewer,Score,note\np1,r1,3,"a,b"\np2,r1,4.5,\n'.encode("utf-16-be"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_of_spreadsheets_are_read(tmp_path, dialect):
    path = tmp_path / "reviews.csv"
    path.write_bytes(DIALECTS[dialect])
    table = read_reviews(path)
    assert table.papers.names == ("p1", "p2")
    assert table.scores.tolist() == [3, 4.5]
    assert table.columns == {"note": ("a,b", "")}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("paper,reviewer,score\np,r,1\n".encode("utf-16-le"), r"zero bytes.* 'CSV UTF-8'"),
        (b"sep=;\npaper,reviewer,score\np,r,1\n", r"lacks .*paper, reviewer, score"),
        (b"Paper,paper,reviewer,score\n1,2,3,4\n", "column 'paper' twice"),
        (b"sep=;\npaper;reviewer;score\np;r;x\n", r"line 3: .*score .*number"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(tmp_path, data, message):
    path = tmp_path / "reviews.csv"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        read_reviews(path)
