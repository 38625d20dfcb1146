"""What is sent is unpacked with a limit, inside its directory, or refused."""

import gzip
import stat
import zipfile
from contextlib import suppress

import pytest
from conference_support import zipped
from hypothesis import given
from hypothesis import strategies as st

from panelist.app.desk.conference.intake.unpack import gunzip, is_zip, unzip
from panelist.errors import InputError


def sent(tmp_path, content, name="sent.zip"):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def test_an_archive_is_unpacked_without_what_systems_add(tmp_path):
    members = {"a/b.txt": b"b", "__MACOSX/a/._b.txt": b"x", ".DS_Store": b"x", "c.csv.gz": gzip.compress(b"1,2\n")}
    path = sent(tmp_path, zipped(members))
    assert is_zip(path)
    (tmp_path / "out").mkdir()
    unzip(path, tmp_path / "out")
    found = {str(one.relative_to(tmp_path / "out")): one.read_bytes() for one in (tmp_path / "out").rglob("*.*")}
    assert found == {"a/b.txt": b"b", "c.csv.gz": b"1,2\n"}


@pytest.mark.parametrize(
    "name", ["../evil", "a/../../evil", "/etc/evil", "a\\..\\evil", "C:evil", "a\x1b[31m", "a" * 600, "x/../y"]
)
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="name leads elsewhere"):
        unzip(sent(tmp_path, zipped({name: b"x"})), tmp_path / "out")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "sent.zip"]


def test_links_in_a_zip_file_are_refused(tmp_path):
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="holds a link"):
        unzip(sent(tmp_path, zipped({link: b"/etc/passwd"})), tmp_path / "out")


def test_archives_that_unpack_to_too_much_are_refused(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="larger than 1 MB"):
        unzip(sent(tmp_path, zipped({"a": bytes(1 << 21)})), tmp_path / "out", largest=1 << 20)
    with pytest.raises(InputError, match="holds 30 files, more than 20"):
        unzip(sent(tmp_path, zipped({f"{i}": b"" for i in range(30)})), tmp_path / "out", most=20)
    inside = zipped({"a.jsonl.gz": gzip.compress(bytes(1 << 21))})
    with pytest.raises(InputError, match=r"larger than [01] MB"):
        unzip(sent(tmp_path, inside), tmp_path / "out", largest=1 << 20)
    with pytest.raises(InputError, match="larger than 1 MB"):
        gunzip(sent(tmp_path, gzip.compress(bytes(1 << 21)), "a.csv"), largest=1 << 20)
    with pytest.raises(InputError, match="packed more than once"):
        gunzip(sent(tmp_path, gzip.compress(gzip.compress(b"x")), "a.csv"))


def test_an_entry_that_lies_about_its_size_is_refused(tmp_path):
    content = bytearray(zipped({"a": bytes(3 << 20)}))
    real, told = (3 << 20).to_bytes(4, "little"), (1000).to_bytes(4, "little")
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="cannot be unpacked"):
        unzip(sent(tmp_path, bytes(content).replace(real, told)), tmp_path / "out", largest=1 << 20)


@given(st.data())
def test_damage_is_refused_or_harmless(tmp_path_factory, data):
    members = {"submissions.json": b'{"a": 1}' * 50, "b": b"b"}
    content = bytearray(zipped(members))
    at = data.draw(st.integers(4, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    tmp_path = tmp_path_factory.mktemp("zip")
    (tmp_path / "out").mkdir()
    with suppress(InputError):
        unzip(sent(tmp_path, bytes(content)), tmp_path / "out")
        found = {path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
        assert found <= set(members.values())
    assert {path.name for path in tmp_path.iterdir()} == {"sent.zip", "out"}


def test_a_gzipped_file_that_is_cut_off_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.csv is damaged"):
        gunzip(sent(tmp_path, gzip.compress(b"x" * 1000)[:-9], "a.csv"))


def test_a_plain_file_stays_as_it_is(tmp_path):
    path = sent(tmp_path, b"1,2\n", "a.csv")
    gunzip(path)
    assert path.read_bytes() == b"1,2\n"
    assert not is_zip(path)
    assert not is_zip(sent(tmp_path, b"", "empty.csv"))
