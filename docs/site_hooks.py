"""Hooks of the site: the README is its first page, links out of docs/ go to the repository, and machines get Markdown.

A notebook is a page too. Beside every page lies its Markdown, and llms.txt lists them with their first sentence
(https://llmstxt.org).
"""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
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
texts: dict[str, tuple[str, str]] = {}  # of each page: title and Markdown


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
    texts[page.file.src_uri] = (page.title or page.file.src_uri, markdown)
    return re.sub("(?ms)^```equation\n(.*?)^```$", lambda block: as_html(block[1], up), markdown)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Say that a page is German, so that it is read aloud as German."""
    return f'<div lang="de">{html}</div>' if page.file.src_uri.startswith("de/") else html


def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    lines = ["# sizebook", "", f"> {config.site_description}", "", "## Pages", ""]
    for source, (title, text) in texts.items():
        (site / source).write_text(text, encoding="utf-8")
        lines.append(": ".join(filter(None, (f"- [{title}]({source})", _first_sentence(text)))))
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _first_sentence(text: str) -> str:
    """Return the first sentence of the first paragraph that is text."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for block in text.split("\n\n"):
        if re.match(r"[A-Za-z0-9`*\[]", block) and not block.startswith("[!["):
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(block.split()))
            return re.split(r"(?<=[.?])\s", plain)[0]
    return ""
