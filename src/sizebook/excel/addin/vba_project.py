"""Writes `vbaProject.bin`: a VBA project of source text alone (MS-OVBA), which Excel compiles when it first runs it.

The streams are those of the specification: `dir` lists the modules (2.3.4.2), each module is its compressed source
(2.4.1), `_VBA_PROJECT` says that there is no compiled code (2.3.4.1), `PROJECT` is what the editor shows (2.3.1).
"""

import struct
import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from sizebook.excel.addin.compound import Tree, compound_file

CODE_PAGE = 1252
ENGLISH = 0x0409
CHUNK = 4096
# Version 0xFFFF: no cached code, whatever the version and bitness of the Excel that reads it.
NOTHING_COMPILED = bytes.fromhex("CC61FFFF000000")
# The editor's own encryption needs a first byte; any will do, and one always gives the same file.
SEED = 0x1C
WORKBOOK = "0{00020819-0000-0000-C000-000000000046}"
WORKSHEET = "0{00020820-0000-0000-C000-000000000046}"

_DOCUMENT = """\
Attribute VB_Name = "{name}"
Attribute VB_Base = "{base}"
Attribute VB_GlobalNameSpace = False
Attribute VB_Creatable = False
Attribute VB_PredeclaredId = True
Attribute VB_Exposed = True
Attribute VB_TemplateDerived = False
Attribute VB_Customizable = True
"""


@dataclass(frozen=True)
class Module:
    """A module: its name, its source in ASCII, and whether it belongs to the workbook or one of its sheets."""

    name: str
    source: str
    is_document: bool = False


def standard(name: str, source: str) -> Module:
    """Return a module of functions and procedures."""
    return Module(name, f'Attribute VB_Name = "{name}"\n{source}')


def document(name: str, base: str, source: str = "") -> Module:
    """Return the module that Excel wants for the workbook and for each sheet; most are empty."""
    return Module(name, _DOCUMENT.format(name=name, base=base) + source, is_document=True)


def vba_project(name: str, modules: Iterable[Module]) -> bytes:
    """Return a `vbaProject.bin` with the modules, in order."""
    listed = list(modules)
    sources: dict[str, bytes | Tree] = {m.name: compressed(_crlf(m.source).encode("ascii")) for m in listed}
    sources |= {"dir": compressed(_directory(name, listed)), "_VBA_PROJECT": NOTHING_COMPILED}
    names = b"".join(m.name.encode("ascii") + b"\0" + m.name.encode("utf-16-le") + b"\0\0" for m in listed)
    return compound_file({"PROJECT": _properties(name, listed), "PROJECTwm": names + b"\0\0", "VBA": sources})


def compressed(data: bytes) -> bytes:
    """Return the data as a compressed container (MS-OVBA 2.4.1): chunks of 4096 bytes, each of tokens."""
    return b"\x01" + b"".join(_chunk(data[start : start + CHUNK]) for start in range(0, len(data), CHUNK))


def _chunk(data: bytes) -> bytes:
    body, at, seen = bytearray(), 0, dict[bytes, list[int]]()
    while at < len(data):
        flags, tokens = 0, bytearray()
        for bit in range(8):
            if at >= len(data):
                break
            length, distance = _longest(data, at, seen)
            if length:
                flags |= 1 << bit
                tokens += struct.pack("<H", (distance - 1) << (16 - _offset_bits(at)) | (length - 3))
            else:
                length = 1
                tokens += data[at : at + 1]
            for place in range(at, at + length):
                seen.setdefault(data[place : place + 3], []).append(place)
            at += length
        body += bytes((flags,)) + tokens
    if len(body) > CHUNK:  # only of a full chunk: a short one grows by an eighth at most
        return struct.pack("<H", CHUNK - 1 | 0x3000) + data.ljust(CHUNK, b"\0")
    return struct.pack("<H", len(body) - 1 | 0xB000) + bytes(body)


def _offset_bits(at: int) -> int:
    """Return how many bits of a copy token hold the distance: as many as the place in the chunk needs, at least 4."""
    return max((at - 1).bit_length(), 4)


def _longest(data: bytes, at: int, seen: dict[bytes, list[int]]) -> tuple[int, int]:
    """Return length and distance of the longest earlier run that stands here again, 0 and 0 for none of 3 or more."""
    most = min((1 << (16 - _offset_bits(at))) + 2, len(data) - at)
    best, distance = 0, 0
    for place in reversed(seen.get(data[at : at + 3], [])[-8:]):
        length = 3
        while length < most and data[place + length] == data[at + length]:
            length += 1
        if length > best:
            best, distance = length, at - place
        if best >= most:
            break
    return (best, distance) if best >= 3 and most >= 3 else (0, 0)


def _record(number: int, content: bytes) -> bytes:
    return struct.pack("<HI", number, len(content)) + content


def _directory(name: str, modules: list[Module]) -> bytes:
    """Return the `dir` stream: what the project is, no references, and the modules."""
    empty, zero = b"", struct.pack("<I", 0)
    described = [
        (0x01, struct.pack("<I", 1)),
        (0x02, struct.pack("<I", ENGLISH)),
        (0x14, struct.pack("<I", ENGLISH)),
        (0x03, struct.pack("<H", CODE_PAGE)),
        (0x04, name.encode("ascii")),
        (0x05, empty),
        (0x40, empty),
        (0x06, empty),
        (0x3D, empty),
        (0x07, zero),
        (0x08, zero),
    ]
    version = struct.pack("<HIIH", 0x09, 4, 1, 0)  # its length field does not count the minor version
    constants = _record(0x0C, empty) + _record(0x3C, empty)
    count = _record(0x0F, struct.pack("<H", len(modules))) + _record(0x13, b"\xff\xff")
    listed = b"".join(map(_module_records, modules))
    return b"".join(_record(*each) for each in described) + version + constants + count + listed + _record(0x10, empty)


def _module_records(module: Module) -> bytes:
    name, wide, zero = module.name.encode("ascii"), module.name.encode("utf-16-le"), struct.pack("<I", 0)
    records = [
        (0x19, name),
        (0x47, wide),
        (0x1A, name),
        (0x32, wide),
        (0x1C, b""),
        (0x48, b""),
        (0x31, zero),
        (0x1E, zero),
        (0x2C, b"\xff\xff"),
        (0x22 if module.is_document else 0x21, b""),
        (0x2B, b""),
    ]
    return b"".join(_record(*each) for each in records)


def _properties(name: str, modules: list[Module]) -> bytes:
    """Return the `PROJECT` stream: not protected, no password, visible, every window closed."""
    project_id = f"{{{uuid.uuid5(uuid.NAMESPACE_DNS, name)}}}".upper()
    lines = [
        f'ID="{project_id}"',
        *(f"Document={m.name}/&H00000000" if m.is_document else f"Module={m.name}" for m in modules),
        f'Name="{name}"',
        'HelpContextID="0"',
        'VersionCompatible32="393222000"',
        f'CMG="{encrypted(bytes(4), project_id)}"',
        f'DPB="{encrypted(bytes(1), project_id)}"',
        f'GC="{encrypted(bytes((0xFF,)), project_id)}"',
        "",
        "[Host Extender Info]",
        "&H00000001={3832D640-CF90-11CF-8E43-00A0C911005A};VBE;&H00000000",
        "",
        "[Workspace]",
        *(f"{m.name}=0, 0, 0, 0, C" for m in modules),
        "",
    ]
    return "\r\n".join(lines).encode("ascii")


def encrypted(data: bytes, project_id: str, seed: int = SEED) -> str:
    """Return a setting as the `PROJECT` stream holds it (MS-OVBA 2.4.3.2), in hexadecimal digits."""
    key = sum(project_id.encode("ascii")) & 0xFF
    before, last, plain = seed ^ 2, seed ^ key, key  # 2 is the version
    out = [seed, before, last]
    for byte in bytes((seed & 6) // 2) + struct.pack("<I", len(data)) + data:
        before, last, plain = last, byte ^ ((before + plain) & 0xFF), byte
        out.append(last)
    return bytes(out).hex().upper()


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
