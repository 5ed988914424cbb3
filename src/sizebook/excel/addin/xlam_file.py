"""Puts `sizebook.xlam` together: a workbook with one sheet of settings, the VBA project and the help of Excel-DNA."""

from collections.abc import Mapping
from html import escape

from sizebook import __version__
from sizebook.core.domain_archive import archive
from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help, help_url
from sizebook.excel.addin.vba_project import WORKBOOK, WORKSHEET, document, standard, vba_project
from sizebook.excel.addin.windows_machine import Machine
from sizebook.excel.addin.wrappers import CODE_NAME, vba_modules
from sizebook.functions import load

FILE_NAME = "sizebook.xlam"
SHEET, SHEET_PART = "settings", "xl/worksheets/sheet1.xml"
PYTHON_MODULE = "sizebook.excel.classic"

_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_DESCRIPTIONS = "http://schemas.excel-dna.net/intellisense/1.0"
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"

_CONTENT_TYPES = f"""<Types xmlns="{_PACKAGE}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>\
<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/>\
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.ms-excel.addin.macroEnabled.main+xml"/>\
<Override PartName="/{SHEET_PART}" ContentType="{_SPREADSHEET}.worksheet+xml"/>\
<Override PartName="/xl/styles.xml" ContentType="{_SPREADSHEET}.styles+xml"/>\
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>\
</Types>"""
_WORKBOOK = f"""<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><workbookPr codeName="{CODE_NAME}"/>\
<bookViews><workbookView/></bookViews>\
<sheets><sheet name="{SHEET}" sheetId="1" r:id="rId1"/></sheets><calcPr calcId="191029"/></workbook>"""
_STYLES = f"""<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill>\
<fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>\
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"""
_PROPERTIES = f"""<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" \
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>sizebook {__version__}</dc:title>\
<dc:description>Sizes transformer models inside spreadsheets.</dc:description></cp:coreProperties>"""


def settings(machine: Machine) -> dict[str, str]:
    """Return what the add-in is made with, as its sheet of settings holds it."""
    return {
        "sizebook": __version__,
        "xlwings": machine.xlwings_version,
        "module": PYTHON_MODULE,
        "interpreter": str(machine.interpreter),
        **{f"library_{bits}": str(library.path) for bits, library in sorted(machine.libraries.items())},
    }


def addin_bytes(machine: Machine) -> bytes:
    """Return the file; the same machine and version always give the same bytes."""
    made_with = settings(machine)
    return xlam_bytes(made_with, vba_modules(machine.libraries, len(made_with)))


def xlam_bytes(made_with: Mapping[str, str], modules: Mapping[str, str]) -> bytes:
    """Return the file of given settings and VBA modules."""
    listed = [
        document(name, WORKBOOK, source) if name == CODE_NAME else standard(name, source)
        for name, source in modules.items()
    ]
    project = vba_project("sizebook", [*listed, document("Sheet1", WORKSHEET)])
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _relations(officeDocument="xl/workbook.xml", core="docProps/core.xml"),
        "docProps/core.xml": _PROPERTIES,
        "xl/workbook.xml": _WORKBOOK,
        "xl/_rels/workbook.xml.rels": _relations(
            worksheet="worksheets/sheet1.xml",
            styles="styles.xml",
            vba="vbaProject.bin",
            customXml="../customXml/item1.xml",
        ),
        "xl/styles.xml": _STYLES,
        SHEET_PART: _sheet(made_with),
        "customXml/item1.xml": _intellisense(),
    }
    return archive({name: (_XML + text).encode() for name, text in parts.items()} | {"xl/vbaProject.bin": project})


_KINDS = {
    "core": f"{_PACKAGE}/relationships/metadata/core-properties",
    "vba": "http://schemas.microsoft.com/office/2006/relationships/vbaProject",
}


def _relations(**targets: str) -> str:
    listed = "".join(
        f'<Relationship Id="rId{at}" Type="{_KINDS.get(kind, f"{_OFFICE}/{kind}")}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets.items(), 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _sheet(made_with: Mapping[str, str]) -> str:
    rows = "".join(
        f'<row r="{at}">{_text(f"A{at}", key)}{_text(f"B{at}", value)}</row>'
        for at, (key, value) in enumerate(made_with.items(), 1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetPr codeName="Sheet1"/><sheetData>{rows}</sheetData></worksheet>'


def _text(cell: str, text: str) -> str:
    return f'<c r="{cell}" t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def _intellisense() -> str:
    """Return what Excel-DNA IntelliSense, where it is installed, shows beside the cell while a person types.

    It reads the descriptions of functions and arguments from this part (https://github.com/Excel-DNA/IntelliSense).
    """
    described = "".join(map(_described, load().values()))
    return f'<IntelliSense xmlns="{_DESCRIPTIONS}"><FunctionInfo>{described}</FunctionInfo></IntelliSense>'


def _described(function: Function) -> str:
    arguments = "".join(
        f'<Argument Name="{a.name}" Description="{escape(argument_help(a))}"/>' for a in function.arguments
    )
    return (
        f'<Function Name="{function.name}" Description="{escape(function.summary)}" '
        f'HelpTopic="{escape(help_url(function))}">{arguments}</Function>'
    )
