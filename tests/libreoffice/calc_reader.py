"""Drives one hidden LibreOffice; runs under a Python that has `uno` (see `office`), never under pytest itself.

Usage: calc_reader.py SOFFICE PROFILE. Each line on standard input is a JSON request, each line out its answer:
{"read": FILE} gives {sheet: {cell: displayed text}}, with "values" true numbers as they are, with
"enter" {"Sheet!B2": value} after these were typed in,
{"pdf": FILE, "to": FILE, ...} prints it,
{"basic": SOURCE, "call": FUNCTION} runs a function of a Basic module in VBA mode and gives what it returns,
{"plant": FILE, "edits": [[CELL, FORMULA]], "look": [CELL]} gives what cells show before and after each edit alone,
{"macros": FILE, "enter": {CELL: FORMULA}} gives the modules of the file and what the cells of its first sheet show,
{"help": NAMES} gives what the function wizard says of these functions and of each argument.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

START_SECONDS = 600


def main() -> None:
    soffice, profile = sys.argv[1:]
    pipe = f"sizebook{os.getpid()}"
    office = subprocess.Popen(
        [
            soffice,
            f"-env:UserInstallation=file://{profile}",
            "--headless",
            "--norestore",
            "--nologo",
            "--nodefault",
            f"--accept=pipe,name={pipe};urp;",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    remote = connect(pipe)
    desktop = remote.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", remote)
    try:
        reply("ready")
        for line in sys.stdin:
            request = json.loads(line)
            reply(wizard(remote, request["help"]) if "help" in request else answer(desktop, request))
    finally:
        desktop.terminate()
        office.wait(30)


def reply(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def connect(pipe):
    context = uno.getComponentContext()
    resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except NoConnectException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def answer(desktop, request):
    if "basic" in request:
        return run_basic(desktop, request["basic"], request["call"])
    if "plant" in request:
        return plant(desktop, request["plant"], request["edits"], request["look"])
    if "macros" in request:
        return run_macros(desktop, request["macros"], request["enter"])
    path = request.get("read") or request["pdf"]
    document = desktop.loadComponentFromURL(Path(path).as_uri(), "_blank", 0, properties(Hidden=True))
    try:
        for place, value in request.get("enter", {}).items():
            sheet, _, cell = place.partition("!")
            at = document.Sheets.getByName(sheet).getCellRangeByName(cell)
            if isinstance(value, str):
                at.String = value
            else:
                at.Value = value
        document.calculateAll()  # cached values would hide what Calc itself gives
        if "to" not in request:
            return {sheet.Name: displayed(sheet, request.get("values", False)) for sheet in document.Sheets}
        document.storeToURL(Path(request["to"]).as_uri(), properties(FilterName="calc_pdf_Export"))
        return request["to"]
    finally:
        document.close(True)


def plant(desktop, path, edits, look):
    """Return what cells show after each edit alone: each is undone before the next."""
    document = desktop.loadComponentFromURL(Path(path).as_uri(), "_blank", 0, properties(Hidden=True))

    def cell(place):
        sheet, _, at = place.partition("!")
        return document.Sheets.getByName(sheet).getCellRangeByName(at)

    try:
        document.calculateAll()
        shown = [[cell(place).String for place in look]]
        for place, formula in edits:
            before = cell(place).Formula
            cell(place).Formula = formula
            shown.append([cell(at).String for at in look])
            cell(place).Formula = before
        return shown
    finally:
        document.close(True)


def run_basic(desktop, source, function):
    document = desktop.loadComponentFromURL(
        "private:factory/scalc", "_blank", 0, properties(Hidden=True, MacroExecutionMode=4)
    )
    try:
        if not document.BasicLibraries.hasByName("Standard"):
            document.BasicLibraries.createLibrary("Standard")
        document.BasicLibraries.getByName("Standard").insertByName("Tested", source)
        address = f"vnd.sun.star.script:Standard.Tested.{function}?language=Basic&location=document"
        value, _, _ = document.ScriptProvider.getScript(address).invoke((), (), ())
        return value
    finally:
        document.close(True)


def run_macros(desktop, path, entered):
    # Calc knows the content but not the type of an add-in (.xlam).
    allowed = properties(Hidden=True, MacroExecutionMode=4, FilterName="Calc MS Excel 2007 VBA XML")
    document = desktop.loadComponentFromURL(Path(path).as_uri(), "_blank", 0, allowed)
    try:
        libraries = document.BasicLibraries
        modules = {
            f"{library}.{name}": libraries.getByName(library).getByName(name)
            for library in libraries.ElementNames
            for name in libraries.getByName(library).ElementNames
        }
        sheet = document.Sheets.getByIndex(0)
        for cell, formula in entered.items():
            sheet.getCellRangeByName(cell).Formula = formula
        return {"modules": modules, "cells": {cell: sheet.getCellRangeByName(cell).String for cell in entered}}
    finally:
        document.close(True)


def wizard(remote, names):
    known = remote.ServiceManager.createInstanceWithContext("com.sun.star.sheet.FunctionDescriptions", remote)
    found = {}
    for at in range(known.Count):
        said = {each.Name: each.Value for each in known.getByIndex(at)}
        if said["Name"] in names:
            arguments = [[each.Name, each.Description, each.IsOptional] for each in said["Arguments"]]
            found[said["Name"]] = {"description": said["Description"], "arguments": arguments}
    return found


def properties(**values):
    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def displayed(sheet, as_values):
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    end = cursor.RangeAddress
    used = sheet.getCellRangeByPosition(0, 0, end.EndColumn, end.EndRow)
    texts = {}
    # A call to the office takes 2 ms: one for all values, and one more only for a cell that shows a number or an error.
    for row, (formulas, values) in enumerate(zip(used.FormulaArray, used.DataArray, strict=True)):
        for column, (formula, value) in enumerate(zip(formulas, values, strict=True)):
            # An error has no value at all, not even an empty text.
            is_known = isinstance(value, str) or not formula or (as_values and value is not None)
            text = value if is_known else sheet.getCellByPosition(column, row).String
            if text not in ("", None):
                texts[f"{letters(column)}{row + 1}"] = text
    return texts


def letters(column):
    name = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(65 + rest) + name
    return name


if __name__ == "__main__":
    main()
