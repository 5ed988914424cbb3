"""What a workbook is written for: the add-in that will compute it there, or none."""

from typing import Literal, get_args

AddIn = Literal["classic", "office-js", "libreoffice"]
Target = Literal["classic", "office-js", "libreoffice", "lambda", "values"]
TARGETS: tuple[Target, ...] = get_args(Target)
