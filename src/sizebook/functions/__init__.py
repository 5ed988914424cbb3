"""Every module that registers functions; `load` imports them all, so the registry is complete."""

from functools import cache
from importlib import import_module

from sizebook.core import registry
from sizebook.core.registry import Function

# In the order in which `find` looks: the closed forms first, because they load fastest.
MODULES = (
    "formulas.params",
    "formulas.weights",
    "formulas.flops",
    "formulas.training_memory",
    "formulas.training_time",
    "formulas.scaling",
    "formulas.money",
    "formulas.energy",
    "tables.grid",
    "tables.hardware",
    "tables.prices",
    "tables.sources",
    "models.functions",
    "serving.cache",
    "serving.traffic",
    "serving.functions",
    "training.functions",
    "plans.sizing.tables",
    "plans.training.functions",
    "plans.training.tables",
    "plans.training.fine_tuning",
    "plans.serving.functions",
    "plans.serving.backwards",
    "plans.serving.tables",
    "plans.serving.percentiles",
    "plans.serving.curves",
    "plans.fleet.functions",
    "plans.programme.functions",
    "functions.error_messages",  # the last: they ask about the others
    "functions.tracing",
)


@cache
def load() -> dict[str, Function]:
    """Return every function of the product by name."""
    for module in MODULES:
        import_module(f"sizebook.{module}")
    return registry.registered()


def find(name: str) -> Function:
    """Return one function, importing modules only until it appears: a single call need not load them all."""
    for module in MODULES:
        import_module(f"sizebook.{module}")
        if name.upper() in registry.registered():
            break
    return registry.find(name)
