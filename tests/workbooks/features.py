"""A made-up workbook, written part by part, with what Excel 365 stores beside cells and formulas.

`FEATURES` names them one by one; `build` puts one of them, or all at once, into a workbook whose input ``x`` is A1 of
the sheet Plan and whose B1 is ``=A1*2``.
"""

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MS = "http://schemas.microsoft.com/office"
SHEETML = "application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

# What stands in a part's place is of no matter here: bytes that must come back as they are.
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
MODEL = bytes(reversed(range(256))) * 8


@dataclass(frozen=True)
class Feature:
    """Parts by name; relationships (source part, type, target, mode); cells, elements of the sheet and the workbook."""

    parts: dict[str, bytes | str] = field(default_factory=dict)
    relations: Sequence[tuple[str, str, str, str]] = ()
    cells: str = ""
    in_sheet: str = ""
    in_workbook: str = ""
    names: str = ""


def parts(path: Path) -> dict[str, bytes]:
    """Return the parts of a workbook by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _part(root: str, namespace: str, inside: str = "") -> str:
    return f'{HEAD}<{root} xmlns="{namespace}" xmlns:r="{OFFICE}">{inside}</{root.split(" ")[0]}>'


_SHEET, _BOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
_MAIN15 = f"{MS}/spreadsheetml/2010/11/main"

_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
_VML = '<xml xmlns:v="urn:schemas-microsoft-com:vml"><v:shape id="_x0000_s1025"/></xml>'

FEATURES: dict[str, Feature] = {
    "threaded comments": Feature(
        {
            "xl/threadedComments/threadedComment1.xml": _part(
                "ThreadedComments", f"{MS}/spreadsheetml/2018/threadedcomments",
                '<threadedComment ref="A1" dT="2026-11-22T06:00:00.00" personId="{1}" id="{2}"><text>Why 1?</text>'
                '</threadedComment><threadedComment ref="A1" personId="{1}" id="{3}" parentId="{2}"><text>Ask.</text>'
                "</threadedComment>",
            ),
            "xl/persons/person.xml": _part(
                "personList", f"{MS}/spreadsheetml/2018/threadedcomments",
                '<person displayName="A. Planner" id="{1}" userId="S::a" providerId="AD"/>',
            ),
            "xl/comments1.xml": _part(
                "comments", MAIN,
                '<authors><author>tc={2}</author></authors><commentList><comment ref="A1" authorId="0"><text>'
                "<t>[Threaded comment]</t></text></comment></commentList>",
            ),
            "xl/drawings/vmlDrawing1.vml": _VML,
        },
        [
            (_SHEET, f"{MS}/2017/10/relationships/threadedComment", "../threadedComments/threadedComment1.xml", ""),
            (_SHEET, f"{OFFICE}/comments", "../comments1.xml", ""),
            (_SHEET, f"{OFFICE}/vmlDrawing", "../drawings/vmlDrawing1.vml", ""),
            (_BOOK, f"{MS}/2017/10/relationships/person", "persons/person.xml", ""),
        ],
        in_sheet='<legacyDrawing r:id="vmlDrawing"/>',
    ),
    "slicers": Feature(
        {
            "xl/slicers/slicer1.xml": _part(
                "slicers", f"{MS}/spreadsheetml/2009/9/main",
                '<slicer name="Region" cache="Slicer_Region" caption="Region" rowHeight="241300"/>',
            ),
            "xl/slicerCaches/slicerCache1.xml": _part(
                'slicerCacheDefinition name="Slicer_Region" sourceName="Region"', f"{MS}/spreadsheetml/2009/9/main"
            ),
        },
        [
            (_SHEET, f"{MS}/2007/relationships/slicer", "../slicers/slicer1.xml", ""),
            (_BOOK, f"{MS}/2007/relationships/slicerCache", "slicerCaches/slicerCache1.xml", ""),
        ],
        in_sheet=f'<extLst><ext xmlns:x14="{MS}/spreadsheetml/2009/9/main" '
        'uri="{A8765BA9-456A-4dab-B4F3-ACF838C121DE}"><x14:slicerList><x14:slicer r:id="slicer"/></x14:slicerList>'
        "</ext></extLst>",
    ),
    "pivot cache": Feature(
        {
            "xl/pivotCache/pivotCacheDefinition1.xml": _part(
                'pivotCacheDefinition r:id="pivotCacheRecords" recordCount="1"', MAIN,
                '<cacheSource type="worksheet"><worksheetSource ref="A1:B1" sheet="Plan"/></cacheSource>'
                '<cacheFields count="1"><cacheField name="Region"><sharedItems count="1"><s v="eu"/></sharedItems>'
                "</cacheField></cacheFields>",
            ),
            "xl/pivotCache/pivotCacheRecords1.xml": _part('pivotCacheRecords count="1"', MAIN, '<r><x v="0"/></r>'),
            "xl/pivotTables/pivotTable1.xml": _part(
                'pivotTableDefinition name="P" cacheId="1" dataCaption="Values"', MAIN,
                '<location ref="F1:G3" firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/>',
            ),
        },
        [
            (_BOOK, f"{OFFICE}/pivotCacheDefinition", "pivotCache/pivotCacheDefinition1.xml", ""),
            (_SHEET, f"{OFFICE}/pivotTable", "../pivotTables/pivotTable1.xml", ""),
            ("xl/pivotCache/pivotCacheDefinition1.xml", f"{OFFICE}/pivotCacheRecords", "pivotCacheRecords1.xml", ""),
        ],
        in_workbook='<pivotCaches><pivotCache cacheId="1" r:id="pivotCacheDefinition"/></pivotCaches>',
    ),
    "in-cell image": Feature(
        {
            "xl/metadata.xml": _part(
                "metadata", MAIN,
                '<metadataTypes count="1"><metadataType name="XLRICHVALUE"/></metadataTypes>'
                '<valueMetadata count="1"><bk><rc t="1" v="0"/></bk></valueMetadata>',
            ),
            "xl/richData/rdrichvalue.xml": _part(
                'rvData count="1"', f"{MS}/spreadsheetml/2017/richdata", '<rv s="0"><v>0</v><v>5</v></rv>'
            ),
            "xl/richData/richValueRel.xml": _part(
                "richValueRels", f"{MS}/spreadsheetml/2022/richvaluerel", '<rel r:id="image"/>'
            ),
            "xl/media/image1.png": PICTURE,
        },
        [
            (_BOOK, f"{OFFICE}/sheetMetadata", "metadata.xml", ""),
            (_BOOK, f"{MS}/2017/06/relationships/rdRichValue", "richData/rdrichvalue.xml", ""),
            (_BOOK, f"{MS}/2022/10/relationships/richValueRel", "richData/richValueRel.xml", ""),
            ("xl/richData/richValueRel.xml", f"{OFFICE}/image", "../media/image1.png", ""),
        ],
        cells='<c r="D1" t="e" vm="1"><v>#VALUE!</v></c>',
    ),
    "LAMBDA name": Feature(
        names='<definedName name="TWICE">_xlfn.LAMBDA(_xlpm.n,_xlpm.n*2)</definedName>',
    ),
    "custom XML": Feature(
        {
            "customXml/item1.xml": '<plan xmlns="urn:finance"><owner>A &amp; B</owner></plan>',
            "customXml/itemProps1.xml": _part(
                'ds:datastoreItem ds:itemID="{4}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"',
                "urn:none",
            ),
        },
        [
            (_BOOK, f"{OFFICE}/customXml", "../customXml/item1.xml", ""),
            ("customXml/item1.xml", f"{OFFICE}/customXmlProps", "itemProps1.xml", ""),
        ],
    ),
    "sensitivity label": Feature(
        {
            "docMetadata/LabelInfo.xml": '<clbl:labelList xmlns:clbl="http://schemas.microsoft.com/office/2020/'
            'mipLabelMetadata"><clbl:label id="{5}" enabled="1" method="Privileged" siteId="{6}" contentBits="2"/>'
            "</clbl:labelList>",
        },
        [("", f"{MS}/2020/02/relationships/classificationlabels", "docMetadata/LabelInfo.xml", "")],
    ),
    "external link": Feature(
        {
            "xl/externalLinks/externalLink1.xml": _part(
                "externalLink", MAIN,
                '<externalBook r:id="externalLinkPath"><sheetNames><sheetName val="Rates"/></sheetNames><sheetDataSet>'
                '<sheetData sheetId="0"><row r="1"><cell r="A1"><v>1.07</v></cell></row></sheetData></sheetDataSet>'
                "</externalBook>",
            ),
        },
        [
            (_BOOK, f"{OFFICE}/externalLink", "externalLinks/externalLink1.xml", ""),
            ("xl/externalLinks/externalLink1.xml", f"{OFFICE}/externalLinkPath", "file:///rates.xlsx", "External"),
        ],
        in_workbook='<externalReferences><externalReference r:id="externalLink"/></externalReferences>',
    ),
    "data model": Feature(
        {
            "xl/model/item.data": MODEL,
            "xl/connections.xml": _part(
                "connections", MAIN,
                '<connection id="1" keepAlive="1" name="ThisWorkbookDataModel" type="5" refreshedVersion="8" '
                f'minRefreshableVersion="5" xmlns:x15="{_MAIN15}"><extLst>'
                '<ext uri="{DE250136-89BD-433C-8126-D09CA5730AF9}">'
                '<x15:connection id="" model="1"/></ext></extLst></connection>',
            ),
        },
        [
            (_BOOK, f"{MS}/2011/relationships/powerPivotData", "model/item.data", ""),
            (_BOOK, f"{OFFICE}/connections", "connections.xml", ""),
        ],
    ),
    "waterfall chart": Feature(
        {
            "xl/drawings/drawing1.xml": _part("wsDr", _DRAWING),
            "xl/charts/chartEx1.xml": _part(
                "cx:chartSpace", "urn:none",
                '<cx:chartData><cx:data id="0"><cx:numDim type="val"><cx:f>Plan!$A$1:$B$1</cx:f><cx:lvl ptCount="2" '
                'formatCode="General"><cx:pt idx="0">1</cx:pt><cx:pt idx="1">2</cx:pt></cx:lvl></cx:numDim></cx:data>'
                '</cx:chartData><cx:chart><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="waterfall"/>'
                "</cx:plotAreaRegion></cx:plotArea></cx:chart>",
            ).replace("<cx:chartSpace ", f'<cx:chartSpace xmlns:cx="{MS}/drawing/2014/chartex" ', 1),
        },
        [
            (_SHEET, f"{OFFICE}/drawing", "../drawings/drawing1.xml", ""),
            ("xl/drawings/drawing1.xml", f"{MS}/2014/relationships/chartEx", "../charts/chartEx1.xml", ""),
        ],
        in_sheet='<drawing r:id="drawing"/>',
    ),
    "sparklines": Feature(
        in_sheet=f'<extLst><ext xmlns:x14="{MS}/spreadsheetml/2009/9/main" xmlns:xm="{MS}/excel/2006/main" '
        'uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><x14:sparklineGroups>'
        "<x14:sparklineGroup><x14:sparklines><x14:sparkline><xm:f>Plan!A1:B1</xm:f><xm:sqref>E1</xm:sqref></x14:sparkline>"
        "</x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>",
    ),
}  # fmt: skip


def build(path: Path, *features: Feature) -> Path:
    """Write the workbook with some features and return its path."""
    sheet = "".join(feature.in_sheet for feature in features)
    cells = '<c r="A1" s="1"><v>1</v></c><c r="B1"><f>A1*2</f><v>2</v></c>' + "".join(f.cells for f in features)
    names = '<definedName name="x">Plan!$A$1</definedName>' + "".join(feature.names for feature in features)
    parts: dict[str, bytes | str] = {
        _SHEET: _part("worksheet", MAIN, f'<sheetData><row r="1">{cells}</row></sheetData>{sheet}'),
        _BOOK: _part(
            "workbook",
            MAIN,
            '<sheets><sheet name="Plan" sheetId="1" r:id="worksheet"/></sheets>'
            + "".join(f.in_workbook for f in features if "external" in f.in_workbook)
            + f'<definedNames>{names}</definedNames><calcPr calcId="191029"/>'
            + "".join(f.in_workbook for f in features if "external" not in f.in_workbook),
        ),
        "xl/styles.xml": _STYLES,
    }
    relations = [
        ("", f"{OFFICE}/officeDocument", "xl/workbook.xml", ""),
        (_BOOK, f"{OFFICE}/worksheet", "worksheets/sheet1.xml", ""),
        (_BOOK, f"{OFFICE}/styles", "styles.xml", ""),
    ]
    for feature in features:
        parts |= feature.parts
        relations += feature.relations
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _types(parts))
        for name, content in {**parts, **_related(relations)}.items():
            archive.writestr(name, content)
    return path


_STYLES = _part(
    "styleSheet", MAIN,
    '<fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill></fills>'
    '<borders count="1"><border/></borders>'
    '<cellStyleXfs count="2"><xf/><xf/></cellStyleXfs><cellXfs count="2"><xf xfId="0"/><xf xfId="1"/></cellXfs>'
    '<cellStyles count="2"><cellStyle name="Normal" xfId="0" builtinId="0"/><cellStyle name="Input" xfId="1" '
    'builtinId="20"/></cellStyles>',
)  # fmt: skip


def _types(parts: dict[str, bytes | str]) -> str:
    kinds = {
        _SHEET: f"{SHEETML}.worksheet+xml",
        _BOOK: f"{SHEETML}.sheet.main+xml",
        "xl/styles.xml": f"{SHEETML}.styles+xml",
    }
    defaults = {"rels": "application/vnd.openxmlformats-package.relationships+xml", "xml": "application/xml",
                "vml": "application/vnd.openxmlformats-officedocument.vmlDrawing", "png": "image/png",
                "data": "application/vnd.openxmlformats-officedocument.model+data",
                "sigs": "application/vnd.openxmlformats-package.digital-signature-origin"}  # fmt: skip
    inside = "".join(f'<Default Extension="{name}" ContentType="{kind}"/>' for name, kind in defaults.items())
    inside += "".join(f'<Override PartName="/{part}" ContentType="{kind}"/>' for part, kind in kinds.items())
    return f'{HEAD}<Types xmlns="{PACKAGE}/content-types">{inside}</Types>'


def _related(relations: Sequence[tuple[str, str, str, str]]) -> dict[str, str]:
    """Return the parts of relationships; each id is the last word of its type."""
    inside: dict[str, str] = {}
    for source, kind, target, mode in relations:
        folder, _, name = source.rpartition("/")
        part = f"{folder}/_rels/{name}.rels".lstrip("/")
        external = f' TargetMode="{mode}"' if mode else ""
        inside[part] = inside.get(part, "") + (
            f'<Relationship Id="{kind.rpartition("/")[2]}" Type="{kind}" Target="{target}"{external}/>'
        )
    return {
        part: f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{text}</Relationships>'
        for part, text in inside.items()
    }


_CHART_NAMESPACE = "http://schemas.openxmlformats.org/drawingml/2006/chart"
# A chart whose values and categories are the cells A1 to C1.
CHART = Feature(
    {
        "xl/charts/chart1.xml": f'{HEAD}<c:chartSpace xmlns:c="{_CHART_NAMESPACE}"><c:ser><c:cat><c:strRef>'
        '<c:f>Plan!$A$1:$C$1</c:f><c:strCache><c:ptCount val="3"/><c:pt idx="0"><c:v>1</c:v></c:pt><c:pt idx="1"><c:v>2'
        "</c:v></c:pt></c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>Plan!$A$1:$C$1</c:f><c:numCache>"
        '<c:formatCode>0.0</c:formatCode><c:ptCount val="3"/><c:pt idx="0"><c:v>1.0</c:v></c:pt><c:pt idx="1"><c:v>2E0'
        "</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:chartSpace>",
    }
)
