"""Writes a compound file (MS-CFB, version 3), the container of `vbaProject.bin`: no kept library writes them.

A file is a tree of folders and streams: ``{"PROJECT": b"...", "VBA": {"dir": b"..."}}``. Streams below 4096 bytes share
one stream of small sectors; the same tree always gives the same bytes.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

SECTOR, SMALL_SECTOR, SMALL_STREAM = 512, 64, 4096
ENDS, FREE, HOLDS_FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
NO_ENTRY = 0xFFFFFFFF
FOLDER, STREAM, ROOT = 1, 2, 5
FAT_IN_HEADER = 109

Tree = Mapping[str, "bytes | Tree"]


@dataclass
class _Entry:
    name: str
    kind: int
    content: bytes = b""
    left: int = NO_ENTRY
    right: int = NO_ENTRY
    child: int = NO_ENTRY
    start: int = 0
    size: int = 0


@dataclass
class _Sectors:
    """Content in sectors of one size, and the table that chains them."""

    size: int
    written: bytearray = field(default_factory=bytearray)
    chain: list[int] = field(default_factory=list)

    def add(self, content: bytes) -> int:
        """Append a stream and return its first sector."""
        if not content:
            return ENDS
        first, count = len(self.chain), -(-len(content) // self.size)
        self.chain += [*range(first + 1, first + count), ENDS]
        self.written += content.ljust(count * self.size, b"\0")
        return first


def compound_file(tree: Tree) -> bytes:
    """Return the bytes of a compound file that holds the tree."""
    entries = [_Entry("Root Entry", ROOT)]
    _add_children(entries, 0, tree)
    sectors, small = _Sectors(SECTOR), _Sectors(SMALL_SECTOR)
    for entry in entries:
        if entry.kind == STREAM:
            entry.size = len(entry.content)
            entry.start = (small if entry.size < SMALL_STREAM else sectors).add(entry.content)
    entries[0].start, entries[0].size = sectors.add(bytes(small.written)), len(small.written)
    small_table = _table(small.chain)
    small_start = sectors.add(small_table)
    directory = b"".join(map(_directory_entry, entries))
    directory += _unused_entry() * (-len(entries) % (SECTOR // 128))
    directory_start = sectors.add(directory)
    return _finished(sectors, directory_start, small_start, len(small_table) // SECTOR)


def _add_children(entries: list[_Entry], parent: int, tree: Tree) -> None:
    """Add what a folder holds, as the balanced search tree that readers look names up in: short names first."""
    numbers = []
    for name in sorted(tree, key=lambda name: (len(name), name.upper())):
        content = tree[name]
        is_stream = isinstance(content, bytes)
        numbers.append(len(entries))
        entries.append(_Entry(name, STREAM if is_stream else FOLDER, content if isinstance(content, bytes) else b""))
        if not isinstance(content, bytes):
            _add_children(entries, numbers[-1], content)
    entries[parent].child = _balanced(entries, numbers)


def _balanced(entries: list[_Entry], numbers: list[int]) -> int:
    if not numbers:
        return NO_ENTRY
    middle = len(numbers) // 2
    top = entries[numbers[middle]]
    top.left, top.right = _balanced(entries, numbers[:middle]), _balanced(entries, numbers[middle + 1 :])
    return numbers[middle]


def _directory_entry(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le") + b"\0\0"
    black = 1
    links = struct.pack("<HBBIII", len(name), entry.kind, black, entry.left, entry.right, entry.child)
    no_class_no_times = bytes(16 + 4 + 8 + 8)
    return name.ljust(64, b"\0") + links + no_class_no_times + struct.pack("<IQ", entry.start, entry.size)


def _unused_entry() -> bytes:
    return bytes(64) + struct.pack("<HBBIII", 0, 0, 0, NO_ENTRY, NO_ENTRY, NO_ENTRY) + bytes(48)


def _table(chain: list[int]) -> bytes:
    """Return a table of sector numbers, filled up to whole sectors."""
    packed = struct.pack(f"<{len(chain)}I", *chain)
    return packed + b"\xff" * (-len(packed) % SECTOR)


def _finished(sectors: _Sectors, directory_start: int, small_start: int, n_small: int) -> bytes:
    """Return header, sectors and the table of sectors, which has to count its own."""
    n_fat = 1
    while (len(sectors.chain) + n_fat) * 4 > n_fat * SECTOR:
        n_fat += 1
    if n_fat > FAT_IN_HEADER:
        raise ValueError(f"compound file too large: got {n_fat} sectors of table, want at most {FAT_IN_HEADER}.")
    fat_start = len(sectors.chain)
    fat = _table(sectors.chain + [HOLDS_FAT] * n_fat)
    header = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16)
    header += struct.pack(
        "<5H6x", 0x3E, 3, 0xFFFE, 9, 6
    )  # minor and major version, byte order, sector sizes as powers of 2
    header += struct.pack("<9I", 0, n_fat, directory_start, 0, SMALL_STREAM, small_start, n_small, ENDS, 0)
    header += struct.pack(f"<{n_fat}I", *range(fat_start, fat_start + n_fat))
    return header.ljust(SECTOR, b"\xff") + bytes(sectors.written) + fat
