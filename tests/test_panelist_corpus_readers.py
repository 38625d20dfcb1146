"""Readers: every format, and everything that can be wrong with a file."""

import csv
import gzip
import json
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from panelist.config import data_dir
from panelist.corpus.readers import lines as lines_module
from panelist.corpus.readers import openalex, openreview, semanticscholar, tables
from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.lines import read_lines
from panelist.corpus.readers.report import KEPT_REJECTIONS, ReadReport
from panelist.corpus.readers.submissions import iter_submissions, read_submissions
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper, Submission

needs_data = pytest.mark.skipif(not data_dir().is_dir(), reason="the real data sets are absent (PANELIST_DATA)")


def work(number=1, **fields):
    return {
        "id": f"W{number}",
        "title": f"Title {number}",
        "abstract_inverted_index": {"an": [0], "abstract": [1]},
    } | fields


def write_works(path, works):
    content = "".join(json.dumps(each) + "\n" for each in works).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def read_all(*paths):
    report = ReadReport()
    return list(openalex.read(paths, report)), report


def reasons(report):
    return [(Path(rejection.file).name, rejection.line, rejection.reason) for rejection in report.rejections]


# The inverted index


def index_of(words):
    index = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    return index


@given(st.lists(st.text(st.characters(blacklist_categories=["Z", "C"]), min_size=1), max_size=60), st.randoms())
def test_inverting_an_index_gives_the_text_back_in_whatever_order_it_comes(words, order):
    index = index_of(words)
    keys = list(index)
    order.shuffle(keys)
    assert openalex.invert({key: index[key] for key in keys}) == " ".join(words)


@given(st.dictionaries(st.text("abc", min_size=1), st.lists(st.integers(0, 10**12), max_size=4), max_size=12))
def test_holes_doubled_and_huge_positions_keep_the_order(index):
    placed = [(position, rank) for rank, positions in enumerate(index.values()) for position in positions]
    words = list(index)
    assert openalex.invert(index).split() == [words[rank] for _, rank in sorted(placed)]


@pytest.mark.parametrize("positions", ["0", 0, None, {"0": 1}, ["0"], [0.5], [None], [[0]]])
def test_positions_of_the_wrong_type_are_refused(positions):
    with pytest.raises(FieldError, match=r"abstract_inverted_index: the positions of 'word'"):
        openalex.invert({"word": positions})


# OpenAlex works


def test_a_complete_work_as_the_api_gives_it():
    full = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1/x",
        "title": " A title ",
        "display_name": "A title",
        "publication_year": 2021,
        "abstract_inverted_index": {"Reviewers": [0, 2], "find": [1]},
        "authorships": [
            {
                "author": {
                    "id": "https://openalex.org/A1",
                    "display_name": "Ada Lovelace",
                    "orcid": "https://orcid.org/1",
                },
                "institutions": [
                    {"display_name": "Analytical", "ror": "https://ror.org/1", "country_code": "GB", "id": "I1"},
                    {"display_name": "Analytical", "ror": "https://ror.org/1", "country_code": "GB", "id": "I1"},
                    {"display_name": None, "ror": "https://ror.org/2", "country_code": None},
                    {"display_name": None, "ror": None, "country_code": "GB"},
                ],
            },
            {"author": {"id": None, "display_name": "Somebody"}, "institutions": []},
            {"author": {"id": "https://openalex.org/A2", "display_name": None}, "raw_author_name": "C. Babbage"},
            {"author": {"id": "https://openalex.org/A1", "display_name": "Ada Lovelace"}, "institutions": None},
        ],
        "primary_location": {"source": {"display_name": "Journal of Engines"}},
        "referenced_works": ["https://openalex.org/W2", "https://openalex.org/W3"],
        "cited_by_count": 7,
        "topics": [{"display_name": "Computing"}, {"display_name": None}],
        "keywords": [{"display_name": "Engines"}, {"display_name": "Computing"}],
    }
    report = ReadReport()
    assert openalex.to_paper(full, report) == Paper(
        "https://openalex.org/W1",
        "A title",
        "Reviewers find Reviewers",
        2021,
        (
            Authorship(
                Author("https://openalex.org/A1", "Ada Lovelace", "https://orcid.org/1"),
                (
                    Institution("Analytical", "https://ror.org/1", "GB"),
                    Institution("https://ror.org/2", "https://ror.org/2"),
                ),
            ),
            Authorship(Author("https://openalex.org/A2", "C. Babbage")),
        ),
        "Journal of Engines",
        "https://doi.org/10.1/x",
        ("https://openalex.org/W2", "https://openalex.org/W3"),
        7,
        ("Computing", "Engines"),
    )
    assert report.unidentified_authors == 1


def test_null_and_absent_fields_are_the_same_and_a_work_needs_no_authors():
    names = ("doi", "publication_year", "authorships", "referenced_works", "cited_by_count", "topics", "keywords")
    nulls = dict.fromkeys((*names, "primary_location", "abstract_inverted_index", "venue"))
    expected = Paper("W1", "Title 1")
    assert openalex.to_paper(work(**nulls)) == expected
    assert openalex.to_paper({"id": "W1", "title": "Title 1"}) == expected
    assert openalex.to_paper({"id": "W1", "display_name": "Title 1", "primary_location": {"source": None}}) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"publication_year": "2019"}, {"year": 2019}),
        ({"publication_year": 2019.0}, {"year": 2019}),
        ({"publication_year": ""}, {"year": None}),
        ({"cited_by_count": "3"}, {"cited_by_count": 3}),
        ({"venue": ["acl", "naacl"]}, {"venue": "acl"}),
        ({"venue": "acl"}, {"venue": "acl"}),
        ({"id": 17}, {"id": "17"}),
    ],
)
def test_harmless_deviations_are_understood(fields, expected):
    paper = openalex.to_paper(work(**fields))
    assert {name: getattr(paper, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": None}, "id: missing"),
        ({"id": ""}, "id: '' is empty"),
        ({"id": "W 1"}, "id: 'W 1' is not allowed: it contains whitespace"),
        ({"id": "W1\n"}, "contains whitespace"),
        ({"id": ["W1"]}, "id: expected a string, received a list"),
        ({"title": None, "abstract_inverted_index": None}, "neither title nor abstract"),
        ({"title": 5}, "title: expected a string, received a number"),
        ({"publication_year": "MMXIX"}, "publication_year: expected a whole number, received 'MMXIX'"),
        ({"publication_year": 10**30}, "is not a year"),
        ({"publication_year": True}, "publication_year: expected a whole number"),
        ({"cited_by_count": -1}, "cited_by_count: -1 is not a count"),
        ({"cited_by_count": 10**30}, "is not a count"),
        ({"abstract_inverted_index": ["a"]}, "abstract_inverted_index: expected an object, received a list"),
        ({"authorships": "Ada"}, "authorships: expected a list, received a string"),
        ({"authorships": {"author": {}}}, "authorships: expected a list, received an object"),
        ({"authorships": ["Ada"]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": "Ada"}]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": {"id": ["A1"]}}]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": {"id": "A 1"}}]}, "author id: 'A 1' is not allowed"),
        ({"authorships": [{"author": {"id": "A1"}, "institutions": [5]}]}, "authorships: an entry is not of the form"),
        (
            {"authorships": [{"author": {"id": "A1"}, "institutions": [{"display_name": 5}]}]},
            "institution name: expected a string",
        ),
        ({"referenced_works": "W2"}, "referenced_works: expected a list, received a string"),
        ({"referenced_works": ["W2", None]}, "referenced_works: expected a list of strings"),
        ({"referenced_works": ["W2", "W 3"]}, "referenced_works: an id is empty or contains whitespace"),
        ({"topics": ["biology"]}, "topics: expected a list of objects"),
        ({"primary_location": "here"}, "primary_location: expected an object"),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_reason_and_nothing_else(tmp_path, fields, reason):
    path = write_works(tmp_path / "works.jsonl", [work(1), work(2) | fields, work(3)])
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W1", "W3"]
    assert report.rejected == 1
    [(file, line, said)] = reasons(report)
    assert (file, line) == ("works.jsonl", 2)
    assert reason in said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TEXTS = ["id", "title", "display_name", "abstract", "publication_year", "doi", "venue", "cited_by_count"]
CONTAINERS = ["abstract_inverted_index", "authorships", "primary_location", "referenced_works", "topics", "keywords"]
work_fields = st.sampled_from([*TEXTS, *CONTAINERS])


@given(st.dictionaries(work_fields, json_values), json_values, json_values)
def test_no_json_whatsoever_breaks_the_conversion(fields, author, institution):
    authorship = {"author": author, "institutions": [institution]}
    for broken in (work(**fields), work(authorships=[authorship, author]), fields, author):
        try:
            paper = openalex.to_paper(broken)
        except FieldError:
            continue
        assert paper.id.split() == [paper.id]
        assert paper.title or paper.abstract


def test_a_page_of_the_api_counts_as_its_works(tmp_path):
    path = write_works(tmp_path / "page.json", [{"meta": {"count": 2}, "results": [work(1), "noise", work(2)]}])
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W1", "W2"]
    assert reasons(report) == [("page.json", 1, "expected an object, received a string")]


def test_directories_are_read_recursively_in_order_beside_files(tmp_path):
    (tmp_path / "snapshot/b").mkdir(parents=True)
    write_works(tmp_path / "snapshot/b/part_000.gz", [work(3)])
    write_works(tmp_path / "snapshot/a.jsonl", [work(1)])
    write_works(tmp_path / "snapshot/b.jsonl.gz", [work(2)])
    write_works(tmp_path / "snapshot/.hidden.jsonl", [work(9)])
    (tmp_path / "snapshot/manifest").write_text("not a part")
    papers, report = read_all(tmp_path / "snapshot", write_works(tmp_path / "more.txt", [work(4)]))
    assert [paper.id for paper in papers] == ["W1", "W3", "W2", "W4"]
    assert report.rejected == 0


def test_missing_paths_and_directories_without_parts_are_errors(tmp_path):
    with pytest.raises(InputError, match=r"no such file or directory: .*nowhere"):
        read_all(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"holds no file ending in \.jsonl or \.ndjson or \.gz"):
        read_all(tmp_path)


# Lines: damage of every kind


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


# OpenReview


def note(number, **content):
    return {"id": f"n{number}", "content": {"title": f"Title {number}", "abstract": f"Abstract {number}"} | content}


def openreview_directory(tmp_path, archives):
    (tmp_path / "archives").mkdir()
    for owner, notes in archives.items():
        write_works(tmp_path / "archives" / f"{owner}.jsonl", notes)
    return tmp_path


def test_a_paper_in_two_archives_is_one_paper_with_both_authors(tmp_path):
    directory = openreview_directory(
        tmp_path,
        {
            "~Ada_Lovelace1": [
                note(1, authors=["Ada L.", "C. B."], authorids=["~Ada_Lovelace1", "~C1"], year="1843"),
                note(2),
            ],
            "~Charles_Babbage1": [
                note(1, abstract={"value": "Last version"}, title={"value": "Engine"}),
                note(3),
                note(3),
            ],
        },
    )
    report = ReadReport()
    papers = {paper.id: paper for paper in openreview.read(directory, report)}
    ada, charles = Author("~Ada_Lovelace1", "Ada L."), Author("~Charles_Babbage1", "~Charles_Babbage1")
    assert list(papers) == ["n2", "n1", "n3"]
    assert papers["n1"] == Paper("n1", "Engine", "Last version", None, (Authorship(ada), Authorship(charles)))
    assert papers["n3"].authorships == (Authorship(charles),)
    assert report.rejected == 0
    assert report.bytes_read == 2 * sum(file.stat().st_size for file in (directory / "archives").iterdir())


def test_openreview_rejects_line_by_line(tmp_path):
    broken = [note(1), {"id": "n 2", "content": {"title": "x"}}, {"id": "n3", "content": []}, {"id": "n4"}, note(5)]
    directory = openreview_directory(tmp_path, {"~A1": broken, "~B1": []})
    report = ReadReport()
    assert [paper.id for paper in openreview.read(directory, report)] == ["n1", "n5"]
    assert reasons(report) == [
        ("~A1.jsonl", 2, "id: 'n 2' is not allowed: it contains whitespace"),
        ("~A1.jsonl", 3, "content: expected an object, received a list"),
        ("~A1.jsonl", 4, "neither title nor abstract"),
        ("~B1.jsonl", 0, "the file is empty"),
    ]


def test_openreview_wants_its_archives(tmp_path):
    with pytest.raises(InputError, match="has no directory 'archives'"):
        openreview.read(tmp_path, ReadReport())
    (tmp_path / "archives").mkdir()
    with pytest.raises(InputError, match="holds no file ending in"):
        openreview.read(tmp_path, ReadReport())


# CSV


ROWS = '~A1,p1,"Title, one","An abstract\nof two lines"\n~B1,p1,Title one again,\n~B1,p2,Title two,"He said ""yes"""\n'


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        "reviewer,paper,title,abstract\n" + ROWS,
        "\ufeffReviewer,Paper,Title,Abstract\r\n" + ROWS.replace("\n~", "\r\n~"),
        "title;id;note;author_id;abstract\n"
        '"Title, one";p1;;~A1;"An abstract\nof two lines"\n'
        'Title one again;p1;;~B1;\nTitle two;p2;;~B1;"He said ""yes"""\n',
        "reviewer\tpaper\ttitle\tabstract\n" + ROWS.replace("Title, one", "Title. one").replace(",", "\t"),
    ],
    ids=["plain", "header", "excel", "semicolons", "tabs"],
)
def test_expertise_csv_with_and_without_header(tmp_path, content):
    path = tmp_path / "expertise.csv"
    path.write_bytes(content.encode())
    report = ReadReport()
    papers = list(tables.read([path], report))
    ada, charles = Authorship(Author("~A1", "~A1")), Authorship(Author("~B1", "~B1"))
    assert papers == [
        Paper("p1", "Title one again", "", None, (ada, charles)),
        Paper("p2", "Title two", 'He said "yes"', None, (charles,)),
    ]
    assert report.rejected == 0


def test_a_stray_quotation_mark_costs_its_own_row_only(tmp_path):
    path = tmp_path / "expertise.csv"
    path.write_bytes(
        b'~A1,p1,T1,A1\n~A1,p2,"never closed,A2\n~A1,p3,T3,A3\n~A1,p4,"a"b,A4\n~A1,p5,T5\n'
        b"~A1,p6,\xff\xfe,A6\n\n~A1,p 7,T7,A7\n~A1,p8,,\n,p9,T9,A9\n~A1,p10,T10,A10\n"
    )
    report = ReadReport()
    assert [paper.id for paper in tables.read([path], report)] == ["p1", "p3", "p10"]
    assert [(line, reason.split(":")[0]) for _, line, reason in reasons(report)] == [
        (2, "not CSV"),
        (4, "not CSV"),
        (5, "expected 4 columns (reviewer, paper, title, abstract), received 3"),
        (6, "not UTF-8"),
        (8, "paper"),
        (9, "neither title nor abstract"),
        (10, "reviewer"),
    ]


@given(st.lists(st.tuples(*[st.text(st.characters(blacklist_categories=["C"]) | st.just("\n"))] * 2), max_size=8))
def test_what_csv_writes_is_what_is_read(texts):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "submissions.csv")
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "title", "abstract"])
            rows.writerows((f"s{number}", f"t{title}", abstract) for number, (title, abstract) in enumerate(texts))
        found = [(submission.title, submission.abstract) for submission in read_submissions(path)]
        assert found == [(f"t{title}".strip(), abstract.strip()) for title, abstract in texts]


@pytest.mark.parametrize(
    "noise", [b"\0\xff\n" * 3, b"x" * 10_000_000, random.Random(1).randbytes(100_000), b'"' * 5001]
)
def test_csv_survives_noise(tmp_path, noise):
    path = tmp_path / "expertise.csv"
    path.write_bytes(b"~A1,p1,T1,A1\n" + noise + b"\n~A1,p2,T2,A2\n")
    report = ReadReport()
    assert {"p1", "p2"} <= {paper.id for paper in tables.read([path], report)}
    assert report.rejected >= 1


# Semantic Scholar


def test_semantic_scholar_in_both_shapes(tmp_path):
    write_works(
        tmp_path / "papers.jsonl.gz",
        [
            {"ssId": "s1", "title": "T1", "abstract": None, "year": None, "authors": ["Ada L.", "C. B."]},
            {
                "paperId": "s2",
                "title": "T2",
                "abstract": "A2",
                "year": 2020,
                "authors": [{"authorId": "7", "name": "Ada"}, {"authorId": None, "name": "?"}],
                "venue": "V",
                "externalIds": {"DOI": "10.1/x"},
                "citationCount": 4,
                "references": [{"paperId": "s1"}, {"paperId": None}],
                "fieldsOfStudy": ["Computer Science"],
            },
            {"ssId": None, "title": "T3"},
        ],
    )
    write_works(
        tmp_path / "participants.jsonl.gz",
        [
            {
                "authorId": "7",
                "name": "Ada Lovelace",
                "papers": [{"paperId": "s1"}, {"paperId": "s2"}, {"paperId": "s9"}],
            },
            {"authorId": "8", "name": None, "papers": [{"paperId": "s1"}]},
            {"authorId": "9", "papers": ["s1"]},
        ],
    )
    report = ReadReport()
    assert list(semanticscholar.read([tmp_path], report)) == [
        Paper("s1", "T1", "", None, (Authorship(Author("7", "Ada Lovelace")), Authorship(Author("8", "8")))),
        Paper(
            "s2", "T2", "A2", 2020, (Authorship(Author("7", "Ada")),), "V", "10.1/x", ("s1",), 4, ("Computer Science",)
        ),
    ]
    assert reasons(report) == [
        ("participants.jsonl.gz", 3, "papers: expected objects, received a string"),
        ("papers.jsonl.gz", 3, "paperId: missing"),
    ]
    assert report.unidentified_authors == 1
    alone = ReadReport()
    papers = list(semanticscholar.read([tmp_path / "papers.jsonl.gz"], alone))
    assert [len(paper.authorships) for paper in papers] == [0, 1]
    with pytest.raises(InputError, match="no such file"):
        list(semanticscholar.read([tmp_path], report, tmp_path / "nobody.jsonl"))


# Submissions


def test_submissions_in_every_shape(tmp_path):
    ada = Author("~A1", "Ada", "0000")
    full = {
        "id": "s1",
        "title": "T",
        "abstract": "A",
        "authors": [{"id": "~A1", "name": "Ada", "orcid": "0000"}, "C. Babbage", {"name": "Somebody"}],
        "author_names": ["Another"],
        "institutions": [{"name": "I", "ror": "r", "country": "GB"}, "J"],
        "references": ["W1"],
        "year": 2024,
    }
    expected = Submission(
        "s1",
        "T",
        "A",
        (ada,),
        ("C. Babbage", "Somebody", "Another"),
        (Institution("I", "r", "GB"), Institution("J")),
        ("W1",),
        2024,
    )
    assert read_submissions(write_works(tmp_path / "a.jsonl.gz", [full])) == [expected]

    by_id = note(1, authors=["Ada", "Charles"], authorids=["~A1", "~C1"])
    by_name = note(2, authors={"value": ["Ada"]}, year=2021)
    (tmp_path / "submissions.json").write_text(json.dumps({"n1": by_id, "n2": by_name}))
    notes = [
        Submission("n1", "Title 1", "Abstract 1", (Author("~A1", "Ada"), Author("~C1", "Charles"))),
        Submission("n2", "Title 2", "Abstract 2", author_names=("Ada",), year=2021),
    ]
    assert read_submissions(tmp_path / "submissions.json") == notes
    (tmp_path / "list.json").write_text(json.dumps([by_id, by_name], indent=2))
    assert read_submissions(tmp_path / "list.json") == notes
    assert read_submissions(write_works(tmp_path / "notes.jsonl", [by_id, by_name])) == notes

    (tmp_path / "s.csv").write_text("s1,T,A\ns2,T2,\n")
    assert read_submissions(tmp_path / "s.csv") == [Submission("s1", "T", "A"), Submission("s2", "T2")]

    authorships = [{"author": {"id": "A1", "display_name": "Ada"}, "institutions": [{"display_name": "I"}]}] * 2
    works = write_works(tmp_path / "w.jsonl", [work(1, authorships=authorships, referenced_works=["W2"])])
    assert read_submissions(works) == [
        Submission("W1", "Title 1", "an abstract", (Author("A1", "Ada"),), (), (Institution("I"),), ("W2",))
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.jsonl", '{"id": "s1", "title": "T"}\n{"id": "s1", "title": "T"}', "s.jsonl:2: the id 's1' comes twice"),
        ("s.jsonl", '{"id": "s1"}\n{"id": "s2"}', r"s.jsonl:1: neither title nor abstract \(and 1 more\)"),
        ("s.json", '{"n1": {"id": "n1", "content"', r"s.json:1: not JSON"),
        ("s.json", "5", "s.json: expected an object or a list of submissions, received a number"),
        ("s.json", '{"n1": 5}', "s.json: expected an object, received a number"),
        ("s.csv", "s 1,T,A", "s.csv:1: id: 's 1' is not allowed"),
        ("s.csv", "", "s.csv: the file is empty"),
    ],
)
def test_submissions_must_be_whole(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_submissions(tmp_path / name)


def test_a_missing_file_of_submissions_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_submissions(tmp_path / "none.json")


def test_submissions_can_be_read_with_a_report_instead(tmp_path):
    path = write_works(tmp_path / "s.jsonl", [{"id": "s1", "title": "T"}, {"id": "s2"}, {"id": "s3", "title": "T"}])
    report = ReadReport()
    assert [submission.id for submission in iter_submissions(path, report)] == ["s1", "s3"]
    assert report.rejected == 1


# The real data


@needs_data
@pytest.mark.data
def test_the_gold_standard_reads_without_a_rejection():
    directory = data_dir() / "goldstandard"
    report = ReadReport()
    papers = list(semanticscholar.read([directory], report))
    owners = {authorship.author.id for paper in papers for authorship in paper.authorships}
    assert (len(papers), len(owners), report.rejected) == (3374, 58, 0)
    archives = directory / "openreview/d_20_1"
    assert len({author.author.id for paper in openreview.read(archives, report) for author in paper.authorships}) == 58
    assert len(read_submissions(archives / "submissions.json")) == 463
    assert report.rejected == 0


@needs_data
@pytest.mark.data
def test_real_works_read_without_a_rejection():
    papers, report = read_all(data_dir() / "elife/works")
    assert (len(papers), report.rejected) == (9506, 0)
    assert len({authorship.author.id for paper in papers for authorship in paper.authorships}) == 59393
    assert all(paper.abstract and paper.year for paper in papers)
