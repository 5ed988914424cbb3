"""The UNO component that LibreOffice loads from the extension; it runs in the office's Python and nowhere else.

Every method comes from the registry. ``XSizebook`` is the interface that `extension.interface` declares, with one
method for each function.
"""

import sys
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - not the Python that sizebook was installed into
    raise ImportError(
        f"office's Python is too old: got {sys.version.split()[0]}, want 3.11. Install a newer LibreOffice."
    )

import unohelper
from com.sun.star.lang import Locale, XServiceInfo, XServiceName
from com.sun.star.sheet import LocalizedName, XAddIn, XCompatibilityNames
from org.sizebook import XSizebook

from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help
from sizebook.functions import load
from sizebook.libreoffice.calc import NEVER_ZERO, evaluate

# Calc takes the service name for the prefix of the functions: SIZEBOOK.PARAMS_MHA.
NAME = "SIZEBOOK"
SERVICE = "com.sun.star.sheet.AddIn"
CATEGORY = "Add-In"
EMPTY_CELL = ". Leave it out for the default: Calc hands over an empty cell as 0 (but B5:B5 as empty)."


class AddIn(unohelper.Base, XSizebook, XAddIn, XCompatibilityNames, XServiceName, XServiceInfo):  # type: ignore[misc]
    """What Calc asks of an add-in: names, help texts and, as one method each, the functions."""

    def __init__(self, context: Any) -> None:
        self.locale = Locale("en", "US", "")

    def getServiceName(self) -> str:  # noqa: N802
        return NAME

    def getImplementationName(self) -> str:  # noqa: N802
        return NAME

    def supportsService(self, name: str) -> bool:  # noqa: N802
        return name in self.getSupportedServiceNames()

    def getSupportedServiceNames(self) -> tuple[str, ...]:  # noqa: N802
        return (SERVICE, NAME)

    def setLocale(self, locale: Any) -> None:  # noqa: N802
        self.locale = locale

    def getLocale(self) -> Any:  # noqa: N802
        return self.locale

    # The interface spells it so.
    def getProgrammaticFuntionName(self, shown: str) -> str:  # noqa: N802
        return shown

    def getDisplayFunctionName(self, name: str) -> str:  # noqa: N802
        return name

    def getCompatibilityNames(self, name: str) -> tuple[Any, ...]:  # noqa: N802
        """Give the name that an Excel file stores, so that Calc reads =PARAMS_MHA(...) and writes it back so."""
        return (LocalizedName(Locale("en", "US", ""), name),)

    def getFunctionDescription(self, name: str) -> str:  # noqa: N802
        return load()[name].summary

    def getDisplayArgumentName(self, name: str, index: int) -> str:  # noqa: N802
        return load()[name].arguments[index].name

    def getArgumentDescription(self, name: str, index: int) -> str:  # noqa: N802
        argument = load()[name].arguments[index]
        is_told = argument.required or argument.quantity.kind in NEVER_ZERO
        return argument_help(argument) + ("" if is_told else EMPTY_CELL)

    def getProgrammaticCategoryName(self, name: str) -> str:  # noqa: N802
        return CATEGORY

    def getDisplayCategoryName(self, name: str) -> str:  # noqa: N802
        return CATEGORY


def _method(function: Function) -> Any:
    return lambda self, *given: evaluate(function, given)


for _name, _function in load().items():
    setattr(AddIn, _name, _method(_function))

# The office looks for this name.
g_ImplementationHelper = unohelper.ImplementationHelper()  # noqa: N816
g_ImplementationHelper.addImplementation(AddIn, NAME, (SERVICE,))
