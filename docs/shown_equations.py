"""Equations of pages: what a page writes is the formula that every surface computes by, and the site sets it.

A line of a block ```equation is `LEFT = formula`, in the grammar of `sizebook.core.expression`. Where LEFT is a
function the formula is the registry's, its options at their defaults, so that a page cannot drift. The site draws each
line as MathML, which browsers know by themselves: no script, no font and no server.
"""

from html import escape

from sizebook.core.expression import Expression, parse
from sizebook.core.expression_tree import COMPARISONS, Call, Name, Negative, Node, Number, Operation, Text, rebuilt
from sizebook.core.registry import Function, registered
from sizebook.core.wizard import reference_page
from sizebook.functions import load

TIGHTNESS = {**dict.fromkeys(COMPARISONS, 1), "+": 2, "-": 2, "*": 3, "/": 6, "^": 5}  # a fraction needs no brackets
SIGNS = {"*": "&#215;", "-": "&#8722;", "<=": "&#8804;", ">=": "&#8805;", "<>": "&#8800;", "<": "&lt;", ">": "&gt;"}
FENCES = {"ceil": ("&#8968;", "&#8969;"), "floor": ("&#8970;", "&#8971;")}


def refreshed_equations(text: str) -> str:
    """Return the lines of a block, each with the formula that the registry holds."""
    load()
    return "".join(f"{_line(line)}\n" for line in text.splitlines() if line.strip())


def _line(line: str) -> str:
    left, _, right = (part.strip() for part in line.partition("="))
    function = registered().get(left)
    return f"{left} = {_formula(function) if function else parse(right)}"


def _formula(function: Function) -> Expression:
    options = {each.name: each.default for each in function.arguments if isinstance(each.default, str)}

    def settled(node: Node) -> Node | None:
        """Return the branch that holds where options stand at their defaults."""
        match node:
            case Call("if", (Operation("=", Name(name), Text(value)), yes, no)) if name in options:
                return rebuilt(yes if options[name] == value else no, settled)
        return None

    return Expression(rebuilt(parse(function.formula).tree, settled))


def as_html(text: str, root: str) -> str:
    """Return a block as lines of MathML; a function links to its entry in the reference."""
    load()
    lines = []
    for line in text.splitlines():
        left, _, right = line.partition(" = ")
        name = f"<b>{left}</b>"
        if function := registered().get(left):
            page = reference_page(function.category).replace(".md", ".html")
            name = f'<a href="{root}{page}#{left.lower()}">{left}</a>'
        lines.append(f'<p>{name} =<br><math displaystyle="true">{_drawn(parse(right).tree)}</math></p>')
    return f'<div class="equation" tabindex="0">{"".join(lines)}</div>'


def _drawn(node: Node) -> str:
    match node:
        case Number(digits):
            return _number(digits)
        case Text(value):
            return f"<mtext>{escape(value)}</mtext>"
        case Name(name):
            return _words(name)
        case Negative(operand):
            return f"<mrow><mo>&#8722;</mo>{_inside(operand, 6)}</mrow>"
        case Operation("/", Operation("/", left, right), further):  # a / b / c as one fraction
            return _drawn(Operation("/", left, Operation("*", right, further)))
        case Operation("/", left, right):
            return f"<mfrac>{_drawn(left)}{_drawn(right)}</mfrac>"
        case Operation("^", left, right):
            return f"<msup>{_inside(left, 7)}{_drawn(right)}</msup>"
        case Operation(sign, left, right):
            sides = _inside(left, TIGHTNESS[sign]), _inside(right, TIGHTNESS[sign] + (sign == "-"))
            return f"<mrow>{sides[0]}<mo>{SIGNS.get(sign, sign)}</mo>{sides[1]}</mrow>"
        case Call("sqrt", (root,)):
            return f"<msqrt>{_drawn(root)}</msqrt>"
        case Call("if", (condition, yes, no)):
            rows = ((yes, f"<mtext>if&#160;</mtext>{_drawn(condition)}"), (no, "<mtext>otherwise</mtext>"))
            cells = "".join(f"<mtr><mtd>{_drawn(value)}</mtd><mtd>{when}</mtd></mtr>" for value, when in rows)
            return f"<mrow><mo>{{</mo><mtable>{cells}</mtable></mrow>"
        case Call(function, arguments):
            return _called(function, "<mo>,</mo>".join(map(_drawn, arguments)))
    raise TypeError(node)


def _called(function: str, drawn: str) -> str:
    left, right = FENCES.get(function, ("(", ")"))
    name = "" if function in FENCES else f"<mtext>{function}</mtext>"
    return f"<mrow>{name}<mo>{left}</mo>{drawn}<mo>{right}</mo></mrow>"


def _inside(node: Node, at_least: int) -> str:
    tightness = TIGHTNESS[node.sign] if isinstance(node, Operation) else 4 if isinstance(node, Negative) else 7
    drawn = _drawn(node)
    return drawn if tightness >= at_least else f"<mrow><mo>(</mo>{drawn}<mo>)</mo></mrow>"


def _number(digits: str) -> str:
    mantissa, _, exponent = digits.lower().partition("e")
    power = f"<msup><mn>10</mn><mn>{exponent}</mn></msup>" if exponent else ""
    front = f"<mn>{mantissa}</mn>" if not power or float(mantissa) != 1 else ""
    return f"<mrow>{front}{'<mo>&#215;</mo>' if front and power else ''}{power}</mrow>" if power else front


def _words(name: str) -> str:
    """Return a name as one sets it: d_model is d with an index, others are words."""
    first, _, rest = name.partition("_")
    if len(first) == 1 and rest:
        return f"<msub><mi>{first}</mi><mtext>{rest.replace('_', ' ')}</mtext></msub>"
    return f"<mi>{name}</mi>" if len(name) == 1 else f"<mtext>{name.replace('_', ' ')}</mtext>"
