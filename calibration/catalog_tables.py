"""Reads the catalog's facts again in tables that others publish and on pages of the models' publishers.

    python calibration/catalog_tables.py CHECKOUTS DATE

CHECKOUTS holds one folder ``organisation+name`` for each repository that `TABLES` and ``catalog_pages.csv`` name, each
with a git directory ``repo``; one that is missing is left out and said. A row is known by its repository, or by its
key where a table has none. What agrees is written to ``data/model_readings.csv`` as read on DATE, what does not is
printed. Of a publisher's page ``catalog_pages.csv`` quotes the words that state a fact; a page that no longer says them
is left out and named, and so are words that state the fact roughly or by another name (`states`). A licence is taken
from a page that speaks of the weights alone.
"""

import ast
import csv
import math
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from catalog_readings import Reading, merged, write
from command import parser
from ruamel.yaml import YAML

from sizebook.core.tables import Row, table

PAGES = Path(__file__).with_name("catalog_pages.csv")
LICENCES = {
    "apache-2.0": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "mit": "MIT",
    "cc-by-nc-4.0": "CC-BY-NC 4.0",
    "cc by-sa-4.0": "CC-BY-SA-4.0",
    "mrl": "Mistral Research",
    "mistral research license": "Mistral Research",
    "gemma": "Gemma Terms of Use",
    "modified mit": "Mistral (modified MIT)",
}
# Folders of the table of prices in which a laboratory's own closed models stand.
LABORATORIES = ("openai", "anthropic", "google", "mistral", "cohere", "xai")
STEPS = {"": 0, "k": 3, "thousand": 3, "m": 6, "million": 6, "b": 9, "billion": 9, "t": 12, "trillion": 12}
# A number in words, with what makes it a rough one.
NUMBER = re.compile(
    r"(?P<rough>(?:[~≈<>]|\b(?:about|almost|approximately|around|at least|more than|nearly|over|roughly|up to)) *)?"
    r"(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?) ?(?P<unit>[kmbt]\b|thousand|million|billion|trillion)?(?P<more>\+)?",
    re.IGNORECASE,
)
# A table's name of a model, in lower case, and what it says of it.
Said = tuple[str, dict[str, str]]


class Checkout:
    """The files of one repository at its newest commit."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name, self.git = name, ["git", "-C", str(folder / name.replace("/", "+") / "repo")]

    def _run(self, *words: str) -> str:
        return subprocess.run([*self.git, *words], check=True, capture_output=True, text=True).stdout

    def source(self, page: str) -> str:
        """Return how the table of readings names a page."""
        return f"{self.name}@{self._run('log', '-1', '--format=%H')[:7]} {page}"

    def files(self, folder: str, ending: str) -> Iterator[tuple[str, str]]:
        """Yield path and text of the files of a folder."""
        for path in self._run("ls-tree", "-r", "--name-only", "HEAD", folder).splitlines():
            if path.endswith(ending):
                yield path, self.text(path)

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self._run("show", f"HEAD:{path}")


def helm(checkout: Checkout) -> Iterator[Said]:
    """HELM's list of models: day of release."""
    for model in YAML(typ="safe").load(checkout.text("src/helm/config/model_metadata.yaml"))["models"]:
        yield model["name"].casefold(), {"release_date": str(model.get("release_date", ""))}


def mteb(checkout: Checkout) -> Iterator[Said]:
    """MTEB's models: day of release, licence, context."""
    for _, text in checkout.files("mteb/models/model_implementations", ".py"):
        for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
            if getattr(call.func, "id", "") != "ModelMeta":
                continue
            said = {word.arg: word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)}
            if not isinstance(said.get("name"), str):
                continue
            licence = LICENCES.get(str(said.get("license")).casefold(), "")
            tokens = said.get("max_tokens")
            yield (
                said["name"].casefold(),
                {
                    "release_date": str(said.get("release_date") or ""),
                    "licence": licence,
                    "context_length": str(tokens) if isinstance(tokens, int) else "",
                },
            )


def models_dev(checkout: Checkout) -> Iterator[Said]:
    """The models.dev table, closed models of their own laboratories: context, and that weights are not given out."""
    for path, text in checkout.files("models", ".toml"):
        model = tomllib.loads(text)
        if path.split("/")[1] in LABORATORIES and model.get("open_weights") is False:
            said = {"licence": "closed", "context_length": str(model.get("limit", {}).get("context", ""))}
            yield Path(path).stem.casefold(), said


def mistral(checkout: Checkout) -> Iterator[Said]:
    """Mistral's documentation, a file a model: day of release, licence of each repository, sizes of mixtures."""
    for _, text in checkout.files("src/schema/models/models", ".ts"):
        released = re.search(r"releaseDate: '([\d-]+)'", text)
        for block in text.split("name: ")[1:]:
            repository = re.search(r"url: 'https://huggingface\.co/([^']+)'", block)
            licence = re.search(r"license: '([^']+)'", block)
            if repository is None or released is None or licence is None:
                continue
            sizes = {name: re.search(rf"{name}: '([\d.]+)'", block) for name in ("parameters", "active")}
            total, active = (found[1] if found else "" for found in sizes.values())
            said = {"release_date": released[1], "licence": LICENCES.get(licence[1].casefold(), "")}
            mixed = {"published_active": f"{active}B"} if total != active else {}
            yield repository[1].casefold(), {**said, "published_total": f"{total}B", **mixed}


def open_llms(checkout: Checkout) -> Iterator[Said]:
    """The list of open models by Eugene Yan: licences, by the repositories that a row links to."""
    for line in checkout.text("README.md").splitlines():
        cells = line.split("|")
        if len(cells) < 8:
            continue
        stated = re.sub(r"\[([^\]]+)\]\(.*?\)", r"\1", cells[7]).strip()
        for repository in re.findall(r"https://huggingface\.co/([\w.-]+/[\w.-]+)\)", cells[3]):
            yield repository.casefold(), {"licence": LICENCES.get(stated.casefold(), "")}


def litgpt(checkout: Checkout) -> Iterator[Said]:
    """LitGPT's configurations, copied from the publishers' files: context, vocabulary, attention, block, experts."""
    for call in (node for node in ast.walk(ast.parse(checkout.text("litgpt/config.py"))) if isinstance(node, ast.Call)):
        words = {word.arg: word.value for word in call.keywords}
        if "hf_config" not in words or "n_head" not in words:
            continue
        size = {name: value.value for name, value in words.items() if isinstance(value, ast.Constant)}
        place = {word.arg: word.value.value for word in words["hf_config"].keywords}
        yield (
            f"{place['org']}/{place['name']}".replace("{}", "").casefold(),
            _of_litgpt(size, "latent_attention" in words),
        )


def _of_litgpt(size: dict[str, Any], latent: bool) -> dict[str, str]:
    """Return the facts of one configuration; a vocabulary where the padding of the checkpoint is stated."""
    vocab, multiple, groups = size.get("vocab_size", 50254), size.get("padding_multiple"), size.get("n_query_groups")
    padded = size.get("padded_vocab_size") or (math.ceil(vocab / multiple) * multiple if multiple else "")
    kinds = {1: "multi-query", None: "multi-head", size["n_head"]: "multi-head"}
    blocks = {"LLaMAMLP": "SwiGLU", "LLaMAMoE": "SwiGLU", "GemmaMLP": "GeGLU", "GptNeoxMLP": "GELU"}
    block = blocks[size.get("mlp_class_name", "GptNeoxMLP")]
    tanh = " (tanh)" if block == "GELU" and size.get("gelu_approximate") == "tanh" else ""
    return {
        "context_length": str(size.get("block_size", "")),
        "vocabulary": str(padded),
        "attention": "latent" if latent else kinds.get(groups, "grouped"),
        "activation": block + tanh,
        "experts": str(size.get("n_expert", "")),
        "experts_per_token": str(size.get("n_expert_per_token", "")),
    }


TABLES: dict[str, tuple[str, Callable[[Checkout], Iterator[Said]]]] = {
    "stanford-crfm/helm": ("model_metadata", helm),
    "embeddings-benchmark/mteb": ("model_implementations", mteb),
    "anomalyco/models.dev": ("models", models_dev),
    "mistralai/platform-docs-public": ("models", mistral),
    "eugeneyan/open-llms": ("README", open_llms),
    "Lightning-AI/litgpt": ("config", litgpt),
}


def names(row: Row) -> set[str]:
    """Return the repositories and names by which a table may know a row."""
    repositories = [name.casefold() for name in row["hf_id"].split(";") if name]
    tails = (name.rpartition("/")[2] for name in repositories)
    return {row["key"], *repositories, *tails, *(name.casefold() for name in row["aliases"].split("|") if name)}


def from_table(checkout: Checkout) -> Iterator[Reading]:
    """Yield what one table says of the catalog's rows; a day of release is compared as far as the row states it."""
    page, read = TABLES[checkout.name]
    rows: dict[str, Row] = {}
    for row in table("models"):
        rows |= dict.fromkeys(names(row), row)
    source = checkout.source(page)
    for name, said in read(checkout):
        row = rows.get(name) or rows.get(name.rpartition("/")[2]) or {}
        for fact, value in said.items():
            if row.get(fact) and value:
                shown = value[: len(row[fact])] if fact == "release_date" else value
                if fact == "attention" and "+" in row[fact]:  # the table says one kind of them
                    continue
                yield Reading(row["key"], fact, row[fact], shown, source)


def states(fact: str, value: str, words: str) -> bool:
    """Return whether words state a fact exactly: the number unhedged, the whole day, the licence or device by name.

    `K` is a thousand: words that say 4K state no context of 4,096.
    """
    if fact == "release_date":
        day = date.fromisoformat(value)
        spelt = rf"\b{day:%b}[a-z]*\.? {day.day}, {day.year}\b|\b{day.year}[.-]{day:%m}[.-]{day:%d}\b"
        return re.search(spelt, words) is not None
    if fact == "licence":
        return set(re.findall(r"[\w.]+", value.casefold())) <= set(re.findall(r"[\w.]*\w", words.casefold()))
    if number := NUMBER.fullmatch(value):
        return any(_worth(n) == _worth(number) for n in NUMBER.finditer(words) if not (n["rough"] or n["more"]))
    return value in words


def _worth(number: re.Match[str]) -> Decimal:
    return Decimal(number["digits"].replace(",", "")).scaleb(STEPS[(number["unit"] or "").casefold()])


def from_pages(checkouts: Path) -> Iterator[Reading]:
    """Yield the facts that publishers' pages state; words that do not stand there or do not state them are said."""
    with PAGES.open(encoding="utf-8", newline="") as file:
        pages = list(csv.DictReader(file))
    for page in pages:
        checkout = Checkout(checkouts, page["repository"])
        try:
            text = checkout.text(page["path"])
        except subprocess.CalledProcessError:
            print(f"left out: no {page['path']} of {page['repository']}")
            continue
        if page["words"] not in " ".join(text.split()):
            print(f"left out: {page['path']} of {page['repository']} does not say '{page['words']}'")
            continue
        if not states(page["fact"], page["value"], page["words"]):
            print(f"left out: '{page['words']}' does not state the {page['fact']} {page['value']} exactly")
            continue
        source = checkout.source(page["path"].removesuffix(".md"))
        for row in table("models"):
            if any(fnmatch(row["key"], pattern) for pattern in page["keys"].split()):
                yield Reading(row["key"], page["fact"], row[page["fact"]], page["value"], source)


def main() -> int:
    """Compare, print what differs, and write what agrees."""
    asked = parser(__doc__)
    asked.add_argument("checkouts", type=Path)
    asked.add_argument("day")
    given = asked.parse_args()
    checkouts, day = given.checkouts, given.day
    readings = list(from_pages(checkouts))
    for name in TABLES:
        if (checkouts / name.replace("/", "+")).is_dir():
            readings += from_table(Checkout(checkouts, name))
        else:
            print(f"left out: no checkout of {name}")
    agreed = {(r.key, r.fact) for r in readings if r.held == r.said}
    wrong = [r for r in readings if r.held != r.said]
    for r in wrong:
        confirmed = ", elsewhere as in the table" if (r.key, r.fact) in agreed else ""
        print(f"{r.key}: {r.fact} {r.held or 'blank'} in the table, {r.said} in {r.source}{confirmed}")
    print(f"{len(readings)} facts of {len({r.key for r in readings})} rows compared, {len(wrong)} differ")
    write(merged(readings, day))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
