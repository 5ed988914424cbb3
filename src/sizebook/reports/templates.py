"""Where templates and what they name are read from: their folder and the shipped one; no other file, no network."""

import base64
from collections.abc import Callable
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import unquote, urlsplit

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sizebook.core.errors import InputError
from sizebook.sources.bundled import bundled

SHIPPED = "sizebook"  # the name under which own templates find the shipped ones


class _Folder(jinja2.FileSystemLoader):
    """Templates of one folder; a link that leads out of it is as good as missing."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.folder = folder.resolve()

    def get_source(self, environment: jinja2.Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        source, name, fresh = super().get_source(environment, template)
        if not Path(name).resolve().is_relative_to(self.folder):
            raise jinja2.TemplateNotFound(template)
        return source, name, fresh


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which a path is no way to what lies under it: its methods read and write files."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not isinstance(obj, PurePath) and super().is_safe_attribute(obj, attr, value)


def loader(own: Path | None) -> jinja2.BaseLoader:
    """Return what finds templates: own ones first, the shipped ones by their names and under ``sizebook/``."""
    shipped = _Folder(Path(bundled("templates")))
    return jinja2.ChoiceLoader([*([_Folder(own)] if own else []), jinja2.PrefixLoader({SHIPPED: shipped}), shipped])


def file_within(folder: Path, name: str, what: str) -> Path:
    """Return a file of a folder. Errors: `InputError` for one that is missing or lies outside of it."""
    path = (folder / name).resolve()
    if Path(name).is_absolute() or not path.is_relative_to(folder.resolve()):
        raise InputError(f"{what} outside its folder: got '{name}', want a file beside the brand. Copy it there.")
    if not path.is_file():
        raise InputError(f"{what} missing: got '{name}', want a file beside the brand. Correct the name.")
    return path


def data_uri(path: Path, media_type: str) -> str:
    """Return a file as an address that holds its bytes."""
    return f"data:{media_type};base64,{base64.b64encode(path.read_bytes()).decode()}"


def fetcher(folder: Path) -> Any:
    """Return what WeasyPrint reads addresses with: bytes in the address itself, and files of one folder.

    What else a page asks for is not read and listed in its ``refused``, which `refuse_outside` says.
    """
    from weasyprint.urls import URLFetcher

    class Bounded(URLFetcher):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(allowed_protocols=("data", "file"), allow_redirects=False)
            self.refused: list[str] = []

        def fetch(self, url: str, headers: Any = None) -> Any:
            parts = urlsplit(url)
            inside = parts.scheme == "file" and Path(unquote(parts.path)).resolve().is_relative_to(folder.resolve())
            if parts.scheme != "data" and not inside:
                self.refused.append(url)
                raise ValueError("out of bounds")
            return super().fetch(url, headers)

    return Bounded()


def refuse_outside(fetch: Any) -> None:
    """Errors: `InputError` for an address that a page asked a `fetcher` for and that was not read."""
    if fetch.refused:
        raise InputError(
            f"address out of bounds: got '{fetch.refused[0]}' in a template, want data: or a file of the templates. "
            "Put it there."
        )
