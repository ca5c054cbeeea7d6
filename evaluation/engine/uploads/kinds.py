"""Says what a file is that holds no text in UTF-8, by its first bytes or by the names in a zip."""

import bz2
import codecs
import json
import lzma
import pickletools
import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
# The first block of bzip2 may be too long to look into.
PACKERS = {
    b"\xfd7zXZ": "xz",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "rar",
    b"]\0\0": "lzma",
    b"\x28\xb5\x2f\xfd": "zstd (.zst, .tar.zst)",
    b"\x04\x22\x4d\x18": "lz4 (.lz4, .tar.lz4)",
    b"BZh": "bzip2 (.bz2, .tar.bz2)",
    b"\x1f\x9d": "compress (.Z, .tar.Z)",
    b"LZIP": "lzip (.lz, .tar.lz)",
    **dict.fromkeys((b"x\x01", b"x\x9c", b"x\xda"), "zlib"),
}
_FORMATS = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"ORC": "ORC",
    b"Obj\x01": "Avro",
    b"\x89HDF": "HDF5",
    b"\x93NUMPY": "NumPy",
    b"GGUF": "GGUF",
    b"SQLite format 3\0": "SQLite",
    b"%PDF-": "PDF",
    b"{\\rtf": "RTF",
    b"\xd0\xcf\x11\xe0": "Excel",
    b"version https://": "Git LFS",
    **dict.fromkeys((b"From: <Saved by ", b"MIME-Version: "), "HTML"),  # with all its files
}
# An Excel file's first sheet may be long, and before the workbook.
_IN_ZIPS = {
    **dict.fromkeys(("xl/workbook.xml", "xl/workbook.bin", "xl/worksheets/sheet1.xml"), "Excel"),
    "word/document.xml": "Word",
    "ppt/presentation.xml": "PowerPoint",
    "Document.iwa": "Numbers",
    "META-INF/manifest.xml": "OpenDocument",
    "data.pkl": "PyTorch",
}
# The opcodes that a pickle without a protocol's mark begins with; JSON begins with none of them.
_PICKLED = {"MARK", "EMPTY_LIST", "EMPTY_DICT", "EMPTY_TUPLE", "GLOBAL"}
_UNPACKING_BYTES = 2**27
# The names that it knows are short.
_ZIPPED = re.compile(rb"PK\x03\x04.{22}(.)\0..", re.DOTALL)
_WEB_PAGE = re.compile(rb"<(!doctype\s+)?html\b", re.IGNORECASE)
# A line of several names; prose has a blank after its comma, but none before it.
_CELL = rb'(?:"[^"\\\r\n]*"|(?:[\w.\x80-\xff-][\w.\x80-\xff -]*+)?)'
_NEXT = rb" ?[,;\t|](?:(?<= [,;\t|]) )?"
_TABLE = re.compile(
    rb'"?(?i:sep)=."?[\r\n]|(?!%b[,;\t| ]*+[\r\n])(?:%b%b)++%b[\r\n]' % (_CELL, _CELL, _NEXT, _CELL)
)
_YAML = re.compile(rb"(---\s+)?(-\s+)?(task_id|predictions|outputs|completion):\s")
# An answer may be any other text, with any first word or tag.
_NO_ANSWER = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype|html)\b|version https://", re.IGNORECASE)
# In no text, but for the record separator of JSON text sequences and terminals' escapes.
_CONTROL = re.compile(rb"[\0-\x08\x0e-\x1a\x1c\x1d\x1f]")


def format_of(start: bytes) -> str:
    """The name of a format that is not JSON, as people write it; "" if it is not recognised, or for
    a zip or gzip that may hold predictions."""
    if start.startswith((*ZIP, b"\x1f\x8b")):
        places = ((match.end(), match[1][0]) for match in _ZIPPED.finditer(start))
        return format_of_members(
            start[at : at + size].decode("utf-8", "replace") for at, size in places
        )
    text = start.removeprefix(codecs.BOM_UTF8).lstrip()
    if re.match(rb"<[!?/\w]", text):
        is_declared = text.startswith(b"<?xml") and not _WEB_PAGE.search(text)
        return "XML" if is_declared else "HTML"
    inner = start
    for unpacker in (bz2.BZ2Decompressor(), lzma.LZMADecompressor(memlimit=_UNPACKING_BYTES)):
        with suppress(OSError, lzma.LZMAError):
            inner = unpacker.decompress(start, 512) or inner
    # Tars from before POSIX have only a checksum: the sum of the header's bytes in octal, in which
    # its own field counts as blanks.
    header = inner[:148] + b" " * 8 + inner[156:512]
    with suppress(ValueError):
        if len(header) == 512 and int(inner[148:156].strip(b" \0"), 8) == sum(header):
            return "tar"
    if inner[257:262] == b"ustar":
        return "tar"
    magics = PACKERS | _FORMATS
    name = next((magics[m] for m in magics if start.startswith(m) or text.startswith(m)), "")
    if name or text.startswith((b"{", b"[")):
        return name
    if _YAML.match(text) or _TABLE.match(text):
        return "YAML" if _YAML.match(text) else "CSV"
    names: list[str] = []
    with suppress(ValueError):  # not a pickle, or one that goes on
        names += (code.name for code, _argument, _at in islice(pickletools.genops(start), 20))
    begins = names[:1] == ["PROTO"] or not _PICKLED.isdisjoint(names[:1])
    if begins and not {"PROTO", "PUT", "BINPUT"}.isdisjoint(names):
        return "pickle"
    return "binary" if _CONTROL.search(start[:1024]) else ""


def format_of_members(names: Iterable[str]) -> str:
    """Like `format_of`, for a zip with these names."""
    formats = (_IN_ZIPS.get(name) or _IN_ZIPS.get(name.rpartition("/")[2]) for name in names)
    return next(filter(None, formats), "")


def encoding_of(start: bytes) -> str:
    """UTF-16 or UTF-32, with a byte order mark or without; else "utf-8-sig"."""
    encoding = json.detect_encoding(start)
    with suppress(UnicodeDecodeError):
        text = codecs.getincrementaldecoder(encoding)().decode(start)
        if not encoding.startswith("utf-8") and "\0" not in text:
            return encoding
    return "utf-8-sig"


def is_answer(content: bytes) -> bool:
    """Whether the file may hold a model's answer by itself. The others are `unfit`."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return encoding_of(content) == "utf-8-sig" and not _NO_ANSWER.match(content)
    return False
