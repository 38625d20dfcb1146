"""Generations, the pointer to the current one, the lock, and the manifest that guards them."""

import dataclasses
import errno
import os
import subprocess
import sys

import orjson
import pytest

from indexing.jobs import generations
from indexing.jobs.generations import (
    current_generation,
    delete_unused,
    link_tree,
    lock_index,
    pin_generation,
    publish_generation,
    work_directory,
)
from indexing.jobs.manifest import (
    Counts,
    DenseSettings,
    EncoderIdentity,
    LexicalSettings,
    Manifest,
    checksum,
    describe_files,
)
from indexing.tables.vectors import VECTORS, vector_bytes
from panelist.errors import IndexDirectoryError


def make_generation(directory, content=b"data"):
    (directory / "part").mkdir(parents=True)
    (directory / "part" / "file").write_bytes(content)
    manifest = Manifest(
        panelist="0",
        created="2024-01-01T00:00:00+00:00",
        corpus="fingerprint",
        counts=Counts(1, 2, 1, 3, 0),
        encoder=EncoderIdentity("name", "revision", 4),
        lexical=LexicalSettings("bm25s", 0.9, 0.4),
        dense=DenseSettings("auto", "flat"),
        files=describe_files(directory, 0, 0),
    )
    manifest.save(directory)
    return manifest


def publish_one(index, content=b"data"):
    work = work_directory(index, "plan")
    manifest = make_generation(work / "generation", content)
    return publish_generation(index, work / "generation", list(manifest.files))


def test_a_manifest_is_read_as_it_was_written(tmp_path):
    manifest = make_generation(tmp_path)
    assert Manifest.open(tmp_path) == manifest
    assert manifest.parts() == {"part": 4}
    assert orjson.loads((tmp_path / "manifest.json").read_bytes())["format"] == 2


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: (path / "part" / "file").unlink(), "part/file is missing"),
        (lambda path: (path / "part" / "file").write_bytes(b"dat"), r"part/file .*3 bytes.* 4"),
        (lambda path: (path / "part" / "file").write_bytes(b"datum"), r"part/file .*5 bytes.* 4"),
        (lambda path: (path / "manifest.json").write_bytes(b"{"), "is damaged"),
        (lambda path: (path / "manifest.json").write_bytes(b'{"format": 2}'), "is damaged"),
        (lambda path: (path / "manifest.json").write_bytes(b'{"format": 1}'), "has format 1, .*encodes no text again"),
    ],
)
def test_a_manifest_that_does_not_fit_names_the_command_that_mends_it(tmp_path, harm, message):
    generation = tmp_path / "my.workspace" / "index" / "generation-000001"
    make_generation(generation)
    harm(generation)
    with pytest.raises(IndexDirectoryError, match=message) as error:
        Manifest.open(generation)
    assert f"'panelist index build --workspace {tmp_path / 'my.workspace'}'" in str(error.value)


def test_only_the_file_of_vectors_may_be_longer_than_the_generation_says(tmp_path):
    manifest = make_generation(tmp_path)
    (tmp_path / "vectors").mkdir()
    header, size = vector_bytes("float32", 0, 1), vector_bytes("float32", 1, 1)
    (tmp_path / VECTORS).write_bytes(bytes(header) + b"12345678")
    files = describe_files(tmp_path, header, size)
    (tmp_path / VECTORS).write_bytes(b"1234")
    assert files[VECTORS].checksum == checksum(tmp_path / VECTORS, 4)
    (tmp_path / VECTORS).write_bytes(b"\1" * header + b"123456789abc")  # a later generation changes the header
    manifest = dataclasses.replace(manifest, files=files)
    manifest.save(tmp_path)
    Manifest.open(tmp_path)
    assert list(manifest.damage(tmp_path)) == []
    (tmp_path / VECTORS).write_bytes(bytes(header) + b"12E45678")
    assert list(manifest.damage(tmp_path)) == [f"{VECTORS} has another checksum than when it was written"]


def test_linked_files_are_not_read_again(tmp_path, monkeypatch):
    manifest = make_generation(tmp_path / "old")
    link_tree(tmp_path / "old" / "part", tmp_path / "new" / "part")
    (tmp_path / "new" / "other").write_bytes(b"x")
    read = []
    monkeypatch.setattr("indexing.jobs.manifest.checksum", lambda path, size, start: read.append(path.name) or "sum")
    files = describe_files(tmp_path / "new", 0, 0, tmp_path / "old")
    assert read == ["other"]
    assert files["part/file"] == manifest.files["part/file"]


def test_where_there_are_no_hard_links_files_are_copied(tmp_path, monkeypatch):
    make_generation(tmp_path / "old")

    def refuse(*_):
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    link_tree(tmp_path / "old", tmp_path / "new")
    assert (tmp_path / "new" / "part" / "file").read_bytes() == b"data"
    assert not (tmp_path / "new" / "part" / "file").samefile(tmp_path / "old" / "part" / "file")


def test_a_published_generation_is_current_and_the_old_one_goes_when_nobody_reads_it(tmp_path):
    assert current_generation(tmp_path) is None
    first = publish_one(tmp_path)
    assert current_generation(tmp_path) == first
    reader = pin_generation(first)
    second = publish_one(tmp_path, b"more")
    assert current_generation(tmp_path) == second
    delete_unused(tmp_path, work=True)
    assert (first / "part" / "file").exists()
    reader.close()
    delete_unused(tmp_path, work=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["CURRENT", "generation-000002"]
    with pytest.raises(FileNotFoundError):
        pin_generation(first)


def test_work_on_another_plan_is_deleted_and_that_on_this_one_kept(tmp_path):
    (work_directory(tmp_path, "a") / "shard").write_text("done")
    assert (work_directory(tmp_path, "a") / "shard").exists()
    work_directory(tmp_path, "b")
    assert [path.name for path in tmp_path.iterdir()] == ["build-b"]


def test_what_is_made_whole_is_not_made_twice_and_parts_are_thrown_away(tmp_path):
    target = tmp_path / "target"
    (tmp_path / "target.part").mkdir()
    (tmp_path / "target.part" / "half").write_text("")
    calls = []

    def make(part):
        calls.append(part)
        part.mkdir()

    assert generations.make_complete(target, make) == generations.make_complete(target, make) == target
    assert len(calls) == 1
    assert list(target.iterdir()) == []


@pytest.mark.parametrize("content", [b"../../etc", b"", b"\xff\xfe", b"\0" * 18])
def test_a_damaged_pointer_names_the_command_that_repairs_it_and_deletes_nothing(tmp_path, content):
    (tmp_path / "generation-000001").mkdir()
    (tmp_path / "CURRENT").write_bytes(content)
    with pytest.raises(IndexDirectoryError, match="panelist index build"):
        current_generation(tmp_path)
    generations.delete_unused(tmp_path, work=True)
    assert (tmp_path / "generation-000001").exists()


def test_a_second_writer_is_refused_with_the_process_of_the_first(tmp_path):
    code = (
        "import sys; from pathlib import Path; from indexing.jobs.generations import lock_index\n"
        "with lock_index(Path(sys.argv[1])): pass"
    )
    with lock_index(tmp_path):
        second = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True)
    assert f"IndexDirectoryError: index '{tmp_path}' is being written by process {os.getpid()}" in second.stderr
    assert subprocess.run([sys.executable, "-c", code, tmp_path]).returncode == 0


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        RuntimeError("Error in void faiss::write_index: No space left on device"),
        ValueError("database or disk is full"),
        OSError("2000 requested and 1016 written"),
        OSError("Not enough free space to write 16847796 bytes after offset 128"),
    ],
)
def test_a_full_disk_is_one_line_whoever_reports_it(tmp_path, error):
    with pytest.raises(IndexDirectoryError, match=r"no space left .*free"), lock_index(tmp_path):
        raise error


def test_other_errors_of_the_disk_are_raised_as_they_are(tmp_path):
    with pytest.raises(PermissionError), lock_index(tmp_path):
        raise PermissionError(errno.EACCES, "not yours")
