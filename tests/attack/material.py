"""Makes the files of a hostile case from what its data say.

A content is a text, or a list of pieces: a text, ``[text, times]`` where ``{n}`` is the number of the repetition, or
``{hex = "50 4b"}``. A file may also be a table with one of these keys:

- ``link``, ``pipe``, ``folder``, ``socket``, ``holes`` (so many bytes of none): what is no regular file
- ``book = true``: a workbook with sheet S and its input x in A1, with ``cells`` (a range takes a formula with
  ``{row}``), ``names`` and ``sheets`` (so many more with a ``formula`` in A1); or with ``rows`` alone
- ``template``: the workbook of that name which sizebook ships
- both with ``parts`` (content by name, false takes one out), ``change`` ([part, before, after]) and ``damage`` (bytes:
  ``flip`` every n-th, ``cut`` to a share, ``method`` of compression, ``size`` stated for a part, ``twice`` a part)
- ``torch``: what torch.save would write around these instructions of a pickle
"""

import io
import os
import socket
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.sources.bundled import bundled
from tests.models.checkpoints.making import torch_archive

_CHUNK = 1 << 20


def make(path: Path, given: Any) -> None:
    """Make one file of a case."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(given, Mapping):
        with path.open("wb") as file:
            for piece in pieces(given):
                file.write(piece)
    elif "book" in given or "template" in given:
        path.write_bytes(_workbook(given))
    elif "torch" in given:
        path.write_bytes(torch_archive(content(given["torch"]), {}))
    else:
        _irregular(path, given)


def _irregular(path: Path, given: Mapping[str, Any]) -> None:
    if "link" in given:
        path.symlink_to(given["link"])
    elif "pipe" in given:
        os.mkfifo(path)
    elif "folder" in given:
        path.mkdir()
    elif "socket" in given:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path) if len(str(path)) > 100 else str(path))
    else:
        with path.open("wb") as file:
            file.truncate(given["holes"])


def content(given: Any) -> bytes:
    return b"".join(pieces(given))


def pieces(given: Any) -> Iterator[bytes]:
    """Yield the bytes of a content, a long repetition a megabyte at a time."""
    for piece in [given] if isinstance(given, (str, Mapping)) else given:
        if isinstance(piece, str):
            yield piece.encode()
        elif isinstance(piece, Mapping):
            yield bytes.fromhex(piece["hex"])
        elif "{n}" in piece[0]:
            yield "".join(piece[0].replace("{n}", str(n)) for n in range(piece[1])).encode()
        else:
            text, left = piece[0].encode(), piece[1]
            while left > 0:
                times = min(left, max(1, _CHUNK // len(text)))
                yield text * times
                left -= times


# Workbooks ------------------------------------------------------------------------------------------------------------


def _workbook(given: Mapping[str, Any]) -> bytes:
    shipped = bundled("workbooks") / f"{given.get('template')}.xlsx"
    made = shipped.read_bytes() if "template" in given else _book(given)
    parts, changes = given.get("parts", {}), given.get("change", [])
    made = _edited(made, parts, changes) if parts or changes else made
    return _damaged(made, given.get("damage", {}))


def _book(given: Mapping[str, Any]) -> bytes:
    book, packed = Workbook(), io.BytesIO()
    sheet = book.worksheets[0]
    if "rows" in given:
        for row in given["rows"]:
            sheet.append([value if value != "" else None for value in row])
    else:
        sheet.title = "S"
        book.add_named_style(NamedStyle("Input"))
        sheet["A1"], sheet["A1"].style = 1, "Input"
        book.defined_names["x"] = DefinedName("x", attr_text="S!$A$1")
    for place, value in given.get("cells", {}).items():
        cells = sheet[place]
        for cell in [cell for row in cells for cell in row] if isinstance(cells, tuple) else [cells]:
            cell.value = value.replace("{row}", str(cell.row)) if isinstance(value, str) else value
    for name, text in given.get("names", {}).items():
        book.defined_names[name] = DefinedName(name, attr_text=text)
    for number in range(given.get("sheets", 0)):
        book.create_sheet(f"T{number}")["A1"] = given["formula"]
    book.save(packed)
    return packed.getvalue()


def _edited(made: bytes, parts: Mapping[str, Any], changes: list[list[Any]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in [*old.namelist(), *(name for name in parts if name not in old.namelist())]:
            if parts.get(name) is False:
                continue
            with new.open(name, "w", force_zip64=True) as part:
                for piece in pieces(parts[name]) if name in parts else [_changed(name, old.read(name), changes)]:
                    part.write(piece)
    return packed.getvalue()


def _changed(name: str, data: bytes, changes: list[list[Any]]) -> bytes:
    for part, before, after in changes:
        if part == name:
            assert before.encode() in data, (before, data)
            data = data.replace(before.encode(), content(after), 1)
    return data


def _damaged(made: bytes, damage: Mapping[str, Any]) -> bytes:
    data = bytearray(made)
    for at in range(500, len(data) - 500, damage.get("flip", len(data))):
        data[at] ^= 0xFF if "flip" in damage else 0
    if "cut" in damage:
        del data[int(len(data) * damage["cut"]) :]
    if "method" in damage:
        for mark, at in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
            found = -1
            while (found := data.find(mark, found + 1)) != -1:
                data[found + at : found + at + 2] = struct.pack("<H", damage["method"])
    if "size" in damage:  # what the directory says of the last part
        at = data.rindex(b"PK\x01\x02")
        data[at + 24 : at + 28] = struct.pack("<I", damage["size"])
    if "twice" in damage:
        grown = io.BytesIO(bytes(data))
        with zipfile.ZipFile(grown, "a") as archive:
            archive.filelist.append(info := archive.getinfo(damage["twice"]))
            archive._didModify = True
            assert info
        data = bytearray(grown.getvalue())
    return bytes(data)
