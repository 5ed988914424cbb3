"""What the plan commands share: their options, reading a scenario, printing as JSON or text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.options import FILE, explain_option, json_option, rates_option
from sizebook.cli.shell_completion import key_and_value

if TYPE_CHECKING:
    from sizebook.core.derivation import Step
    from sizebook.scenarios.money import Money
    from sizebook.scenarios.scenario_files import Kind


@dataclass(frozen=True)
class ScenarioFile:
    """A scenario file as a plan command was given it: with own rates, and with keys changed by ``--set``."""

    path: Path
    changes: tuple[str, ...] = ()
    rates: Path | None = None

    def values(self, plan: str) -> dict[str, Any]:
        """Return the scenario's values, the files that it names taken relative to its folder, CSV files read."""
        from sizebook.batch.scenario_grid import with_changes
        from sizebook.scenarios.csv_files import with_csv_files
        from sizebook.scenarios.kinds import check_command
        from sizebook.scenarios.scenario_files import read_toml, resolve_files, with_rates

        stated = read_toml(self.path)
        check_command(stated, plan, self.path.name)
        given: dict[str, Any] = {"plan": plan, **stated}
        changed = with_changes(given, self.changes, self.path.name)
        found: dict[str, Any] = resolve_files(self.path.parent, with_rates(changed, self.rates, plan=plan))
        return with_csv_files(found, self.path.parent)

    def read(self, kind: type[Kind], plan: str) -> Kind:
        """Return the checked scenario."""
        from sizebook.scenarios.scenario_files import parse

        return parse(kind, self.values(plan), self.path.name)


def plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what every plan command takes: the scenario file, ``--set``, ``--json``, ``--explain`` and ``--rates``."""

    @wraps(command)
    def with_file(scenario: Path, changes: tuple[str, ...], rates: Path | None, **asked: Any) -> Any:
        return command(ScenarioFile(scenario, changes, rates), **asked)

    change = click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="KEY=VALUE",
        shell_complete=key_and_value,
        help="Plan with this value in place of the file's.",
    )
    options: Any = change(json_option(explain_option(rates_option(with_file))))
    return click.argument("scenario", type=FILE)(options)  # type: ignore[no-any-return]


def print_plan(
    plan: Any,
    money: Money,
    as_json: bool,
    *,
    data: Callable[[], dict[str, Any]],
    text: Callable[[], list[str]],
    steps: Sequence[Step],
) -> None:
    """Print a plan as JSON or as text, whichever is asked for, with its cost in the currency of its scenario.

    ``steps`` are how its figures were worked out, where that is asked for.
    """
    from sizebook.core.derivation import derivation_lines
    from sizebook.scenarios.money import amount_of
    from sizebook.scenarios.statement import statement_of

    both = (("money", amount_of(plan, money)), ("statement", statement_of(plan, money)))
    amounts = {name: each for name, each in both if each is not None}
    if as_json:
        derived = {"derivations": [asdict(step) for step in steps]} if steps else {}
        shown = data() | derived | {name: each.data for name, each in amounts.items()}
        click.echo(json.dumps(_without_nan(shown), indent=2))
        return
    said = (line for each in amounts.values() for line in ("", each.said))
    click.echo("\n".join([*text(), *derivation_lines(steps), *said]))


def _without_nan(value: Any) -> Any:
    """Return plain data with null for what nobody lists: JSON has no NaN."""
    if isinstance(value, Mapping):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(inner) for inner in value]
    return None if value != value else value
