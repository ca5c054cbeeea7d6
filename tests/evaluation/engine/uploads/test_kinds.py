"""A file that is no JSON in UTF-8 is named as what it is, however it is packed."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import random
import tarfile
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.uploads import SlotIndex, check
from evaluation.engine.uploads.kinds import encoding_of, format_of
from evaluation.engine.uploads.source import unfit
from tests.evaluation.engine.uploads.conftest import Put, zipped

GOOD = b'{"task_id": 1, "completion": "x"}\n'
JSON = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def tar(form: int, content: bytes = GOOD) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=form) as archive:
        member = tarfile.TarInfo("out/preds.jsonl")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


def old_tar() -> bytes:
    """A tar from before POSIX: without the magic, and with its checksum."""
    header = bytearray(tar(tarfile.USTAR_FORMAT)[:512])
    header[257:512] = bytes(255)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header) + GOOD.ljust(512, b"\0") + bytes(1024)


def told(raw: bytes, put: Put, index: SlotIndex) -> str:
    (problem,) = check(put(raw), index).problems
    return problem.sentence


@pytest.mark.parametrize(
    "raw", [tar(tarfile.PAX_FORMAT), tar(tarfile.GNU_FORMAT), tar(tarfile.USTAR_FORMAT), old_tar()]
)
def test_a_tar_is_named_through_its_compression(raw: bytes, put: Put, index: SlotIndex) -> None:
    in_zip = zipped({"a.tar": raw})
    for packed in (raw, gzip.compress(raw), bz2.compress(raw), lzma.compress(raw), in_zip):
        assert "packed with tar." in told(packed, put, index)


RECORDS = [{"task_id": 1, "completion": "x"}]
SHEET = zipped({"_rels/.rels": "", "xl/worksheets/sheet1.xml": random.Random(1).randbytes(2**19)})


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        *((pickle.dumps(RECORDS, version), "in pickle format") for version in range(6)),
        (zipped({"[Content_Types].xml": "", "xl/workbook.xml": ""}), "in Excel format"),
        (gzip.compress(SHEET), "in Excel format"),
        (zipped({"a.xlsx": SHEET}), "in Excel format"),
        (gzip.compress(zipped({"a.json": GOOD})), "packed more than once"),
        (zipped({"mimetype": "", "META-INF/manifest.xml": ""}), "in OpenDocument format"),
        (zipped({"m/data.pkl": "", "m/version": "3"}), "in PyTorch format"),
        (b"PAR1\x15\x04", "in Parquet format"),
        (b"7z\xbc\xaf\x27\x1c", "packed with 7z"),
        (b"\x28\xb5\x2f\xfd\x04", "packed with zstd (.zst, .tar.zst)"),
        *((packed, "The file is packed with") for packed in (lzma.compress(GOOD), b"BZh91AY")),
        (bz2.compress(tar(tarfile.PAX_FORMAT, SHEET)), "packed with bzip2 (.bz2, .tar.bz2)"),
        (b"LZIP\1", "packed with lzip (.lz, .tar.lz)"),
        (b"Rar!\x1a", "The file is packed with"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html><title>Sign in</title>", "a web page (HTML)"),
        (b"From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n", "a web page (HTML)"),
        (b"<table><tr><td>1</td></tr></table>", "a web page (HTML)"),
        (b'id,"model\'s answer"\r\n1,x\r\n', "in CSV format"),
        ("\ufeffномер;ответ\n1;x\n".encode(), "in CSV format"),
        (b"PK,task_id,completion\n1,1,x\n", "in CSV format"),
        *((b"sep=%b\ntask_id%bcode\n" % (c, c), "in CSV format") for c in (b";", b",", b"\t")),
        (b"sep=;\r\ncompletion\r\n", "in CSV format"),
        (b"task_id;completion;;\r\n1;x;;\r\n", "in CSV format"),
        (b"task_id , completion\n1 , x\n", "in CSV format"),
        (b",0\n1,x\n", "in CSV format"),
        *((b"Sorry%b\n" % end, "not valid JSON") for end in (b",", b",,", b" , ", b", I can't")),
        (b"Unauthorized, sign in\n", "not valid JSON"),
        (b"<!-- moved -->\n<head><title>Sign in</title>", "a web page (HTML)"),
        (b"Obj\x01\x04\x14avro.codec", "in Avro format"),
        (zipped({"Index/Document.iwa": "", "preview.jpg": ""}), "in Numbers format"),
        *((lzma.compress(GOOD * n, lzma.FORMAT_ALONE), "packed with lzma") for n in range(1, 40)),
        (b"\x1f\x9d\x90{", "packed with compress (.Z, .tar.Z)"),
        *((zlib.compress(GOOD, level), "packed with zlib") for level in (1, 6, 9)),
        (b"<div class='login'><form></form></div>", "a web page (HTML)"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "">', "a web page (HTML)"),
        (b'<?xml version="1.0"?>\n<html xmlns="x"/>', "a web page (HTML)"),
        (b"<br />\n<b>Fatal error</b>: x", "a web page (HTML)"),
        (b"<noscript>Turn it on.</noscript>", "a web page (HTML)"),
        (b"<pre>Not found</pre>", "a web page (HTML)"),
        (b'<records><record id="1"/></records>', "(HTML) or XML"),
        (b"<\0\0\0\0\0\0\0{}", "in binary format"),  # safetensors
        (b"\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\r\n", "`git lfs pull`"),
        (b"{\\rtf1\\ansi \\{\\}}", "in RTF format"),
        *((b"id%ctask_id%ccode\n" % (mark, mark), "in CSV format") for mark in b",;\t|"),
        (b"- task_id: 1\n  completion: x\n", "in YAML format"),
        (b"<<<<<<< HEAD\n{}\n", "not valid JSON"),
        (json.dumps(GOOD.decode()).encode(), "The record is a string"),
        (b'<?xml version="1.0"?><records/>', "in XML format"),
        *((GOOD.decode().encode(name), name[:6].upper()) for name in ("utf-16-le", "utf-16-be")),
        *((GOOD.decode().encode(name), name[:6].upper()) for name in ("utf-16", "utf-32-le")),
        (b"", "The file is empty"),
        (b"\xef\xbb\xbf \n", "The file is empty"),
    ],
)
def test_a_foreign_file_is_named(raw: bytes, words: str, put: Put, index: SlotIndex) -> None:
    assert words in told(raw, put, index)


@given(JSON.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")))
def test_json_is_never_taken_for_another_format(raw: bytes) -> None:
    assert (format_of(raw), encoding_of(raw)) == ("", "utf-8-sig")


@given(st.binary(max_size=600))
def test_any_bytes_have_a_format_or_none(raw: bytes) -> None:
    assert isinstance(format_of(raw) + encoding_of(raw), str)


@pytest.mark.parametrize(
    ("start", "end"), [(b"PK\3\4" + b"a" * 22 + b"\xff\xffaa", b""), (b"a,", b"\xff\xfe")]
)
def test_a_long_file_takes_little_memory(start: bytes, end: bytes) -> None:
    content = start * (2**21 // len(start)) + end
    tracemalloc.start()
    unfit(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**22


@pytest.mark.parametrize(
    "name",
    [
        "a/DESKTOP.INI",
        ".idea/workspace.xml",
        "a\\.vscode\\x.json",
        "p.IML",
        "~$preds.xlsx",
        "a/a.csproj.user",
        "a.xcodeproj/project.pbxproj",
        "pom.xml",
        "build.xml",
        "nb-configuration.xml",
        "x.sublime-project",
        "a.xcworkspace/contents.xcworkspacedata",
        "x.code-workspace",
        "a/gradle/wrapper/gradle-wrapper.jar",
        "gradle.properties",
        "mvnw.cmd",
    ],
)
def test_files_of_desktops_and_editors_are_no_generations(
    name: str, put: Put, index: SlotIndex
) -> None:
    report = check(put(zipped({"./a.JSONL": GOOD, name: b"?"})), index)
    assert (report.ok, report.member) == (True, "./a.JSONL")
