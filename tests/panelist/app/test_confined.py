"""Strangers' files are read by processes that know nothing of us, and that end, whatever the file makes of them."""

import io
import random
import subprocess
import sys
import threading
import zipfile

import pytest
from waiting import until
from web_support import pdf

from panelist.app import confined, limits
from panelist.app.confined.reviews import CalibrationIn, calibrate, check_file
from panelist.app.manuscripts import extract
from panelist.errors import InputError, ModelError

MANUSCRIPT = pdf((20, "A title of some length"), (10, "Abstract"), (10, "We show that reefs bleach."))
REVIEWS = b"paper,reviewer,score\n" + b"".join(b"p%d,r%d,%d\n" % (n // 3, n % 5, n % 7) for n in range(60))


@pytest.fixture
def instead(tmp_path, monkeypatch):
    """Starts a shell script where the child's interpreter would be started."""

    def put(script):
        file = tmp_path / "python"
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        monkeypatch.setattr("panelist.app.confined.sys.executable", str(file))

    return put


@pytest.mark.parametrize(
    "read",
    [
        extract,
        lambda content: calibrate(REVIEWS, CalibrationIn(), "answer"),
        lambda content: check_file(b"paper,text\np1,The paper is unclear.\n", "reviews.csv", "authors"),
    ],
)
def test_the_child_sees_no_variable_of_ours(instead, tmp_path, monkeypatch, read):
    monkeypatch.setenv("PANELIST_TOKEN", "a secret of sixteen")
    monkeypatch.setenv("PANELIST_MONGO_URI", "mongodb://user:password@host")
    instead(f'env > "{tmp_path}/seen"; exec {sys.executable} "$@"')
    assert read(MANUSCRIPT)
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    kept = {"HOME", "XDG_CACHE_HOME", "MPLCONFIGDIR", "PANELIST_CACHE", "HF_HOME", "HF_HUB_CACHE"}
    assert seen - kept <= {"PYTHONPATH", "PWD", "SHLVL", "_", "OLDPWD"}  # the last ones are the shell's
    assert read is not extract or not seen & kept


LOCKED = MANUSCRIPT.replace(
    b"trailer << ",
    b"trailer << /Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >> /ID [(0) (0)] "
    % (b"o" * 32, b"u" * 32),
)


@pytest.mark.parametrize(("content", "words"), [(LOCKED, "needs a password"), (pdf(), "no text, only pictures")])
def test_a_locked_file_and_a_scan_say_so_in_one_line(content, words):
    with pytest.raises(InputError, match=words) as error:
        extract(content)
    assert "\n" not in str(error.value)


SOURCE = (
    rb"\documentclass{article}\title{Of tides}\author{Ada}"
    rb"\begin{document}\begin{abstract}We rise.\end{abstract}\end{document}"
)
CITED = b"@article{a, title={Of kelp and of other weeds}, author={Mary Somerville}, year=1834}\n"
WORD = (
    b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    b'<w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Of tides</w:t></w:r></w:p></w:body></w:document>'
)


def _zipped(files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


KINDS = {
    "pdf": MANUSCRIPT,
    "docx": _zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": WORD}),
    "tex": SOURCE,
    "zip": _zipped({"main.tex": SOURCE, "own.bib": CITED}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_a_mutated_file_is_read_or_refused_in_one_line(seed, kind):
    draw = random.Random(seed)
    content = bytearray(KINDS[kind])
    for _ in range(draw.randint(1, 30)):
        place = draw.randrange(8, len(content))
        content[place : place + draw.randint(0, 3)] = draw.randbytes(draw.randint(0, 4))
    try:
        told = extract(bytes(content))["title"]
    except InputError as error:
        told = str(error)
    assert "\n" not in told
    assert "too long" not in told


def test_what_takes_too_long_is_stopped(instead):
    instead("exec sleep 600")
    with pytest.raises(InputError, match=r"PDF .*stopped after 1 s"):
        confined.run("pdf", b"", "PDF file", seconds=1)


def test_what_crashes_is_an_error_of_the_file(instead):
    instead("kill -9 $$")
    with pytest.raises(InputError, match="paste its title"):
        extract(MANUSCRIPT)


def test_a_server_that_stops_does_not_wait_for_them(instead):
    instead("exec sleep 600")
    errors = []

    def read():
        try:
            confined.run("pdf", b"", "PDF file", seconds=500)
        except InputError as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    until(lambda: confined._running)
    confined.stop_all()
    thread.join(timeout=300)
    assert not thread.is_alive()
    assert len(errors) == 1


@pytest.mark.parametrize(
    ("work", "code"),
    [("lambda content, arguments: bytes(1 << 31)", 1), ("lambda content, arguments: any(0 for _ in iter(int, 1))", -9)],
    ids=["memory", "time"],
)
def test_the_child_has_little_time_and_memory(work, code):
    script = f"import sys\nfrom panelist.app.confined import work\nsys.exit(work({work}, seconds=1, memory=1 << 29))"
    assert subprocess.run([sys.executable, "-c", script], input=b"", check=False).returncode == code


def test_a_wide_file_is_refused_before_anything_is_started(instead):
    instead("exit 1")
    header = ",".join(["paper", "reviewer", "score", *map(str, range(limits.COLUMNS))])
    with pytest.raises(InputError, match=f"the file has {limits.COLUMNS + 3} columns"):
        calibrate(header.encode(), CalibrationIn(), "answer")


def test_errors_name_the_file_and_the_line():
    with pytest.raises(InputError, match=r"^the file, line 2: .*score .*received 'good'$"):
        calibrate(b"paper,reviewer,score\np1,r1,good\n", CalibrationIn(), "answer")


def test_reviews_that_take_too_long_are_for_the_command_line(instead, monkeypatch):
    monkeypatch.setattr("panelist.app.confined.reviews._SECONDS", 1)
    instead("exec sleep 600")
    with pytest.raises(InputError, match=r"after 1 s; .*'panelist reviews check'"):
        check_file(b"paper,text\np1,Fine.\n", "reviews.csv", "answer")


def test_errors_in_reviews_name_the_file_and_the_line():
    with pytest.raises(InputError, match=r"^the file, line 3: .*paper .*empty"):
        check_file(b"paper,text\np1,Fine.\n,No paper.\n", "reviews.csv", "answer")


def test_a_missing_model_is_no_fault_of_the_file(instead):
    instead("printf 'model is not on this machine'; exit 4")
    with pytest.raises(ModelError, match=r"model .*not .*this machine"):
        check_file(b"", "reviews.csv", "answer", exact=True)
