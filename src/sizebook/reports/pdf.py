"""PDF/A-3u and PDF/UA-1 in one file: what WeasyPrint writes for the one, with the identifier of the other.

WeasyPrint writes one variant at a time. Both agree on everything that it does for them (tags, embedded fonts, an output
intent, dates in metadata), so PDF/A-3u is asked for with tags, and the identifier of PDF/UA-1 is put into the XMP
metadata with the schema that PDF/A wants of any property that it does not know (ISO 19005-3, 6.6.2.3; ISO 14289-1, 5).
"""

import atexit
import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from threading import get_ident
from time import monotonic
from typing import Any, Literal

from sizebook.reports.templates import fetcher, refuse_outside
from sizebook.sources.writing import keep_temporary_files

_RDF = "</rdf:RDF>"
_IDENTIFIER = b"""<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" pdfuaid:part="1" />\
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">\
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">\
<pdfaSchema:schema>PDF/UA Universal Accessibility Schema</pdfaSchema:schema>\
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>\
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>\
<pdfaProperty:description>Part of ISO 14289</pdfaProperty:description></rdf:li></rdf:Seq></pdfaSchema:property>\
</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"""

# What an attachment is to the report (ISO 32000-2, 7.11.3).
Relationship = Literal["Source", "Data", "Supplement"]


@dataclass(frozen=True)
class Attachment:
    """A file inside a PDF: its name, content, what it is and what it is to the report."""

    name: str
    content: bytes
    description: str
    relationship: Relationship


@dataclass
class _Written:
    """An object of a PDF in bytes, with what pydyf asks of one."""

    number: int
    generation: int
    free: str
    data: bytes
    compressible: bool
    offset: int = 0

    @property
    def indirect(self) -> bytes:
        """The object as it stands in the file."""
        return b"%d %d obj\n%s\nendobj" % (self.number, self.generation, self.data)


def pdf_options(identifier: str, attached: Sequence[Attachment], as_of: date) -> dict[str, Any]:
    """Return what WeasyPrint is asked for: the variant, tags, and the attached files with their day."""
    import weasyprint

    midnight = datetime(as_of.year, as_of.month, as_of.day, tzinfo=UTC)
    return {
        "pdf_variant": "pdf/a-3u",
        "pdf_tags": True,
        "pdf_identifier": identifier.encode(),
        "attachments": [
            weasyprint.Attachment(
                string=each.content,
                name=each.name,
                description=each.description,
                created=midnight,
                modified=midnight,
                relationship=each.relationship,
            )
            for each in attached
        ],
    }


def cached_fonts(faces: Hashable) -> Any:
    """Return where WeasyPrint keeps the fonts of a page, the same for every page of the same faces.

    Making it anew takes a tenth of a short report's time. A thread has its own, since Pango's fonts are not made for
    several, and a new one each hour: its files lie in a temporary folder, which systems sweep of what is days old.
    """
    return _fonts(faces, (os.getpid(), get_ident()), int(monotonic() // 3600))


@lru_cache(maxsize=4)
def _fonts(_faces: Hashable, _thread: tuple[int, int], _hour: int) -> Any:
    keep_temporary_files()
    from weasyprint.text.fonts import FontConfiguration

    return FontConfiguration()


atexit.register(_fonts.cache_clear)  # removes their files while what does it is still there


def lay_out(html: str, base_url: str, options: dict[str, Any], fonts: Any = None) -> Any:
    """Return a page laid out; its addresses are of data or of files in the templates' folder, nothing else is read.

    ``fonts`` are those of `cached_fonts`; without them the page's are found anew.
    """
    # WeasyPrint loads Pango and takes a second.
    import weasyprint

    keep_temporary_files()  # WeasyPrint leaves folders of fonts
    fetch = fetcher(Path(base_url))
    document = weasyprint.HTML(string=html, base_url=base_url, url_fetcher=fetch).render(font_config=fonts, **options)
    refuse_outside(fetch)
    return document


def archival_pdf(document: Any, options: dict[str, Any]) -> bytes:
    """Return what was laid out as PDF/A-3u and PDF/UA-1; the same input gives the same bytes."""
    document.metadata.generate_rdf_metadata = _with_identifier(document.metadata.generate_rdf_metadata)
    content: bytes = document.write_pdf(finisher=_finish, **options)
    refuse_outside(document.url_fetcher)  # pictures within pictures and attachments are asked for only now
    return content


def _finish(_document: Any, pdf: Any) -> None:
    """Complete what WeasyPrint made, and put it in bytes: pydyf would pack each page and font twice."""
    _scope_headers(pdf)
    pdf.objects[1:] = [  # the first of a PDF is nothing
        _Written(each.number, each.generation, each.free, each.data, each.compressible) for each in pdf.objects[1:]
    ]


def _scope_headers(pdf: Any) -> None:
    """Say of every head of a table whether it heads a column or a row; WeasyPrint only lists the heads of each cell."""
    elements: dict[Any, Any] = {each.reference: each for each in pdf.objects if hasattr(each, "get")}
    for element in elements.values():
        if element.get("S") != "/TH":
            continue
        above = element
        while above.get("S") not in ("/THead", "/TBody", "/Table"):
            above = elements[above["P"]]
        element["A"]["Scope"] = "/Column" if above["S"] == "/THead" else "/Row"


def _with_identifier(generate: Callable[..., bytes]) -> Callable[..., bytes]:
    """Return WeasyPrint's writer of metadata with the identifier of PDF/UA-1 at the end of what it writes."""

    def generated(*arguments: Any, **named: Any) -> bytes:
        written = generate(*arguments, **named)
        end = _RDF.encode()
        if not written.endswith(end):
            raise RuntimeError(f"metadata of another shape: got {written[-40:]!r} at its end, want {_RDF}.")
        return written[: -len(end)] + _IDENTIFIER + end

    return generated
