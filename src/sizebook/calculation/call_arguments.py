"""The arguments of a call of a function of spreadsheets, rewritten for whoever works it out."""

from collections.abc import Sequence
from dataclasses import dataclass

from sizebook.calculation.arrays import is_worked_out
from sizebook.calculation.callback_names import COUNTABLE, OMITTED, PLACE, PROVED, TARGET
from sizebook.calculation.circles import MEASURE, TELL, start
from sizebook.calculation.criteria import is_criterion
from sizebook.calculation.literals import as_taken
from sizebook.calculation.names import bare
from sizebook.calculation.number_texts import as_criterion, as_text, makes_texts
from sizebook.calculation.proofs import is_written_number, proved_class
from sizebook.calculation.spreadsheet_functions import ARRAY, COUNTED, ONE, PASSED, RANGE, SpreadsheetFunction, is_area
from sizebook.calculation.tokens import Token
from sizebook.calculation.unions import spliced_arguments, with_used_columns
from sizebook.calculation.whole_column_calls import WholeColumnCalls
from sizebook.calculation.whole_columns import with_all_columns


@dataclass(frozen=True)
class Call:
    """A call: its function, its arguments, how the call itself is taken, and whether Python works it out."""

    name: str
    function: SpreadsheetFunction
    parts: Sequence[list[Token]]
    kind: str
    own: bool


@dataclass
class CallArguments(WholeColumnCalls):
    """A formula whose calls get their arguments; ``measures`` within a call that asks where a reference is."""

    measures: bool = False

    def _arguments(self, call: Call) -> list[str]:
        """Return the arguments of a call, with what Python is told before them."""
        parts = spliced_arguments(call.parts, call.function, sheet=self.at.sheet, sheets=self.book.sheets)
        parts = with_used_columns(call.name, parts, call.function, sheet=self.at.sheet, used=self.book.used)
        if parts != call.parts:
            self.moves = False
        measured, self.measures = self.measures, call.name in MEASURE
        given = [self._argument(call, number, part) for number, part in enumerate(parts)]
        self.measures = measured
        if call.name in TELL and not measured:
            self._tell_target(call.name, call.parts, given)
        if call.own:
            if call.function.dates:  # told first: the day from which the workbook counts
                given.insert(0, str(self.book.dates_from_1904).upper())
            given.insert(0, PLACE)
        return given

    def _argument(self, call: Call, number: int, part: list[Token]) -> str:
        """Return one argument."""
        if not part:
            return OMITTED if call.own else ""
        function, wanted = call.function, call.function.kind(number)
        rule = "" if wanted == PASSED else function.literals
        if call.kind == ARRAY and not (wanted in (RANGE, ARRAY) and is_area(part)):
            wanted = ARRAY
        elif wanted == PASSED:
            wanted = call.kind
        elif wanted == ARRAY and is_area(part):
            part, wanted = with_all_columns(part), RANGE
        text = self._part(as_taken(part, rule), wanted)
        if not call.own and makes_texts(call.name):
            text = as_text(bare(part), text)
        elif is_criterion(call.name, number):
            self.depends_on_place = True
            text = as_criterion(bare(part), text)
        if function.takes and function.kind(number) == ONE and not is_written_number(part):
            text = f'{PROVED}({PLACE},"{proved_class(function.takes, number, len(call.parts))}",{text})'
        return f"{COUNTABLE}({text})" if rule == COUNTED and is_worked_out(part) else text

    def _tell_target(self, name: str, parts: Sequence[list[Token]], given: list[str]) -> None:
        """Let a call that works out a reference tell where it leads."""
        if name == "INDIRECT":
            given[0] = f"{TARGET}({PLACE},{given[0]})"
            return
        begins = start(parts[0][0].text, self.at) if len(parts) > 2 and len(parts[0]) == 1 else None
        if begins is not None:
            told = [text or OMITTED for text in given[1:]]
            given[1] = f'{TARGET}({PLACE},{told[0]},"{begins.replace(chr(34), chr(34) * 2)}",{",".join(told[1:])})'
