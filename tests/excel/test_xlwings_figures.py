"""Ranges and errors as Excel shows them; licences; the help function."""

import subprocess
import sys
from pathlib import Path

from sizebook.functions import load
from sizebook.functions.error_messages import PLACES
from tests.commands import python
from tests.excel.officejs_client import call, error

NO_KEY = {"XLWINGS_LICENSE_KEY": "", "HOME": "/nonexistent", "PYTHONPATH": ":".join(sys.path)}


def test_an_error_value_that_excel_cannot_take_back_becomes_value() -> None:
    spill = {"type": "Error", "basicValue": "#SPILL!", "errorType": "Spill"}
    assert call("PARAMS_LN", spill) == [[error("Value")]]


def test_why_gives_the_message_for_every_cell() -> None:
    assert call("SIZEBOOK_WHY", "PARAMS_LN", 512) == [["no error"]]
    (told,) = call("SIZEBOOK_WHY", "params_ln", [[512, 0]])
    assert told[0] == "no error" and told[1].startswith("d_model is out of range: got 0, want at least 1 ")
    assert call("SIZEBOOK_WHY", "PARAMS_NL", 512) == [
        ["unknown function: got 'PARAMS_NL', want a name that 'sizebook functions' lists. Did you mean 'PARAMS_LN'?"]
    ]


def test_why_has_room_for_every_function() -> None:
    """Or its first arguments have, and the others are given among the options."""
    longest = max(load().values(), key=lambda f: len(f.arguments) if f.category != "help" else 0)
    required = [a.name for a in longest.arguments if a.required]
    assert len(longest.arguments) <= len(PLACES) or len(required) < len(PLACES), longest.name
    assert len(PLACES) == 59, "VBA declares 60 arguments, and one is the name"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return python("-c", code, env=NO_KEY | environment)


def test_classic_functions_need_no_licence_key() -> None:
    code = "from sizebook.excel import classic; print(classic.PARAMS_MHA([[512.0]]), classic.PARAMS_MHA([[-1]]))"
    assert run(code).stdout == "[[1050624.0]] [['#NUM!']]\n"  # rows, as COM takes them


def test_equal_classic_calls_are_answered_from_memory() -> None:
    """Equal to Python is not equal to a function: 1 is a width of one, TRUE is no number."""
    code = (
        "from sizebook.excel import classic as c; f, computed = c.PARAMS_LN, c._computed; count = []; "
        "c._computed = lambda *call: (count.append(call), computed(*call))[1]; "
        "print(*f([[1]]), *f([[1.0]]), *f([[True]]), *f([[1]]), *f([[2, 3]]), *f([[2, 3]]), len(count))"
    )
    assert run(code).stdout == "[2.0] [2.0] ['#VALUE!'] [2.0] [4.0, 6.0] [4.0, 6.0] 4\n"


def test_classic_functions_take_what_com_hands_over() -> None:
    """An amount shown as a currency is a decimal; 2050 is #CALC!, 2047 #BLOCKED!, which COM does not take back."""
    code = (
        "from decimal import Decimal; from sizebook.excel import classic as c; f = c.PARAMS_LN; "
        "print(*f(Decimal('512')), *f(((Decimal('2'), 3.0),)), *f(-2146828288 + 2050), *f(-2146828288 + 2047))"
    )
    assert run(code).stdout == "[1024.0] [4.0, 6.0] ['#VALUE!'] ['#VALUE!']\n"


def test_calls_about_files_are_asked_anew(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    code = (
        "import json, pathlib; from sizebook.excel import classic as c\n"
        f"path = pathlib.Path({str(config)!r}); c.FILES_BESIDE(str(path.parent))\n"
        "config = {'model_type': 'llama', 'hidden_size': 8, 'intermediate_size': 16, 'num_hidden_layers': 1, "
        "'num_attention_heads': 2, 'vocab_size': 10}\n"
        "for layers in (1, 2):\n"
        "    path.write_text(json.dumps(config | {'num_hidden_layers': layers}))\n"
        "    print(c.MODEL_SPEC([[str(path)]], [['n_layers']])[0][0])\n"
    )
    assert run(code).stdout.split() == ["1.0", "2.0"]


def test_weights_are_asked_anew_whatever_their_name(tmp_path: Path) -> None:
    """A name beside the workbook has no sign of a path: that a file was read counts, not how it is spelled."""
    code = (
        "import json, pathlib; from sizebook.excel import classic as c\n"
        f"path = pathlib.Path({str(tmp_path / 'own.safetensors')!r}); c.FILES_BESIDE(str(path.parent))\n"
        "for width in (2, 3):\n"
        "    entry = {'w': {'dtype': 'U8', 'shape': [width, 1], 'data_offsets': [0, width]}}\n"
        "    head = json.dumps(entry).encode()\n"
        "    path.write_bytes(len(head).to_bytes(8, 'little') + head + bytes(width))\n"
        "    print(c.CHECKPOINT_BYTES('own.safetensors')[0][0])\n"
    )
    assert run(code).stdout.split() == ["2.0", "3.0"]


def test_generating_loads_nothing_of_xlwings() -> None:
    modules = (
        "sizebook.cli.excel",
        "sizebook.excel.callables",
        "sizebook.excel.addin.xlam_file",
        "sizebook.excel.lite",
    )
    code = f"import sys, {', '.join(modules)}; print([m for m in sys.modules if m.startswith('xlwings')])"
    assert run(code).stdout == "[]\n"


def test_office_js_functions_say_what_licence_they_want() -> None:
    failed = run("import sizebook.excel.officejs")
    assert failed.stderr.strip().splitlines()[-1] == (
        "xlwings.LicenseError: no xlwings licence key: got none that is valid, want XLWINGS_LICENSE_KEY in the "
        "environment. xlwings Server is free for noncommercial use (set it to 'noncommercial': PolyForm Noncommercial "
        "1.0.0) and needs a paid plan otherwise; xlwings Lite brings its own key."
    )
