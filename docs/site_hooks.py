"""Hooks of the site: the README is its first page, links out of docs/ go to the repository, and machines get Markdown.

A notebook is a page too. Beside every page lies its Markdown, and llms.txt lists them in the order of the navigation,
with their first sentence (https://llmstxt.org).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure import StructureItem
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from shown_equations import as_html
from shown_notebooks import as_markdown, notebooks

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "https://github.com/sizebook/sizebook/blob/main/"
PICTURES = "https://raw.githubusercontent.com/sizebook/sizebook/main/"
# What a reader takes along lies in the site, which opens from a folder without a network.
DOWNLOADS = [
    path.relative_to(ROOT).as_posix()
    for folder in ("reports", "workbooks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".xlsx", ".pdf", ".toml")
]
texts: dict[str, str] = {}  # of each page: its Markdown
parts: dict[str, list[str]] = {}  # of the navigation: the pages of each


def on_files(files: Files, config: MkDocsConfig) -> Files:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for address in (REPOSITORY, PICTURES):
        text = text.replace(f"{address}docs/", "")
    for name in DOWNLOADS:
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
        text = text.replace(f"{REPOSITORY}{name}", name)
    files.append(File.generated(config, "index.md", content=text))
    for path in notebooks():
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=as_markdown(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn a link to a file outside docs/ into one to its copy in the site, or to the repository."""
    if page.file.src_uri == "questions.md":
        page.meta["search"] = {"boost": 3}  # a question in a planner's words is found by those words
    folder = (ROOT / "docs" / page.file.src_uri).parent
    up = "../" * page.file.src_uri.count("/")

    def outside(link: re.Match[str]) -> str:
        target = (folder / link[1]).resolve()
        if target.is_relative_to(ROOT / "docs") or not target.is_relative_to(ROOT):
            return link[0]
        if not target.exists():
            raise FileNotFoundError(f"link to nothing: got {link[1]} in {page.file.src_uri}, want a file. Correct it.")
        name = target.relative_to(ROOT).as_posix()
        return f"]({up}{name})" if name in DOWNLOADS else f"]({REPOSITORY}{name})"

    markdown = re.sub(r"\]\((notebooks/\w+)\.ipynb\)", r"](\1.md)", markdown)
    markdown = re.sub(r"\]\((\.\./[^)#\s]+)\)", outside, markdown)
    if not markdown.startswith("# "):  # a table alone
        markdown = f"# {page.title}\n\n{markdown}"
    texts[page.file.src_uri] = markdown
    return re.sub("(?ms)^```equation\n(.*?)^```$", lambda block: as_html(block[1], up), markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say that a page is German, so that it is read aloud as German."""
    return f'<div lang="de">{html}</div>' if page.file.src_uri.startswith("de/") else html


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Note which pages stand in which part of the site, in their order: llms.txt lists them so."""
    for part in nav.items:
        parts[part.title] = [page.file.src_uri for page in _pages(part)]
    return nav


def _pages(item: StructureItem) -> Iterator[Page]:
    if isinstance(item, Page):
        yield item
    for child in item.children or ():
        yield from _pages(child)


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    lines = ["# sizebook", "", f"> {config.site_description}"]
    for part, sources in parts.items():
        lines += ["", f"## {part}", ""]
        for source in sources:
            (site / source).write_text(texts[source], encoding="utf-8")
            lines.append(listed(source, texts[source]))
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def listed(source: str, text: str) -> str:
    """Return the line of a page: its heading, and its first sentence or, without one, what it lists."""
    heading, _, body = re.sub(r"(?ms)^```.*?^```$", "", text).partition("\n")
    return f"- [{heading.removeprefix('# ')}]({source}): {_first_sentence(body) or _contents(body)}"


def _first_sentence(body: str) -> str:
    """Return the first sentence before the first heading that says what a page is about, not who wrote it."""
    for block in re.split(r"(?m)^## ", body)[0].split("\n\n"):
        if not re.match(r"[A-Za-z0-9`*\[]", block.strip()) or block.startswith("[!["):
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split()))
        for sentence in re.split(r"(?<=[.?])\s(?=[^`]*(?:`[^`]*`[^`]*)*$)", plain):  # not within code
            if sentence[-1] in ".?" and not sentence.startswith("Written "):
                return sentence
    return ""


def _contents(body: str) -> str:
    """Return the headings of a page, or the heads of its first table."""
    heads = re.findall(r"(?m)^## (.+)$", body) or re.findall(r"[^|]+", re.findall(r"(?m)^\| (.+) \|$", body)[0])
    return ", ".join(head.strip() for head in heads) + "."
