"""Brand, page, locale and own templates: what is taken, what is refused, and that outputs say what made them."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pikepdf
import pypdf
import pytest
from jinja2.exceptions import SecurityError

from sizebook.batch.formats import FORMATS
from sizebook.batch.inspection import inspect
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import InputError
from sizebook.reports.brand import style_of
from sizebook.reports.charts.theme import Face
from sizebook.reports.pdf import _fonts
from sizebook.reports.render import html, pdf
from sizebook.reports.sizing.report import report
from sizebook.reports.style import Style
from sizebook.reports.templates import Sandbox
from sizebook.reports.translation import Translator
from sizebook.scenarios.presentation import with_presentation
from sizebook.sources.bundled import bundled
from tests.commands import run
from tests.refused import message_of
from tests.reports.accessibility import CHECKS
from tests.row_lists import listed

SCENARIO = 'model = "llama-3.1-8b"\nas_of = 2026-11-22\ntitle = "Assistant"\n'
BRAND = """
locale = "de"
page = "letter"
logo = "logo.svg"
logo_alt = "Acme"
cover = "Vertraulich"
[colours]
accent = "#8A1538"
[fonts]
text = "Text.ttf"
"""
LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="12"><rect width="40" height="12"/></svg>'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.toml").write_text(SCENARIO)
    (tmp_path / "brand.toml").write_text(BRAND)
    (tmp_path / "logo.svg").write_text(LOGO)
    shutil.copy(bundled("templates") / "fonts" / "JetBrainsMono-Regular.ttf", tmp_path / "Text.ttf")
    return tmp_path


def asked(**presentation: Any) -> dict[str, Any]:
    return {"model": "llama-3.1-8b", "report": presentation}


def with_template(folder: Path, template: str) -> Style:
    """Return the style of a folder whose report is made by this template."""
    own = folder / "own"
    own.mkdir()
    (own / "report.html").write_text(template)
    return Style(templates=own)


def with_cover(folder: Path, cover: str) -> Style:
    """Return the style of the shipped template with another cover."""
    return with_template(folder, '{% extends "sizebook/report.html" %}{% block cover %}' + cover + "{% endblock %}")


def test_a_brand_reaches_the_page_and_inspect_makes_it_again(folder: Path) -> None:
    out = folder / "mine.pdf"
    ran = run("report", folder / "mine.toml", "-o", out, "--brand", folder / "brand.toml")
    assert ran.exit_code == 0, ran.output
    reader = pypdf.PdfReader(out)
    first = " ".join(reader.pages[0].extract_text().split())
    assert reader.trailer["/Root"]["/Lang"] == "de"
    assert [float(each) for each in reader.pages[0].mediabox[2:]] == [612, 792]
    for expected in ("Bericht zur Modellgröße", "Vertraulich", "22.11.2026", "8.030.261.248 Parameter", "Seite 1 von"):
        assert expected in first
    fonts = {str(font["/BaseFont"]).partition("+")[2] for page in reader.pages
             for font in (each.get_object() for each in page["/Resources"]["/Font"].values())}  # fmt: skip
    # Inter is left for signs that the brand's face lacks.
    assert "JetBrains-Mono-Semi-Bold" in fonts and "Inter-Semi-Bold" not in fonts
    with pikepdf.open(out) as opened:
        assert {topic: list(check(opened)) for topic, check in CHECKS.items()} == {topic: [] for topic in CHECKS}
    found = inspect(out)
    assert found.record["scenario"]["report"] == {"brand": "brand.toml"}
    assert {"brand.toml", "logo.svg", "Text.ttf"} <= set(found.record["inputs"])
    assert found.is_same and found.same_bytes
    (folder / "logo.svg").write_text(LOGO.replace("40", "41"))
    changed = inspect(out)
    assert changed.is_same and not changed.same_bytes and "input: logo.svg changed" in changed.causes


def test_fonts_kept_of_reports_before_change_no_report(folder: Path, sizing: Any, as_of: Any) -> None:
    face = Face("Acme Text", 400, folder / "Text.ttf")
    theme = replace(Style().theme, text_face=face.family)
    asked_for = [Style(), Style(theme=theme, faces=(face,)), Style(theme=theme)]  # the last: a name, no face
    alone = []
    for style in asked_for:
        _fonts.cache_clear()
        alone.append(pdf(report(sizing, as_of), style=style))
    assert len(set(alone)) == 3
    _fonts.cache_clear()
    for at in (1, 2, 0):
        assert pdf(report(sizing, as_of), style=asked_for[at]) == alone[at]


def test_what_the_scenario_says_goes_before_the_brand(folder: Path) -> None:
    style = style_of(asked(brand="brand.toml", locale="en", page="a4"), folder)
    assert (style.locale, style.page, style.theme.accent, style.cover) == ("en", "a4", "#8A1538", "Vertraulich")
    assert style.theme.text_face == "JetBrains Mono"
    assert style_of({"model": "x"}, folder) == Style()


def test_options_go_before_the_scenario(folder: Path) -> None:
    values = with_presentation(asked(locale="de", page="letter"), {"locale": "en", "page": None}, folder)
    assert values["report"] == {"locale": "en", "page": "letter"}


@pytest.mark.parametrize(*listed("reports", "test_a_brand_that_will_not_do_is_refused_with_the_reason"))
def test_a_brand_that_will_not_do_is_refused_with_the_reason(folder: Path, brand: str, message: str) -> None:
    (folder / "brand.toml").write_text(brand)
    assert message_of(InputError, lambda: style_of(asked(brand="brand.toml"), folder)) == message


def test_a_link_out_of_the_folder_is_outside(folder: Path) -> None:
    inside = folder / "inside"
    inside.mkdir()
    (inside / "logo.svg").symlink_to(folder / "logo.svg")
    (inside / "brand.toml").write_text('logo = "logo.svg"\nlogo_alt = "A"')
    assert message_of(InputError, lambda: style_of(asked(brand="inside/brand.toml"), folder)).startswith(
        "logo outside its folder: got 'logo.svg'"
    )


def test_nothing_is_written_where_the_brand_is_refused(folder: Path) -> None:
    (folder / "brand.toml").write_text('[colours]\naccent = "#FFFF00"')
    out = folder / "mine.pdf"
    ran = run("report", folder / "mine.toml", "-o", out, "--brand", folder / "brand.toml")
    assert ran.exit_code != 0 and not out.exists()


def test_own_templates_extend_the_shipped_ones(folder: Path, sizing: Any, as_of: Any) -> None:
    written = html(report(sizing, as_of), with_cover(folder, "<p>Board paper 7</p>{{ super() }}"))
    assert "<p>Board paper 7</p>" in written and "Llama-3.1-8B holds" in written
    assert "Board paper" not in html(report(sizing, as_of))


@pytest.mark.parametrize(*listed("reports", "test_templates_reach_nothing_outside_their_folder"))
def test_templates_reach_nothing_outside_their_folder(
    folder: Path, sizing: Any, as_of: Any, template: str, message: str
) -> None:
    style = with_template(folder, template)
    (folder / "secret.txt").write_text("secret")
    (folder / "own" / "secret.txt").symlink_to(folder / "secret.txt")
    assert message_of(InputError, lambda: html(report(sizing, as_of), style)) == message


@pytest.mark.parametrize("method", ["read_text()", "write_text('x')", "parent.iterdir()", "unlink()"])
def test_a_path_in_reach_of_a_template_gives_nothing(tmp_path: Path, method: str) -> None:
    """Whatever a template may come to hold: reading and writing are no attributes of a path there."""
    (tmp_path / "secret.txt").write_text("secret")
    with pytest.raises(SecurityError):
        Sandbox().from_string("{{ path." + method + " }}").render(path=tmp_path / "secret.txt")
    assert (tmp_path / "secret.txt").read_text() == "secret"


@pytest.mark.parametrize(*listed("reports", "test_what_is_asked_for_while_a_page_is_written_is_refused_too"))
def test_what_is_asked_for_while_a_page_is_written_is_refused_too(
    folder: Path, sizing: Any, as_of: Any, tag: str
) -> None:
    style = with_cover(folder, tag + "{% endblock %}{% block sections %}")
    assert message_of(InputError, lambda: pdf(report(sizing, as_of), style=style)) == (
        "address out of bounds: got 'file:///etc/hostname' in a template, want data: or a file of the templates. "
        "Put it there."
    )


@pytest.mark.parametrize("address", ["file:///etc/hostname", "http://127.0.0.1:9/x.png", "../../x.png"])
def test_pages_ask_for_no_other_file_and_no_network(folder: Path, sizing: Any, as_of: Any, address: str) -> None:
    with pytest.raises(InputError) as refused:
        pdf(report(sizing, as_of), style=with_cover(folder, f'<img alt="x" src="{address}">'))
    assert str(refused.value).startswith("address out of bounds: got '")
    assert str(refused.value).endswith("' in a template, want data: or a file of the templates. Put it there.")


def test_a_page_for_browsers_speaks_the_language_too(folder: Path) -> None:
    (folder / "brand.toml").write_text('locale = "de_AT"')
    planned = plan_scenario({**asked(brand="brand.toml"), "as_of": "2026-11-22"}, "mine.toml", folder)
    content = FORMATS["html"].content(planned)
    assert content is not None
    assert b'<html lang="de-AT">' in content and b"Formel" in content
    assert Translator("de_AT").language == "de-AT"


def doubling(each: str) -> str:
    """An SVG in which every step is drawn twice by the one before it."""
    steps = "".join(each.format(at=at, next=at + 1) for at in range(40))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{steps}<rect id="s40" width="1" height="1"/></svg>'
    )


@pytest.mark.parametrize(*listed("reports", "test_a_logo_that_doubles_with_each_step_is_refused_at_once"))
def test_a_logo_that_doubles_with_each_step_is_refused_at_once(folder: Path, each: str) -> None:
    (folder / "logo.svg").write_text(doubling(each))
    assert message_of(InputError, style_of, {"report": {"brand": "brand.toml"}}, folder) == (
        "SVG too large: got more than 100000 elements in 'logo.svg', want a drawing of its own elements. Simplify it, "
        "or save it as .png."
    )


def test_a_logo_with_gradients_in_its_style_is_taken(folder: Path) -> None:
    (folder / "logo.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><style>.a{fill:url(#g)}</style><linearGradient id="g"><stop/>'
        '</linearGradient><g id="m"><rect class="a"/></g><use href="#m"/></svg>'
    )
    assert style_of({"report": {"brand": "brand.toml"}}, folder).logo.startswith("data:image/svg+xml;base64,")
