"""Sizes transformer models: parameters, memory, compute, GPUs, money, energy and carbon, the same number everywhere.

``import sizebook as sb`` gives every function of the spreadsheets under its name in lower case
(``sb.params_mha(4096)``), and ``sb.count``, ``sb.plan`` and ``sb.sweep``. A name is loaded when it is first used.
"""

__version__ = "0.13.0"


def __getattr__(name: str) -> object:
    from sizebook.api.names import public

    globals()[name] = found = public(name)  # the next use finds it here
    return found


def __dir__() -> list[str]:
    from sizebook.api.names import names

    return ["__version__", *names()]
