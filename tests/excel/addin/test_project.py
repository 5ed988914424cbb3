"""The VBA project byte by byte: the specification's examples, Excel's own file, and what other readers read."""

import io
import zipfile
from importlib.util import find_spec
from pathlib import Path

import olefile
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oletools.olevba import VBA_Parser, decompress_stream

from sizebook.excel.addin.compound import compound_file
from sizebook.excel.addin.vba_project import WORKBOOK, compressed, document, encrypted, standard, vba_project

# MS-OVBA 3.2.1 and 3.2.3: what cannot be compressed, and what can be most.
SPECIFIED = {
    b"abcdefghijklmnopqrstuv.": "0119B000616263646566676800696A6B6C6D6E6F70007172737475762E",
    b"a" * 73: "0103B002614500",
}


@pytest.mark.parametrize("plain", SPECIFIED)
def test_compression_as_specified(plain: bytes) -> None:
    assert compressed(plain).hex().upper() == SPECIFIED[plain]


@given(st.binary(max_size=9_000) | st.text("ab\r\n", max_size=9_000).map(str.encode))
def test_compressed_is_what_olevba_reads(plain: bytes) -> None:
    read = bytes(decompress_stream(bytearray(compressed(plain)))) if plain else b""
    # A full chunk that does not shrink is stored as it is; only the last of a file may be shorter than 4096.
    assert read[: len(plain)] == plain
    assert not read[len(plain) :].strip(b"\0")


def decrypted(text: str, project_id: str) -> bytes:
    """Return the data of a setting (MS-OVBA 2.4.3.3), checking what is checked there."""
    seed, version, key, *rest = bytes.fromhex(text)
    assert (seed ^ version, seed ^ key) == (2, sum(project_id.encode()) & 0xFF)
    plain, before, last, out = seed ^ key, version, key, []
    for byte in rest:
        plain = byte ^ ((before + plain) & 0xFF)
        before, last = last, byte
        out.append(plain)
    ignored = (seed & 6) // 2
    assert int.from_bytes(bytes(out[ignored : ignored + 4]), "little") == len(out) - ignored - 4
    return bytes(out[ignored + 4 :])


def settings_of(project: bytes) -> dict[str, str]:
    text = olefile.OleFileIO(io.BytesIO(project)).openstream("PROJECT").read().decode("ascii")
    pairs = (line.partition("=") for line in text.split("\r\n"))
    return {name: value.strip('"') for name, _, value in pairs}


def excels_own() -> bytes:
    """Return the project of the add-in that xlwings ships, which Excel saved."""
    spec = find_spec("xlwings")
    assert spec is not None and spec.origin is not None
    with zipfile.ZipFile(Path(spec.origin).with_name("quickstart_addin.xlam")) as parts:
        return parts.read("xl/vbaProject.bin")


@pytest.mark.parametrize("ours", [False, True], ids=["Excel's", "ours"])
def test_protection_reads_as_excel_writes_it(ours: bool) -> None:
    found = settings_of(vba_project("sizebook", [standard("one", "")]) if ours else excels_own())
    # No protection, no password, visible.
    want = {"CMG": bytes(4), "DPB": bytes(1), "GC": b"\xff"}
    assert {name: decrypted(found[name], found["ID"]) for name in want} == want


@pytest.mark.parametrize("seed", range(0, 256, 2))
def test_any_seed_decrypts(seed: int) -> None:
    assert decrypted(encrypted(b"\1\2\3", "{A}", seed), "{A}") == b"\1\2\3"


@given(st.dictionaries(st.text("abcXYZ", min_size=1, max_size=12), st.binary(max_size=6_000), max_size=9))
def test_streams_come_back_from_the_container(streams: dict[str, bytes]) -> None:
    named = {name.upper(): content for name, content in streams.items()}  # names differ in more than their case
    read = olefile.OleFileIO(io.BytesIO(compound_file({"in": named, "large": b"x" * 100_000})))
    assert {path[-1]: read.openstream(path).read() for path in read.listdir() if path[0] == "in"} == named
    assert read.get_size("large") == 100_000
    assert read.parsing_issues == []


def test_container_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^compound file too large: got \d+ sectors of table, want at most 109\.$"):
        compound_file({"large": bytes(8_000_000)})


def test_source_comes_back_as_it_was() -> None:
    source = "Public Function TWICE(x As Variant) As Variant\r\n    TWICE = 2 * x\r\nEnd Function\r\n"
    project = vba_project("sizebook", [document("ThisWorkbook", WORKBOOK), standard("one", source)])
    found = {name: code for _, _, name, code in VBA_Parser("vbaProject.bin", data=project).extract_macros()}
    assert found["one.bas"] == f'Attribute VB_Name = "one"\r\n{source}'
    assert found["ThisWorkbook.cls"].splitlines()[1] == f'Attribute VB_Base = "{WORKBOOK}"'
