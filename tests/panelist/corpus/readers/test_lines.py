"""Lines of JSON: damage of every kind."""

import gzip
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reader_support import read_all, reasons, work, write_works

from panelist.corpus.readers import lines as lines_module
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import KEPT_REJECTIONS, ReadReport


def test_malformed_lines_are_reported_and_do_not_lose_the_good_ones(tmp_path):
    good = [json.dumps(work(number)).encode() for number in range(4)]
    path = tmp_path / "works.jsonl"
    path.write_bytes(
        b"\n".join([b"\xef\xbb\xbf" + good[0], b"{oops", b"", good[1] + b"\r", b"[1]", b"\xff\xfe", good[2]])
    )
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W0", "W1", "W2"]
    assert [(line, reason.split(":")[0]) for _, line, reason in reasons(report)] == [
        (2, "not JSON"),
        (5, "expected a JSON object, received a list"),
        (6, "not JSON"),
    ]
    assert str(report.rejections[0]).startswith(f"{path}:2: not JSON: ")


def test_an_empty_file_is_reported(tmp_path):
    for name, content in (("plain.jsonl", b""), ("zipped.jsonl.gz", gzip.compress(b""))):
        (tmp_path / name).write_bytes(content)
        papers, report = read_all(tmp_path / name)
        assert papers == []
        assert reasons(report) == [(name, 0, "the file is empty")]


def test_binary_noise_neither_stops_nor_floods(tmp_path):
    noise = random.Random(7).randbytes(200_000)
    path = tmp_path / "noise.jsonl"
    path.write_bytes(noise + b"\n" + json.dumps(work(1)).encode())
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W1"]
    assert report.rejected > len(report.rejections) == KEPT_REJECTIONS


def works_as_gzip(count):
    rng = random.Random(3)
    noise = [work(number, title=f"Title {rng.random()}") for number in range(count)]
    return gzip.compress("".join(json.dumps(each) + "\n" for each in noise).encode())


@pytest.mark.parametrize("keep", [0.999, 0.6, 0.2])
def test_a_truncated_gzip_gives_everything_before_the_cut(tmp_path, keep):
    whole = works_as_gzip(3000)
    path = tmp_path / "works.jsonl.gz"
    path.write_bytes(whole[: int(len(whole) * keep)])
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == [f"W{number}" for number in range(len(papers))]
    assert len(papers) > 3000 * (keep - 0.1)
    [(_, line, reason)] = reasons(report)
    assert line == len(papers) + 1
    assert (
        reason
        == f"the gzip data ends too early: the file is cut off; all {len(papers):,} whole lines before it were read"
    )


def test_a_gzip_cut_off_within_its_checksum_loses_nothing(tmp_path):
    path = tmp_path / "works.jsonl.gz"
    path.write_bytes(works_as_gzip(100)[:-4])
    papers, report = read_all(path)
    assert len(papers) == 100
    assert report.rejected == 1


def test_a_damaged_gzip_gives_everything_before_the_damage(tmp_path):
    content = bytearray(works_as_gzip(3000))
    middle = len(content) // 2
    content[middle : middle + 2000] = bytes(2000)
    path = tmp_path / "works.jsonl.gz"
    path.write_bytes(content)
    papers, report = read_all(path)
    assert len(papers) > 1300
    assert [paper.id for paper in papers][:1300] == [f"W{number}" for number in range(1300)]
    assert "the gzip data is damaged" in report.rejections[0].reason


def test_several_gzip_members_with_padding_are_one_file(tmp_path):
    path = tmp_path / "works.jsonl.gz"
    parts = [gzip.compress(json.dumps(work(number)).encode() + b"\n") for number in range(3)]
    path.write_bytes(parts[0] + parts[1] + b"\0" * 512 + parts[2] + b"\0" * 600_000)
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W0", "W1", "W2"]
    assert report.rejected == 0
    assert report.bytes_read == path.stat().st_size
    path.write_bytes(parts[0] + b"garbage")
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W0"]
    assert "the gzip data is damaged" in report.rejections[0].reason


def test_a_line_of_ten_megabytes_is_read_or_rejected_like_any_other(tmp_path):
    long = work(1, title="x" * 10_000_000)
    path = write_works(tmp_path / "works.jsonl", [long, work(2)])
    papers, report = read_all(path)
    assert [len(paper.title) for paper in papers] == [10_000_000, 7]
    path.write_bytes(b"x" * 10_000_000 + b"\n" + json.dumps(work(2)).encode())
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W2"]
    assert [line for _, line, _ in reasons(report)] == [1]


def test_a_line_beyond_all_measure_is_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE", 1 << 20)
    path = tmp_path / "works.jsonl"
    path.write_bytes(b"x" * 3_000_000 + b"\n" + json.dumps(work(2)).encode() + b"\n" + b"y" * 2_000_000)
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W2"]
    assert [(line, reason) for _, line, reason in reasons(report)] == [
        (1, "the line is longer than 1 MB"),
        (3, "the line is longer than 1 MB"),
    ]


@given(st.binary(max_size=3000), st.booleans(), st.integers(2, 50))
def test_lines_are_those_of_split_whatever_the_blocks(content, zipped, block):
    assume(not content.startswith(b"\x1f\x8b"))
    with tempfile.TemporaryDirectory() as directory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines_module, "_CHUNK", block)
        path = Path(directory, "file")
        path.write_bytes(gzip.compress(content) if zipped else content)
        found = list(read_lines(path, ReadReport()))
    expected = content.removesuffix(b"\n").removeprefix(b"\xef\xbb\xbf").split(b"\n") if content else []
    assert found == list(enumerate(expected, 1))


def test_a_file_that_cannot_be_read_is_reported(tmp_path):
    report = ReadReport()
    assert list(read_lines(tmp_path, report)) == []  # a directory: opening it fails
    assert "cannot be read" in report.rejections[0].reason
