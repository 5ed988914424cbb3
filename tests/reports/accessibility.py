"""Checks of a PDF that PDF/UA-1 and PDF/A-3u ask for and that a program can tell, one function a topic.

Each yields what is wrong. They read the file with pikepdf, another library than the one that wrote it.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pikepdf

# Standard structure types of PDF 1.7 (ISO 32000-1, 14.8.4) that a role need not be mapped to.
STANDARD = {
    "Document", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index", "NonStruct", "Private",
    "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD", "THead",
    "TBody", "TFoot", "Span", "Quote", "Note", "Reference", "BibEntry", "Code", "Link", "Annot", "Figure",
    "Formula", "Form",
}  # fmt: skip
# What may stand in what, where the standard says so.
CHILDREN = {
    "Table": {"Caption", "THead", "TBody", "TFoot", "TR"},
    "THead": {"TR"},
    "TBody": {"TR"},
    "TR": {"TH", "TD"},
    "L": {"Caption", "LI", "L"},
    "LI": {"Lbl", "LBody"},
}


def elements(pdf: pikepdf.Pdf) -> Iterator[Any]:
    """Yield every element of the tag tree, parents first."""
    yield from _below(pdf.Root.StructTreeRoot.get("/K"))


def _below(node: Any) -> Iterator[Any]:
    if isinstance(node, pikepdf.Array):
        for child in node:
            yield from _below(child)
    elif isinstance(node, pikepdf.Dictionary) and "/S" in node:
        yield node
        yield from _below(node.get("/K"))


def kind(element: Any) -> str:
    return str(element.S).lstrip("/")


def kids(element: Any) -> list[Any]:
    found = element.get("/K")
    found = list(found) if isinstance(found, pikepdf.Array) else [found]
    return [each for each in found if isinstance(each, pikepdf.Dictionary) and "/S" in each]


def metadata(pdf: pikepdf.Pdf) -> Iterator[str]:
    root, xmp = pdf.Root, bytes(pdf.Root.Metadata.read_bytes()).decode()
    wanted = {
        "PDF/A part 3": 'pdfaid:part="3"',
        "conformance U": 'pdfaid:conformance="U"',
        "PDF/UA part 1": 'pdfuaid:part="1"',
        "schema of pdfuaid": "<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>",
        "title": "<dc:title>",
    }
    for name, text in wanted.items():
        if text not in xmp:
            yield f"metadata without {name}"
    if not root.get("/ViewerPreferences", {}).get("/DisplayDocTitle"):
        yield "title not displayed"
    if not root.get("/MarkInfo", {}).get("/Marked"):
        yield "not marked as tagged"
    if not str(root.get("/Lang", "")):
        yield "no language"
    for key, tag in (("/CreationDate", "CreateDate"), ("/ModDate", "ModifyDate")):
        said = re.sub(r"\D", "", str(pdf.docinfo.get(key, "")))
        found = re.search(rf"<xmp:{tag}>(.*?)<", xmp)
        if not said or found is None or re.sub(r"\D", "", found[1]) != said:
            yield f"{key} differs from xmp:{tag}"
    intents = root.get("/OutputIntents", [])
    if not any(str(each.S) == "/GTS_PDFA1" and "/DestOutputProfile" in each for each in intents):
        yield "no output intent"


def tag_tree(pdf: pikepdf.Pdf) -> Iterator[str]:
    level = 0
    for element in elements(pdf):
        name = kind(element)
        for child in kids(element):
            if name in CHILDREN and kind(child) not in CHILDREN[name]:
                yield f"{kind(child)} in {name}"
        if re.fullmatch(r"H[1-6]", name):
            if int(name[1]) > level + 1:
                yield f"{name} after level {level}"
            level = int(name[1])
    for number, page in enumerate(pdf.pages, 1):
        if str(page.get("/Tabs")) != "/S":
            yield f"page {number} without the order of tags"
        yield from _content(pdf, page, number)


def _content(pdf: pikepdf.Pdf, page: Any, number: int) -> Iterator[str]:
    """Yield text that is neither tagged nor an artifact, and marks that no element owns."""
    owned = _owned(pdf, page)
    depth: list[bool] = []
    for operands, operator in pikepdf.parse_content_stream(page):
        word = str(operator)
        if word in ("BDC", "BMC"):
            mark = operands[1].get("/MCID") if word == "BDC" and isinstance(operands[1], pikepdf.Dictionary) else None
            if mark is not None and int(mark) not in owned:
                yield f"mark {int(mark)} of page {number} without an element"
            depth.append(mark is not None or str(operands[0]) == "/Artifact")
        elif word == "EMC":
            depth.pop()
        elif word in ("Tj", "TJ") and not any(depth):
            yield f"untagged text on page {number}"


def _owned(pdf: pikepdf.Pdf, page: Any) -> set[int]:
    nums = pdf.Root.StructTreeRoot.ParentTree.Nums
    tree = {int(nums[at]): nums[at + 1] for at in range(0, len(nums), 2)}
    owners = tree[int(page.StructParents)]
    return {mark for mark, owner in enumerate(owners) if isinstance(owner, pikepdf.Dictionary)}


def role_map(pdf: pikepdf.Pdf) -> Iterator[str]:
    roles = pdf.Root.StructTreeRoot.get("/RoleMap", {})
    for name in dict.fromkeys(kind(element) for element in elements(pdf)):
        mapped, seen = name, set()
        while mapped not in STANDARD and f"/{mapped}" in roles and mapped not in seen:
            seen.add(mapped)
            mapped = str(roles[f"/{mapped}"]).lstrip("/")
        if mapped not in STANDARD:
            yield f"role {name} without a standard one"


def header_scope(pdf: pikepdf.Pdf) -> Iterator[str]:
    every = list(elements(pdf))
    heads = {str(each.ID) for each in every if kind(each) == "TH" and "/ID" in each}
    for element in every:
        attributes = element.get("/A", {})
        if kind(element) == "TH" and str(attributes.get("/Scope")) not in ("/Column", "/Row", "/Both"):
            yield "head without a scope"
        if kind(element) == "TD":
            named = [str(each) for each in attributes.get("/Headers", [])]
            if not named or not set(named) <= heads:
                yield "cell without heads that are there"
        if kind(element) == "THead":
            scopes = {
                str(head.A.Scope) for row in kids(element) for head in kids(row) if "/Scope" in head.get("/A", {})
            }
            if scopes - {"/Column"}:
                yield "head of a column with another scope"


def alternative_texts(pdf: pikepdf.Pdf) -> Iterator[str]:
    for element in elements(pdf):
        if kind(element) == "Figure":
            if not str(element.get("/Alt", "")).strip():
                yield "figure without alternative text"
            if "/BBox" not in element.get("/A", {}):
                yield "figure without a box"


def fonts(pdf: pikepdf.Pdf) -> Iterator[str]:
    for each in pdf.objects:
        if not isinstance(each, pikepdf.Dictionary) or str(each.get("/Type")) != "/Font":
            continue
        if str(each.get("/Subtype")) == "/Type0" and "/ToUnicode" not in each:
            yield f"font {each.BaseFont} without its characters"
        descriptor = each.get("/FontDescriptor")
        if str(each.get("/Subtype")) != "/Type0" and (
            descriptor is None or not {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor.keys())
        ):
            yield f"font {each.get('/BaseFont')} not embedded"


def attachments(pdf: pikepdf.Pdf) -> Iterator[str]:
    listed = [str(each.UF) for each in pdf.Root.get("/AF", [])]
    names = pdf.Root.get("/Names", {}).get("/EmbeddedFiles", {}).get("/Names", [])
    for each in [names[at] for at in range(1, len(names), 2)]:
        if str(each.UF) not in listed:
            yield f"{each.UF} not among the associated files"
        if str(each.get("/AFRelationship")) not in ("/Source", "/Data", "/Supplement"):
            yield f"{each.UF} without what it is to the report"
        if "/Subtype" not in each.EF.F or "/ModDate" not in each.EF.F.get("/Params", {}):
            yield f"{each.UF} without kind or day"


CHECKS: dict[str, Callable[[pikepdf.Pdf], Iterator[str]]] = {
    "metadata": metadata,
    "tag tree": tag_tree,
    "role map": role_map,
    "header scope": header_scope,
    "alternative texts": alternative_texts,
    "fonts": fonts,
    "attachments": attachments,
}
