"""The cases of a table of serving estimates: names resolved once, and what many rows share worked out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np

from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.sections import leaves
from sizebook.plans.serving.tables import ARGUMENTS, STATED
from sizebook.serving.band import STRAINS, Band, band_setting, setting_band, strain_of
from sizebook.serving.case import Case, beyond_experts, case_of, counted_twice, undivided_heads
from sizebook.serving.costs import Costs, costs_of
from sizebook.serving.encoding import halves
from sizebook.serving.memory import Engine, Memory, constants_of, engine_memory, physical_bytes
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import setup_of
from sizebook.serving.releases import said_of
from sizebook.serving.shape import side_by_side
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import basis_of

_TEXT = ("text", "choice")
MODEL_AND_GPU = ("model", "gpu")
# What stands in the columns of a table: the fields of a demand and of a replica, as they are declared.
LOADS = leaves(Demand)
NUMBERS = tuple(leaf for leaf in leaves(Replica) if leaf.quantity.kind not in _TEXT)
_DEGREES = tuple(leaf.name for leaf in NUMBERS if leaf.default is not None)
SPECULATION = tuple(leaf.name for leaf in NUMBERS if leaf.default is None)
NAMES = (*MODEL_AND_GPU, *(leaf.name for leaf in leaves(Replica) if leaf.quantity.kind in _TEXT))
REQUIRED = (*MODEL_AND_GPU, *STATED)
INPUTS = (*NAMES, *(leaf.name for leaf in (*NUMBERS, *LOADS)))


@dataclass(frozen=True, eq=False)
class NamedCase:
    """What one combination of names resolves to: a case with 1 GPU, physical memory, the bands, or the reason not.

    ``bands`` stand in the order of `band_at`. A model that ``encodes`` has no case here.
    """

    case: Case | None
    engine: Engine | None = None
    physical: float = 0.0
    bands: tuple[Band, ...] = ()
    rates: str | None = None
    reason: str = ""
    encodes: bool = False


_SPELT_BY_TABLES = {"trtllm": "tensorrt-llm"}
ZERO_IS_NONE = ("dp", "ep")  # benchmark tables write 0 where there is no such parallelism


def as_functions_read(name: str, cell: Any) -> Any:
    """Return a cell as a function reads it, where tables of benchmarks write it in another way."""
    if name == "engine" and isinstance(cell, str):
        return _SPELT_BY_TABLES.get(cell.strip(), cell)
    return 1 if name in ZERO_IS_NONE and str(cell).strip() in ("0", "0.0") else cell


@cache
def named_case(model: str, gpu: str, *words: str) -> NamedCase:
    """Return what the words of `NAMES` resolve to."""
    given = {name: as_functions_read(name, word) for name, word in zip(NAMES[2:], words, strict=True) if word}
    try:
        if halves(model) is not None:
            return NamedCase(None, encodes=True)
        replica = Replica(**{name: coerce(ARGUMENTS[name], word) for name, word in given.items()})
        case = case_of(model, gpu, replica)
    except SizebookError as error:
        return NamedCase(None, reason=str(error))
    chip = accelerator(gpu)
    settings = (
        replace(band_setting(case, replica), crosses=crosses, strains=strains, drafts=drafts)
        for crosses, strains, drafts in _SETTINGS
    )
    bands = tuple(setting_band("tpot", chip.key, replica, shape=case.shape, setting=each) for each in settings)
    rates = basis_of(replica.rates_file, setup_of(chip.key, replica.engine))
    return NamedCase(case, constants_of(replica), physical_bytes(chip), bands, rates)


_SETTINGS = tuple(product((False, True), STRAINS, (False, True)))


def bands_at(named: list[NamedCase], place: Any, numbers: dict[str, Any]) -> tuple[list[Band | None], Any]:
    """Return all bands of names, and which of them every row has: by nodes it spans, context and load, and drafts."""
    node = np.array([each.case.node_gpus if each.case else np.inf for each in named])[place]
    crosses = (numbers["tp"] * numbers["dp"] > node) | (numbers["adapters"] > 0)
    drafts = numbers["draft_tokens"] > 0
    strains = strain_of(Demand(**{leaf.name: numbers[leaf.name] for leaf in leaves(Demand)}), numbers["dp"])
    bands = [band for each in named for band in (each.bands or (None,) * len(_SETTINGS))]
    return bands, len(_SETTINGS) * place + 2 * len(STRAINS) * crosses + 2 * strains + drafts


@cache
def release_text(words: tuple[str, ...], max_running: int, dp: int, drafting: bool) -> str:
    """Return in words what the release of a row decides, by the row's words of `NAMES`."""
    named = dict(zip(NAMES, words, strict=True))
    given = {name: as_functions_read(name, named[name]) for name in ("engine", "release") if named[name]}
    try:
        replica = Replica(max_running=max_running, dp=dp, **given)
        return said_of(replica, accelerator(named["gpu"]), drafting=drafting)
    except SizebookError:
        return ""


@dataclass(frozen=True)
class Distinct:
    """The distinct cases among rows: a row that has each of them, and of every row which one it has."""

    first: Any
    which: Any

    def among(self, rows: Any) -> Distinct:
        """Return the distinct cases of some of the rows; ``first`` counts all rows, ``which`` those alone."""
        if len(rows) == len(self.which):
            return self
        kept, which = np.unique(self.which[rows], return_inverse=True)
        return Distinct(self.first[kept], which)


_MOST_CODES = 2**62  # an integer holds no more; of rows there are far fewer than its root
_DENSE = 16  # codes a row that are looked up in a table rather than sorted


def distinct(columns: Iterable[Any]) -> Distinct:
    """Return the distinct combinations of some columns of numbers, of a row at least."""
    code: Any = 0
    n_codes = 1
    for column in columns:
        if (column != column[:1]).any():  # what is not a number anywhere differs
            at, n_values = _coded(column)
            if n_codes * n_values > _MOST_CODES:
                code, n_codes = np.unique(code, return_inverse=True)[1], len(column)
            code, n_codes = code * n_values + at, n_codes * n_values
    code = code + np.zeros(len(column), int)
    if n_codes > _DENSE * len(code):
        _, first, which = np.unique(code, return_index=True, return_inverse=True)
        return Distinct(first, which)
    at_code = np.full(n_codes, -1)
    at_code[code[::-1]] = np.arange(len(code))[::-1]  # of equal codes the last one written is the first row
    there = at_code >= 0
    return Distinct(at_code[there], (np.cumsum(there) - 1)[code])


def _coded(column: Any) -> tuple[Any, int]:
    """Return a number from 0 for each value of a column, and how many there may be."""
    if column.dtype.kind in "iu":
        least = int(column.min())
        if (spread := int(column.max()) - least + 1) <= _DENSE * len(column):
            return column.astype(int) - least, spread
    values, at = np.unique(column, return_inverse=True)
    return at, len(values)


def refusals(named: list[NamedCase], place: Any, numbers: dict[str, Any]) -> Any:
    """Return why no engine starts a layout, empty where one does."""
    found = np.full(len(place), "", dtype=object)
    for i, at in enumerate(place):
        case = named[at].case
        if case is not None:
            tp, dp, ep = (int(numbers[name][i]) for name in ("tp", "dp", "ep"))
            found[i] = (
                undivided_heads(case.shape, tp)
                or beyond_experts(case.shape, ep)
                or counted_twice(tp, dp, ep, node_gpus=int(case.node_gpus))
            )
    return found


def stacked_costs(named: Iterable[NamedCase], numbers: dict[str, Any]) -> tuple[Costs, Memory]:
    """Return what named cases in their layouts cost, and their memory, in columns; what all share is a number.

    None of them may lack a case. The next piece of a table mostly has the same ones, so a few results are kept.
    """
    return _stacked(tuple(named), np.stack([numbers[leaf.name] for leaf in NUMBERS]).tobytes())


@lru_cache(maxsize=4)
def _stacked(named: tuple[NamedCase, ...], layouts: bytes) -> tuple[Costs, Memory]:
    table = np.frombuffer(layouts).reshape(len(NUMBERS), -1)
    numbers = {leaf.name: table[at] for at, leaf in enumerate(NUMBERS)}
    cases = [each.case for each in named if each.case is not None]
    shape = side_by_side([c.shape for c in cases], _column)
    rates = {name: _column(c.rates[name] for c in cases) for name in cases[0].rates}
    plain = {f.name: _column(getattr(c, f.name) for c in cases) for f in fields(Case)[2:] if f.name not in _DEGREES}
    stated = np.isfinite(numbers["draft_tokens"])
    for name in SPECULATION:
        plain[name] = _column(np.where(stated, numbers[name], plain[name]))
    case = Case(shape=shape, rates=rates, **plain, **{name: _column(numbers[name]) for name in _DEGREES})
    engine = Engine(*(_column(getattr(each.engine, f.name) for each in named) for f in fields(Engine)))
    found = costs_of(case), engine_memory(case, _column(each.physical for each in named), engine)
    shared: tuple[Costs, Memory] = _shared(found)
    return shared


def _column(values: Iterable[Any]) -> Any:
    listed = np.array([float(value) for value in values])
    return listed[0] if (listed == listed[0]).all() else listed


def _shared(value: Any) -> Any:
    """Return columns of cases, a number where all cases have the same one, whatever holds them."""
    return _each(value, lambda column: column.flat[0] if (column == column.flat[0]).all() else column)


def columns_of_rows(value: Any, which: Any) -> Any:
    """Return what stands in columns of distinct cases as columns of rows, whatever holds it."""
    return _each(value, lambda column: column.take(which))


def _each(value: Any, turned: Callable[[Any], Any]) -> Any:
    """Return a value with every column in it turned into something else."""
    if isinstance(value, np.ndarray):
        return turned(value)
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(*(_each(getattr(value, f.name), turned) for f in fields(value)))
    if isinstance(value, tuple):
        return tuple(_each(each, turned) for each in value)
    return {k: _each(v, turned) for k, v in value.items()} if isinstance(value, dict) else value
