"""The functions for classic xlwings UDFs (Windows, BSD licence): the module that the VBA wrapper of `vba` names.

A failed call returns the text of its error value; the VBA wrapper turns that text into a true error, because xlwings'
own wrapper would leave a text that ISERROR does not see and SUM skips.
"""

from __future__ import annotations

import xlwings as xw

from sizebook.core.wizard import category
from sizebook.excel.functions import build, error_value
from sizebook.functions import load

_FUNCTIONS = {name: xw.func(category=category(load()[name]))(built) for name, built in build(error_value).items()}
__all__ = list(_FUNCTIONS)
globals().update(_FUNCTIONS)
