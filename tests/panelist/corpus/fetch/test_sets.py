"""Data sets are built from archives in the shapes of their public sources."""
# ruff: noqa: E501

import gzip
import io
import json
import struct
import tarfile
import zipfile

import numpy as np
import pytest

from panelist.corpus.fetch.sets.build import SETS, build_set
from panelist.corpus.fetch.sets.elife import judgements
from panelist.corpus.readers.openalex import read
from panelist.corpus.readers.report import ReadReport
from panelist.errors import MissingDependencyError
from panelist.http.client import FetchError


def tar(files):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(f"repository-0123abc/{name}")
            data = content if isinstance(content, bytes) else content.encode()
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@pytest.fixture
def sources(server, monkeypatch):
    """Archives by the owner of their repository."""
    monkeypatch.setenv("PANELIST_MIRROR", server.url)
    bodies = {}
    server.answer = lambda path, query: (
        (200, {}, bodies[path.split("/")[2]]) if path.split("/")[2] in bodies else (404, {}, b"")
    )
    return bodies


def lines(path):
    return [json.loads(one) for one in gzip.decompress(path.read_bytes()).splitlines()]


ANTHOLOGY = {
    "data/xml/2023.acl.xml": """<?xml version='1.0' encoding='UTF-8'?>
<collection id="2023.acl"><volume id="long"><meta><year>2023</year><venue>acl</venue></meta>
<paper id="1"><title>On <fixed-case>P</fixed-case>arsing</title>
<author><first>Hinrich</first><last>Schütze</last><affiliation>LMU</affiliation></author>
<author id="rui-wang-2503" orcid="0000-0001-8007-2503"><first>Rui</first><last>Wang</last></author>
<author><first>Hany</first><last>Hassan</last></author><abstract>We parse and parse.</abstract></paper>
<paper id="2"><title>No abstract</title><author><first>A</first><last>B</last></author></paper></volume></collection>""",
    "data/xml/2024.acl.xml": """<collection id="2024.acl"><volume id="long"><meta><year>2024</year></meta>
<paper id="1"><title>Too new</title><abstract>Text.</abstract></paper></volume></collection>""",
    "data/yaml/people.yaml": "hany-hassan-awadalla:\n  names:\n  - {first: Hany, last: Hassan Awadalla}\n  - {first: Hany, last: Hassan}\n",
}


def test_acl_papers_are_built_from_the_anthology(client, sources, tmp_path):
    sources["acl-org"] = tar(ANTHOLOGY)
    assert build_set(client, "acl", tmp_path) == {"works/part_000.jsonl.gz": (1, 47_079)}
    (work,) = lines(tmp_path / "works/part_000.jsonl.gz")
    assert (work["id"], work["title"], work["venue"]) == ("acl:2023.acl-long.1", "On Parsing", ["acl"])
    assert work["abstract_inverted_index"] == {"We": [0], "parse": [1], "and": [2], "parse.": [3]}
    assert [one["author"]["id"] for one in work["authorships"]] == [
        "acl:hinrich-schutze",
        "acl:rui-wang-2503",
        "acl:hany-hassan-awadalla",
    ]
    (paper,) = read([tmp_path / "works"], ReadReport())
    assert (paper.abstract, paper.venue) == ("We parse and parse.", "acl")
    assert paper.authorships[0].institutions[0].name == "LMU"


def article(number, year, authors, reviewers=(), cites=(), kind="research-article", title="On cells"):
    def contrib(name, role, orcid=""):
        first, last = name.split()
        known = f'<contrib-id contrib-id-type="orcid">https://orcid.org/{orcid}</contrib-id>' if orcid else ""
        return f'<contrib contrib-type="{role}">{known}<name><surname>{last}</surname><given-names>{first}</given-names></name></contrib>'

    names = "".join(contrib(one, "author") for one in authors)
    referees = "".join(contrib(one, "reviewer") for one in reviewers)
    refs = "".join(
        f'<ref><element-citation><person-group person-group-type="author"><name><surname>{one.split()[1]}</surname>'
        f"<given-names>{one.split()[0]}</given-names></name></person-group><year>2010</year><article-title>Earlier work of {one}</article-title>"
        f'<source>Cell</source><pub-id pub-id-type="doi">{doi}</pub-id></element-citation></ref>'
        for one, doi in cites
    )
    return f"""<article article-type="{kind}"><front><journal-meta/><article-meta>
<article-id pub-id-type="doi">10.7554/eLife.{number}</article-id>
<article-categories><subj-group subj-group-type="heading"><subject>Cell Biology</subject></subj-group></article-categories>
<title-group><article-title>{title}</article-title></title-group><contrib-group>{names}</contrib-group>
<contrib-group>{referees}</contrib-group><pub-date date-type="publication"><year>{year}</year></pub-date>
<abstract><p>About {title}.</p></abstract></article-meta></front><back><ref-list>{refs}</ref-list></back></article>"""


def test_elife_is_built_from_its_articles(client, sources, tmp_path):
    sources["elifesciences"] = tar(
        {
            "articles/elife-00001-v1.xml": article("00001", 2017, ["Ada Lovelace"], title="A draft"),
            "articles/elife-00001-v2.xml": article("00001", 2017, ["Ada Lovelace", "Bo-Jan Ek"]),
            "articles/elife-00002-v1.xml": article(
                "00002", 2018, ["Cy Dee"], cites=[("A Lovelace", "10.7554/eLife.00001")]
            ),
            "articles/elife-00003-v1.xml": article(
                *("00003", 2019, ["Cy Dee", "Dan Fox"], ["Ada Lovelace", "Nobody Known"]),
                cites=[("B Ek", "10.1/X"), ("C Dee", "10.1/Y")],
            ),
            "articles/elife-00004-v1.xml": article("00004", 2021, ["Eve Gil"]),
            "articles/elife-00005-v1.xml": article("00005", 2018, ["Eve Gil"], kind="editorial"),
        }
    )
    counts = build_set(client, "elife", tmp_path)
    assert {name: found for name, (found, _) in counts.items()} == {
        **{"works/part_000.jsonl.gz": 3, "references.jsonl.gz": 3, "bibliographies.jsonl.gz": 1},
        **{"qrels.dev.reviewers.txt": 1, "qrels.dev.authors.txt": 1, "qrels.dev.cite.txt": 1},
    }
    first, second, third = lines(tmp_path / "works/part_000.jsonl.gz")
    assert [one["author"]["id"] for one in first["authorships"]] == ["name:ada_lovelace", "name:bo_ek"]
    assert (first["title"], first["cited_by_count"], second["referenced_works"]) == ("On cells", 1, ["elife:00001"])
    assert third["topics"] == [{"display_name": "Cell Biology"}]
    assert (tmp_path / "qrels.dev.reviewers.txt").read_text() == "elife:00003 0 name:ada_lovelace 1\n"
    assert (tmp_path / "qrels.dev.authors.txt").read_text() == "elife:00003 0 name:cy_dee 1\n"
    assert (tmp_path / "qrels.dev.cite.txt").read_text() == "elife:00003 0 name:bo_ek 1\n"  # not one's own work
    (entry, _) = lines(tmp_path / "bibliographies.jsonl.gz")[0]["references"]
    assert entry == {
        "doi": "10.1/x",
        "title": "Earlier work of B Ek",
        "year": "2010",
        "source": "Cell",
        "authors": ["B Ek"],
    }


@pytest.mark.data
def test_judgements_of_elife_are_those_of_the_folder(data_dir):
    folder = data_dir / "elife"
    works, entries = lines(folder / "works/part_000.jsonl.gz"), lines(folder / "bibliographies.jsonl.gz")
    found = judgements(works, {}, entries)
    recorded = {
        task: {tuple(one.split()[::2]) for one in (folder / f"qrels.dev.{task}.txt").read_text().splitlines()}
        for task in ("authors", "cite")
    }
    assert set(found["authors"]) == recorded["authors"]
    # Editors of books were told from their authors in the XML alone.
    assert len(set(found["cite"]) & recorded["cite"]) > 0.999 * len(recorded["cite"])
    assert len(found["cite"]) < 1.01 * len(recorded["cite"])


def test_similarities_are_built_from_matrices(client, sources, tmp_path):
    matrices = {
        f"datasets/{name}.in": "2 3\n0.25 1.0 0.0 \n0.5 0.25 0.25 \n" for name in ("aamas2015", "preflib1", "preflib3")
    }
    buffer = io.BytesIO()
    np.save(buffer, np.array([[0.0313610371, 0.5], [0.25, 1.0], [0.125, 0.0]]))
    sources["YixuanEvenXu"] = tar(matrices | {"logs/preflib1_main.log": "[1.0]\n", "logs/preflib2_main.log": "x"})
    sources["daicx21"] = tar({"datasets/aamas2021/aamas_text.npy": buffer.getvalue()})
    build_set(client, "assignment", tmp_path)
    text = gzip.decompress((tmp_path / "preflib1.csv.gz").read_bytes()).decode()
    assert text == "p0,r0,0.25\np0,r1,1\np0,r2,0\np1,r0,0.5\np1,r1,0.25\np1,r2,0.25\n"
    assert gzip.decompress((tmp_path / "aamas2021.csv.gz").read_bytes()).startswith(b"p0,r0,0.031361037\np0,r1,0.25\n")
    assert (tmp_path / "preflib1_published.log").read_text() == "[1.0]\n"
    assert not (tmp_path / "preflib2_published.log").exists()


def rdata(name, columns):
    """A data frame as R's `save` writes it: integers, reals, texts, and factors as (codes, levels)."""

    def integer(*values):
        return struct.pack(f">{len(values)}i", *values)

    def characters(text):
        return integer(9 | 64 << 12, len(text.encode())) + text.encode()

    def pairs(*items):
        return b"".join(integer(2 | 0x400) + integer(1) + characters(key) + one for key, one in items) + integer(254)

    def vector(kind, values, attributes=b""):
        flag = kind | (0x300 if attributes else 0)
        body = {13: lambda: integer(*values), 14: lambda: struct.pack(f">{len(values)}d", *values)}.get(
            kind, lambda: b"".join(characters(one) if kind == 16 else one for one in values)
        )()
        return integer(flag, len(values)) + body + attributes

    made = []
    for column in columns.values():
        if isinstance(column, tuple):
            attributes = pairs(("levels", vector(16, column[1])), ("class", vector(16, ["factor"])))
            made.append(vector(13, column[0], attributes))
        else:
            made.append(vector(13 if isinstance(column[0], int) else 14, column))
    rows = vector(13, [-(2**31), -2])  # the names of two rows that have none
    about = {"names": vector(16, list(columns)), "class": vector(16, ["data.frame"]), "row.names": rows}
    frame = vector(19, made, pairs(*about.items()))
    return gzip.compress(b"RDX3\nX\n" + integer(3, 0x40000, 0x30500, 5) + b"UTF-8" + pairs((name, frame)))


def test_scores_are_built_from_data_frames_of_r(client, sources, tmp_path):
    nih = {"ID": ([1, 2], ["28", "309"]), "Score": [1, 4], "RevID": ([2, 1], ["a", "b"]), "Other": [0.5, 0.5]}
    nih |= {name: ([1, 2], ["x, y", "z"]) for name in ("PICareerStage", "PropType", "SRG")}
    aibs = {
        "ID": [10, 10],
        "RevID": [7, 22],
        "Score": [2.0, 3.5],
        "RevExp": [1.8, 1.0],
        "RevGender": [2, 2],
        "RevRank": [2, 3],
    }
    inst = {
        "s": ([1, 1], ["1"]),
        "d": ([1, 2], ["1002", "1050"]),
        "service": ([1, 2], ["0", "1"]),
        "dept": ([1, 1], ["2"]),
        "y": [5, 2],
    }
    sources["cran"] = tar(
        {
            "data/NIH.rda": rdata("NIH", nih),
            "data/AIBS.rda": rdata("AIBS", aibs),
            "data/InstEval.rda": rdata("InstEval", inst),
        }
    )
    build_set(client, "calibration", tmp_path)
    assert (
        tmp_path / "nih.csv"
    ).read_text() == 'paper,reviewer,score,PICareerStage,PropType,SRG\n28,b,1,"x, y","x, y","x, y"\n309,a,4,z,z,z\n'
    assert (tmp_path / "aibs.csv").read_text().splitlines()[:2] == [
        "paper,reviewer,score,RevExp,RevGender,RevRank",
        "10,7,2.0,1.8,2,2",
    ]
    assert (tmp_path / "insteval.csv").read_text() == "paper,reviewer,score,service,dept\n1002,1,5,0,2\n1050,1,2,1,2\n"


def test_labelled_reviews_are_built_from_four_archives(client, sources, tmp_path):
    sentence = {"review_id": "r", "sentence_index": 0, "text": "Good.", "suffix": "", "review_action": "arg_evaluative"}
    sentence |= {"fine_review_action": "none", "aspect": "asp_clarity", "polarity": "pol_positive"}
    about = {"forum_id": "f", "review_id": "r", "rating": 8, "title": "T"}
    record = json.dumps({"metadata": about, "review_sentences": [sentence], "rebuttal_sentences": []})
    sources["nnkennard"] = tar({f"DISAPERE/final_dataset/{part}/r.json": record for part in ("train", "dev", "test")})
    paper = {
        "reviews": [{"IMPACT": "3", "comments": "Fine.", "is_meta_review": None}],
        "abstract": "A",
        "id": "173",
        "title": "T",
    }
    sources["allenai"] = tar(
        {"data/acl_2017/dev/reviews/173.json": json.dumps(paper), "data/iclr_2017/dev/reviews/1.json": "{}"}
    )
    sources["YanzhuGuo"] = tar({"annotation_final/train.jsonl": '{"id": 0, "review": "R", "label": []}\n'})
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        text = "We learn a policy.[[PDI-NEU], [null]] It is sound and fast.[[MET-POS,RES-POS],\n[EMP-POS]]"
        archive.writestr("Peer-Review-Analyze-1.0/Accepted/Annotated/ICLR2018-B13njo1R--R1.txt", text)
        archive.writestr("Peer-Review-Analyze-1.0/Accepted/Raw/ICLR2018-B13njo1R--R1.txt", "We learn a policy.")
    sources["Tirthankar-Ghosal"] = tar({"Peer-Review-Analyze-1.0.zip": inner.getvalue()})
    build_set(client, "reviews", tmp_path)
    (review,) = lines(tmp_path / "disapere_dev.jsonl.gz")
    assert (review["review"], review["forum"], review["rating"]) == ("r", "f", 8)
    assert set(review["sentences"][0]) == {"text", "review_action", "fine_review_action", "aspect", "polarity"}
    (read_paper,) = lines(tmp_path / "peerread.jsonl.gz")
    assert (read_paper["paper"], read_paper["reviews"]) == ("acl_2017:173", [{"impact": "3", "comments": "Fine."}])
    assert lines(tmp_path / "substanreview_train.jsonl.gz") == [{"id": 0, "review": "R", "label": []}]
    (analyzed,) = lines(tmp_path / "peer_review_analyze.jsonl.gz")
    assert (analyzed["review"], analyzed["paper"], analyzed["decision"]) == (
        "ICLR2018-B13njo1R--R1",
        "B13njo1R-",
        "Accepted",
    )
    assert analyzed["units"][1] == {
        "text": "It is sound and fast.",
        "sections": ["MET-POS", "RES-POS"],
        "aspects": ["EMP-POS"],
    }


def test_f1000rd_is_found_by_what_its_tables_hold(client, sources, tmp_path):
    tags = 'id,doc,prag,sentence\nreport7_0@0,1-1,Structure,"Response, version 1"\nreport7_1@0,1-1,Todo,Please add a test.\n'
    others = {"data/simple/splits.csv": "doc,split\n1-1,train\n", "analysis/a.csv": "Recap\nRecap\n"}
    sources["UKPLab"] = tar({**others, "data/simple/tags.csv": tags})
    assert build_set(client, "f1000rd", tmp_path) == {"f1000rd.csv.gz": (3, 5_499)}
    assert gzip.decompress((tmp_path / "f1000rd.csv.gz").read_bytes()).decode() == (
        "review,sentence,text,pragmatics\n"
        'report7,report7_0@0,"Response, version 1",Structure\nreport7,report7_1@0,Please add a test.,Todo\n'
    )
    sources["UKPLab"] = tar(others)
    with pytest.raises(FetchError, match=r"nothing .*f1000rd\.csv\.gz"):
        build_set(client, "f1000rd", tmp_path)


def test_what_has_come_is_not_asked_for_again(client, server, sources, tmp_path):
    sources["YixuanEvenXu"] = tar({"datasets/preflib1.in": "1 1\n0.5 \n"})
    with pytest.raises(FetchError, match="404"):  # the second archive
        build_set(client, "assignment", tmp_path)
    asked = len(server.asked)
    sources["daicx21"] = tar({})
    with pytest.raises(FetchError, match=r"nothing .*aamas2015.*, preflib3.*, aamas2021"):
        build_set(client, "assignment", tmp_path)
    assert len(server.asked) == asked + 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_an_interrupted_download_does_not_stop_another_set_of_the_same_folder(client, sources, tmp_path):
    sources["nnkennard"] = tar({})
    with pytest.raises(FetchError, match="404"):  # the second archive of the reviews
        build_set(client, "reviews", tmp_path)
    tags = "id,prag,sentence\nreport7_1@0,Todo,Please add a test.\n"
    sources["UKPLab"] = tar({"data/simple/tags.csv": tags})
    assert build_set(client, "f1000rd", tmp_path) == {"f1000rd.csv.gz": (2, 5_499)}


def test_a_set_in_the_format_of_r_says_which_package_it_needs(client, sources, tmp_path, monkeypatch):
    monkeypatch.setattr("panelist.extras.find_spec", lambda module: None)
    sources["cran"] = tar({})
    with pytest.raises(MissingDependencyError, match=r"needs rdata.*\[eval\]"):
        build_set(client, "calibration", tmp_path)


def test_every_set_says_what_it_has(panelist, sources, tmp_path, monkeypatch):
    sources["acl-org"] = tar(ANTHOLOGY)
    monkeypatch.setenv("PANELIST_DATA", str(tmp_path))
    code, said, error = panelist("fetch", "acl")
    assert (code, said) == (0, f"           1  works/part_000.jsonl.gz\nin {tmp_path / 'acl'}\n")
    assert "had 47,079 lines" in error
    assert set(SETS) == {"elife", "acl", "reviews", "f1000rd", "assignment", "calibration", "goldstandard"}
