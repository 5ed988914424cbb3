"""Calls of sizebook's functions in a planning workbook: each once, on hidden sheets, with its last value stored beside.

Where the add-in is missing, a cell that calls one of its functions shows #NAME? from its first recalculation on, and
so does all that follows from it. So no visible sheet calls one: a call stands on a hidden sheet in three columns, its
result now (*live*), the plain value that filling stored there (*held*), and what all else refers to (*in use*): live,
or held where live is the error of a missing function (#NAME?). Any other error, such as that of a target which no load
meets, is shown. A look-up that may fail stands beside them once more, its error a word (*tried*), and the arguments
of a long call in a list of what functions are *asked*.

Filling stores values where a defined name's comment asks for it, ``held: Calls!$B$8:$B$40``, and with them what the
functions were asked. Where they are missing and are asked something else now, no held value is in use: what follows
from one shows #N/A, in pale letters, and never a mixture of old figures and new inputs. A banner names the inputs that
wait. Excel keeps the last value of a call until something it depends on changes, and shows #NAME? only then;
LibreOffice when it opens or recalculates the file. Both come out alike here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from openpyxl import Workbook
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Font
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.utils import coordinate_to_tuple, get_column_letter
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation.tokens import tokenize
from sizebook.core.errors import InputError
from sizebook.workbooks import styles
from sizebook.workbooks.formula_calls import arguments_of, calls_sizebook, first_call, with_arguments
from sizebook.workbooks.held_values import CALLS, CODE_CELL, HELD_PREFIX
from sizebook.workbooks.references import quoted

Kept = Literal["held", "compared", "decided"]  # what a staged table keeps where its function is missing
STAGED = "Staged"
NEEDS_ADDIN = "needs sizebook"
_MISSING_CODE = 5  # ERROR.TYPE of #NAME?
_HEAD = 8  # the first row of calls
_MISSING, _CHANGED, _WHAT, _WAITING = (f"{CALLS}!$B${row}" for row in (3, 4, 5, 6))
LONGEST = 300  # letters of a formula that a reviewer reads at a glance
_NONE_FOUND = "error"  # what is tried and is in error
_FIRST_SUM, _SUMMED = 5, 10  # columns from E hold the sums of so many flags each
_STORED, _ONE = "$C$4", "$D$4"  # 1 once filling has stored what functions were asked, blank while it calculates


def unless_waiting(expression: str) -> str:
    """Return an expression that shows #N/A while figures wait for functions, where it would take that for no figure."""
    return f"IF({_WAITING}=1,NA(),{expression})"


@dataclass(frozen=True)
class StagedBlock:
    """The area that an array formula fills: its first row, its size, and the first column of what is in use.

    ``missing`` is a reference to 1 where its function is missing.
    """

    top: int
    n_rows: int
    left: int
    missing: str

    def cell(self, row: int, column: int) -> str:
        """Return a reference to a cell in use, both counted from 1."""
        return f"{STAGED}!${get_column_letter(self.left + column - 1)}${self.top + row - 1}"

    def column(self, column: int, first: int = 1) -> str:
        """Return a reference to a column in use, from a row on."""
        letter = get_column_letter(self.left + column - 1)
        return f"{STAGED}!${letter}${self.top + first - 1}:${letter}${self.top + self.n_rows - 1}"

    def row(self, row: int, n_columns: int) -> str:
        """Return a reference to a row in use, its first columns."""
        first, last = (get_column_letter(self.left + n) for n in (0, n_columns - 1))
        return f"{STAGED}!${first}${self.top + row - 1}:${last}${self.top + row - 1}"


@dataclass
class AddinCalls:
    """The hidden sheets of calls of one workbook being built."""

    workbook: Workbook
    _known: dict[str, str] = field(default_factory=dict)
    _missing: list[str] = field(default_factory=list)
    _asked: list[str] = field(default_factory=list)
    _arguments: dict[str, str] = field(default_factory=dict)
    _changed_labels: str = '""'
    _next: int = 1

    @property
    def banner(self) -> str:
        """The formula of what to know where functions are missing; empty where all is live."""
        return (
            f'=IF({_MISSING}=0,"",IF({_CHANGED}=0,"Without the sizebook add-in: its functions show what was '
            f'stored for the inputs as they stand. All else is live.",'
            f'"{NEEDS_ADDIN.upper()} to follow a change of: "&{_WHAT}&". What depends on it shows #N/A. '
            'Run sizebook fill, install the add-in, or change it back."))'
        )

    def call(self, formula: str) -> str:
        """Put a formula that calls functions on the sheet of calls; return a reference to its value in use.

        References in it must name their sheets. The same formula stands once.
        """
        if formula not in self._known:
            sheet: Any = self._sheet(CALLS)
            row = _HEAD + len(self._known)
            sheet[f"A{row}"] = _missing(f"B{row}")
            sheet[f"B{row}"], sheet[f"E{row}"] = self._readable(formula, f"E{row}")
            sheet[f"D{row}"] = _in_use(f"B{row}", f"C{row}")
            self._known[formula] = f"{CALLS}!$D${row}"
        return self._known[formula]

    def _readable(self, formula: str, tried: str) -> tuple[str, str | None]:
        """Return a live formula and what it tries, with arguments in cells of their own as far as they are too long."""
        found = arguments_of(formula)
        expressions = [each for each in found if len(tokenize(each)) > 1]
        for hoisted in ([], expressions, found):
            live, attempt = _with_missing_shown(with_arguments(formula, hoisted, self._argument), tried)
            if len(live) <= LONGEST:
                break
        return live, attempt

    def _argument(self, expression: str) -> str:
        """Return the cell of what functions are asked, blank where that is."""
        if expression not in self._arguments:
            cell = f"F{_HEAD + len(self._arguments)}"
            self._sheet(CALLS)[cell] = f'=IF({expression}="","",{expression})'
            self._arguments[expression] = cell
        return self._arguments[expression]

    def block(self, call: str, n_rows: int, n_columns: int, kept: Kept = "held") -> StagedBlock:
        """Put an array formula on the sheet of staged tables; it holds its values unless it is only compared with.

        What is ``decided``, such as contracts to sign, stays as it was stored where its function is missing; whoever
        shows it asks whether that was found for the inputs as they stand (`changed`).
        """
        sheet: Any = self._sheet(STAGED)
        top, width = self._next, n_columns + 1
        self._next += n_rows + 1
        last = top + n_rows - 1
        right = get_column_letter(n_columns + 1)
        live = f"B{top}:{right}{last}"
        sheet[f"B{top}"] = ArrayFormula(live, f"={call}")
        sheet[f"A{top}"] = _missing(f"B{top}")
        sheet.cell(last, n_columns + 1).number_format = styles.GENERAL  # so that the sheet knows how far it reaches
        missing = f"{STAGED}!$A${top}"
        if kept == "compared":
            return StagedBlock(top, n_rows, 2, missing)
        self._missing.append(missing)
        for row in range(top, last + 1):
            for column in range(2, n_columns + 2):
                now, stored = (f"{get_column_letter(column + shift)}{row}" for shift in (0, width))
                sheet.cell(row, column + 2 * width).value = _in_use(now, stored, decided=kept == "decided")
        self._hold(
            STAGED, _absolute(2 + width, top, 1 + width + n_columns, last), _absolute(2, top, n_columns + 1, last)
        )
        return StagedBlock(top, n_rows, 2 + 2 * width, missing)

    def watch(self, sheet: str, label_column: int, columns: Sequence[int], rows: tuple[int, int]) -> None:
        """Store the arguments of functions, to see a change since filling: cells and their labels.

        Where a line has a column a service, a case or a way, the label says in which it changed.
        They must not follow from what a function gives: what is in use of that hangs on whether they changed.
        """
        top, right = self._stored(sheet, columns, rows)
        name, said = quoted(sheet), get_column_letter(right + 1)  # labels of what changed, down to this row
        staged: Any = self._sheet(STAGED)
        for row, asked in enumerate(range(rows[0], rows[1] + 1), top):
            before, label = self._changed_labels, f"{name}!${get_column_letter(label_column)}{asked}"
            if len(columns) > 1:
                label += f"&{self._put_which(sheet, columns, asked, row)}"
            staged[f"{said}{row}"] = f'={before}&IF(A{row}=0,"",IF({before}="","",", ")&{label})'
            self._changed_labels = f"{said}{row}"
        self._asked.append(f"{STAGED}!$A${top}:$A${top + rows[1] - rows[0]}")

    def _put_which(self, sheet: str, columns: Sequence[int], asked: int, row: int) -> str:
        """Put down which cell of a row changed, by the head of its column: " (Chat)" or " (Chat and 2 more)".

        Return the cell of that text. It names the last that changed, which needs no array formula.
        """
        staged: Any = self._sheet(STAGED)
        heads = coordinate_to_tuple(str(self.workbook[sheet].freeze_panes))[0] - 1  # the row above what scrolls
        left, right = get_column_letter(columns[0]), get_column_letter(columns[-1])
        number, which = (f"{get_column_letter(3 + len(columns) + more)}{row}" for more in (0, 1))
        now = f"{quoted(sheet)}!{left}{asked}:{right}{asked}"
        changed = f'({now}&""<>{_stored_row(row, len(columns))}&"")'
        head = f"INDEX({quoted(sheet)}!${left}${heads}:${right}${heads},"
        head += f"SUMPRODUCT(MAX({changed}*COLUMN({now})))-{columns[0] - 1})"
        staged[number] = f"=IF(A{row}=0,0,SUMPRODUCT(--{changed}))"
        staged[which] = f'=IF(A{row}=0,""," ("&{head}&IF({number}=1,"", " and "&{number}-1&" more")&")")'
        return which

    def when_filled(self, cell: str) -> str:
        """Return a reference to what a cell showed when the workbook was filled, blank while filling calculates."""
        stored = f"$B${self._next}"
        self._next += 2
        self._define(f"{STAGED}!{stored}", cell)
        return f"{STAGED}!{stored}"

    def changed(self, lines: Iterable[tuple[str, Sequence[int], int]]) -> str:
        """Store lines, each a sheet, its columns and its row, as `watch` does; no figure waits for them.

        Return a reference to flags, 1 for each that changed.
        """
        first = self._next
        for sheet, columns, row in lines:
            self._stored(sheet, columns, (row, row))
        return f"{STAGED}!$A${first}:$A${self._next - 2}"

    def _stored(self, sheet: str, columns: Sequence[int], rows: tuple[int, int]) -> tuple[int, int]:
        """Store cells and beside them whether they changed; return the first row and the last column."""
        staged: Any = self._sheet(STAGED)
        top, last = self._next, self._next + rows[1] - rows[0]
        self._next = last + 2
        name, left, right = quoted(sheet), 2, 1 + len(columns)
        for row, asked in zip(range(top, last + 1), range(rows[0], rows[1] + 1), strict=True):
            now = f"{name}!{get_column_letter(columns[0])}{asked}:{get_column_letter(columns[-1])}{asked}"
            stored = _stored_row(row, len(columns))
            staged[f"A{row}"] = f'=IF({CALLS}!{_STORED}="",0,IF(SUMPRODUCT(--({now}&""<>{stored}&""))=0,0,1))'
        first = _absolute(columns[0], rows[0], columns[-1], rows[1])
        self._define(f"{STAGED}!{_absolute(left, top, right, last)}", f"{name}!{first}")
        return top, right

    def put_words(self, words: Sequence[str], *, across: bool) -> str:
        """Put words below or beside each other on the sheet of staged tables; return the reference to them."""
        sheet: Any = self._sheet(STAGED)
        top, n_rows = self._next, 1 if across else len(words)
        self._next += n_rows + 1
        for number, word in enumerate(words):
            sheet.cell(top + (0 if across else number), 2 + (number if across else 0)).value = word
        return f"{STAGED}!{_absolute(2, top, 1 + (len(words) if across else 1), top + n_rows - 1)}"

    def finish(self) -> None:
        """Write the state of the calls above them and name the cells that filling stores, once all sheets are built."""
        sheet: Any = self._sheet(CALLS)
        last = max(_HEAD, _HEAD + len(self._known) - 1)
        self._hold(CALLS, f"$C${_HEAD}:$C${last}", f"$B${_HEAD}:$B${last}")
        n_missing = self._summed(3, [*self._missing, f"$A${_HEAD}:$A${last}"])
        said = f"{STAGED}!{self._changed_labels}" if self._asked else self._changed_labels
        for row, label, value in (
            (1, "State of the calls", None),
            (2, "Error of a missing function (ERROR.TYPE)", _MISSING_CODE),
            (3, "Calls whose function is missing", n_missing),
            (4, "What they are asked that changed since", self._summed(4, self._asked or ["0"])),
            (5, "Their labels", f"={said}"),
            (6, "Figures wait for functions", f"=IF(AND({_MISSING}>0,{_CHANGED}>0),1,0)"),
        ):
            sheet[f"A{row}"], sheet[f"B{row}"] = label, value
        sheet[_ONE.replace("$", "")] = 1
        self._hold(CALLS, _STORED, _ONE)
        for column, head in zip("ABCDEF", ("Missing", "Live", "Held", "In use", "Tried", "Asked"), strict=True):
            sheet[f"{column}{_HEAD - 1}"] = head
        self._show_pale()

    def _summed(self, row: int, flags: Sequence[str]) -> str:
        """Return the formula of the sum of many references, those that make it too long summed up beside it."""
        sheet, total = self._sheet(CALLS), list(flags)
        for column in range(_FIRST_SUM, _FIRST_SUM + len(flags)):
            if len(",".join(total)) <= LONGEST - len("=SUM()"):
                break
            cell = f"{get_column_letter(column)}{row}"
            sheet[cell] = f"=SUM({','.join(total[:_SUMMED])})"
            total = [*total[_SUMMED:], cell]
        return f"=SUM({','.join(total)})"

    def _show_pale(self) -> None:
        """Show in pale letters what waits for functions, on every sheet that is read; other errors stay as they are."""
        pale = DifferentialStyle(font=Font(color=styles.HAIRLINE))
        for sheet in self.workbook.worksheets:
            if sheet.sheet_state == "visible":
                rule = Rule(type="expression", formula=[f"AND({_WAITING}=1,ISNA(B1))"], dxf=pale)
                sheet.conditional_formatting.add(f"B1:{get_column_letter(sheet.max_column)}{sheet.max_row}", rule)

    def _sheet(self, name: str) -> Any:
        if name not in self.workbook.sheetnames:
            self.workbook.create_sheet(name).sheet_state = "hidden"
        return self.workbook[name]

    def _hold(self, sheet: str, held: str, live: str) -> None:
        self._define(f"{sheet}!{held}", f"{sheet}!{live}")

    def _define(self, held: str, live: str) -> None:
        names = self.workbook.defined_names
        name = f"held_{sum(each.startswith('held_') for each in names) + 1}"
        names[name] = DefinedName(name, attr_text=held, comment=f"{HELD_PREFIX}{live}", hidden=True)


def _in_use(live: str, stored: str, *, decided: bool = False) -> str:
    """Return the formula of a value in use: what is live, or where its function is missing what is stored.

    It asks the live cell itself: on opening LibreOffice works cells out whose stored value is an empty text, and no
    cell beside them. Of an empty text spreadsheets keep a blank cell, which would count as 0.
    """
    held = f'IF({stored}="","",{stored})'
    if not decided:
        held = f"IF({_CHANGED}=0,{held},NA())"
    return f"=IF(ISERROR({live}),IF(ERROR.TYPE({live})={CODE_CELL},{held},{live}),{live})"


def _missing(cell: str) -> str:
    """Return the formula of 1 where a cell shows the error of a missing function, else 0."""
    return f"=IF(ISERROR({cell}),IF(ERROR.TYPE({cell})={CODE_CELL},1,0),0)"


def _with_missing_shown(formula: str, tried: str) -> tuple[str, str | None]:
    """Return a formula in which no IFERROR takes a missing function for an error of its arguments, and what it tries.

    That stands in the cell ``tried``; None where there is no IFERROR.
    """
    found = first_call(formula, "IFERROR")
    if found is None or not calls_sizebook(found.arguments[0]):
        return formula, None
    first, other = found.arguments
    if other.strip() == "0":
        raise InputError(
            f"silent fallback: got IFERROR({first},{other}), want a text that says what is missing, such as "
            '"not listed". Put one in its place.'
        )
    # LibreOffice's ERROR.TYPE sees no error in what a function of an add-in gives, an array of one; N takes it out.
    shown = f'IF({tried}="{_NONE_FOUND}",IF(ERROR.TYPE(N({first}))={CODE_CELL},{first},{other}),{tried})'
    return found.before + shown + found.after, f'=IFERROR({first},"{_NONE_FOUND}")'


def _stored_row(row: int, n_columns: int) -> str:
    """Return where a row of the sheet of staged tables stores cells."""
    return f"B{row}:{get_column_letter(1 + n_columns)}{row}"


def _absolute(left: int, top: int, right: int, bottom: int) -> str:
    return f"${get_column_letter(left)}${top}:${get_column_letter(right)}${bottom}"
