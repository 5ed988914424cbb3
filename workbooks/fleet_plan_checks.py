"""The checks of `fleet_plan.xlsx`: promises kept, independent routes to the same figure, the plan itself."""

from fleet_plan_inputs import SERVICES
from fleet_plan_loads import Groups
from fleet_plan_prices import KNOWN
from fleet_plan_services import Staged

from sizebook.core.sections import leaves
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.ledgers import columns
from sizebook.workbooks.catalog_lookups import known_check
from sizebook.workbooks.finance import RATES_HOLD
from sizebook.workbooks.further_month_rows import alternatives_fit
from sizebook.workbooks.gpu_hour_lines import TERMS
from sizebook.workbooks.text_formulas import all_equal, nearly_equal, part

Check = tuple[str, ...]  # label, formula that is TRUE when all is well, what it compares, when it cannot be made


def checks(staged: Staged, group: Groups) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (
        known_check(KNOWN),
        *_OF_SERVICES,
        _of_contracts(group),
        *_of_traffic(group),
        *_OF_NODES,
        _of_power(group),
        *_OF_MONTHS,
        _contracts_fit(staged),
        alternatives_fit(staged.alternatives, "FLEET_ALTERNATIVES", staged.alternatives_hold),
        *_with_the_plan(staged),
    )


def _contracts_fit(staged: Staged) -> Check:
    """Return the check that what is to sign was found for the traffic of the inputs."""
    found_for = f"SUM({staged.contracts.block.column(len(leaves(ContractMonth)), 2)})"
    sign = 'SUMPRODUCT(({model.all}<>"")*({sign_terms.all}<>"none"))=0'
    same = nearly_equal(found_for, "{needed_hours.total}")
    return (
        "Contracts were found for this traffic",
        f'=IF({{scenario}}<>"base",TRUE,IF({sign},TRUE,{same}))',
        "GPU-hours needed: FLEET_COMMITMENTS against Months",
        "MIN({contracts_hold.all})=0",
    )


def _totals(key: str) -> str:
    """Return the sum of the totals of a block, all services."""
    return f"SUM({{{key}_{SERVICES[0]}.total:{key}_{SERVICES[-1]}}})"


def _each(key: str, case: str = "all") -> str:
    """Return the name of the cells of a block: every month of all services, or their totals."""
    return f"{{{key}_{SERVICES[0]}.{case}:{key}_{SERVICES[-1]}}}"


def _of_traffic(group: Groups) -> tuple[Check, ...]:
    """Return the checks of traffic and replicas: a row a service beside a column a month."""
    of = group.of
    replicas = f"({_each('peak', 'total')}-{of('spare_replicas')})*{of('rate')}*{of('load')}*(1+{{rounding}})"
    runs = f"({{month.all}}>={of('begins')})*({{month.all}}<={of('ends')})"
    grown = f"(1+{of('growth')})^({{month.all}}-{of('begins')})"
    course = f"SUMPRODUCT({of('requests_now')}*{_each('course')}*{runs}*{grown})"
    return (
        (
            "Replicas take the busiest hour",
            f"=SUMPRODUCT(--({_each('day')}*{of('peak_now')}/{{seconds_a_day}}>{replicas}))=0",
            "Arrivals of every month against replicas without spare ones x rate x target load, every service",
        ),
        (
            "Traffic adds up to its course",
            all_equal((_totals("day"), course)),
            "Requests a day of all months against table, season and growth of every service",
        ),
    )


def _of_contracts(group: Groups) -> Check:
    """Return the check that nothing is signed above the price on demand, at the prices of the scenario."""
    dear = "+".join(
        f"SUMPRODUCT(({_each(f'signed_{term}_gpus', 'total')}>0)*"
        f"({group.of(f'{price}_now')}>{group.of('on_demand_now')}))"
        for term, (_, price) in TERMS.items()
    )
    return ("Reserving costs no more than burst", f"={dear}=0", "Prices of what is to sign, every service")


def _of_power(group: Groups) -> Check:
    return (
        "Power is that of the nodes",
        all_equal(("SUM({site_kw.all})", f"{{pue}}*SUMPRODUCT({_each('nodes')}*{group.of('node_kw')})")),
        "Months against nodes of each service x their kW x PUE",
    )


_OF_SERVICES: tuple[Check, ...] = (
    (
        "The load fits in the cache",
        "=SUMPRODUCT(--({plan_concurrency.all}>{plan_capacity.all}))=0",
        "In flight against what the cache holds, every service",
    ),
    (
        "The context is one the model knows",
        "=SUMPRODUCT(--ISNUMBER({plan_context_tokens.all}),--({plan_longest_tokens.all}>{plan_context_tokens.all}))=0",
        "Prompt and answer against the context that the model states, every service",
    ),
    ("Those that share whole nodes pay one price", "=SUM({price_apart.all})=0", "Services: each against the first"),
    ("They sign on the same terms", "=SUM({terms_apart.all})=0", "Services: each against the first"),
    (
        "A service ends no sooner than it begins",
        '=SUMPRODUCT(--({end_month.all}<>""),--({end_month.all}<{begins.all}))=0',
        "Inputs, every service",
    ),
    (
        "Spare replicas are there",
        "=SUMPRODUCT(--({gpus_each.all}>0),--({spare_replicas.all}<{spare}))=0",
        "Services against Inputs: no fewer than asked for",
    ),
    *(
        (
            f"A scenario moves {what}",
            all_equal((f"SUM({{{now}.all}})", f"SUMPRODUCT({{use_{driver}.all}},{{{before}.all}})")),
            "Services: in the scenario against before it, x the scenario's",
        )
        for what, now, driver, before in (
            ("the rate of replicas", "rate", "speed", "plan_requests_per_second"),
            ("the price on demand", "on_demand_now", "on_demand", "on_demand_price"),
            ("the reserved price", "reserved_now", "reserved", "reserved_price"),
            ("the price for three years", "reserved_3y_now", "reserved", "reserved_3y_price"),
        )
    ),
)
_NO_RACK_OF_ITS_OWN = "--({node_kw.all}>0),1-ISNUMBER({plan_rack_nodes.all})"
_ONE_MORE = "({nodes_a_rack.all}+1)"
_ROOM_FOR_ONE_MORE = (
    f"SUMPRODUCT({_NO_RACK_OF_ITS_OWN},--({{kw_per_rack}}>={_ONE_MORE}*{{node_kw.all}}*(1+{{rounding}})),"
    f"--({{plan_node_units.all}}<={{rack_units}}/{_ONE_MORE}))"
)
_OF_NODES: tuple[Check, ...] = (
    (
        "A node fits in a rack",
        '=IF({nodes_per_rack}="",1,0)*SUMPRODUCT(--({node_kw.all}>0),1-ISNUMBER({plan_rack_nodes.all}),'
        "1-({node_kw.all}<={kw_per_rack}*(1+{rounding}))*({plan_node_units.all}<={rack_units}))=0",
        "kW and height of a node against those of a rack, where nothing else is given",
    ),
    (
        "A rack has no room for one more node",
        f'=IF({{nodes_per_rack}}="",{part(_ROOM_FOR_ONE_MORE)},'
        f"SUMPRODUCT({_NO_RACK_OF_ITS_OWN},--({{nodes_a_rack.all}}<>{{nodes_per_rack}})))=0",
        "kW and height of so many nodes and one more, or as many as are given, every service",
    ),
    (
        "Services stand with their like",
        all_equal(
            (
                "SUMPRODUCT(--({stands_with.all}={number.all}))",
                "SUMPRODUCT(1/COUNTIF({share_kind.all},{share_kind.all}))",
            )
        ),
        "Services that stand first on a kind of node against kinds of node",
    ),
    ("Nodes hold their replicas", "=MIN({free_gpus.all})>=0", "GPUs of nodes against GPUs of replicas, every month"),
    ("Racks hold their nodes", "=MIN({free_nodes.all})>=0", "Racks x nodes of a rack against nodes, every month"),
    (
        "Sharing takes no more nodes",
        "=SUMPRODUCT(--({nodes.all}>{own_nodes.all}))=0",
        "Nodes against those if services shared none, every month",
    ),
    (
        "Whole nodes are paid for whole",
        '=IF({whole_nodes}="yes",SUMPRODUCT(ABS({free_gpus.all}-{idle_gpus.all}))=0,SUMPRODUCT(ABS({idle_gpus.all}))=0)',
        "GPUs without a replica that are paid for, against those that there are",
    ),
)
_ADDED_UP = (
    ("GPUs at peak", "paid_peak", "peak_gpus"),
    ("GPUs at the mean", "paid_mean", "mean_gpus"),
    ("GPUs reserved", "reserved", "reserved_gpus"),
    ("Nodes", "nodes", "nodes"),
    ("Racks", "racks", "racks"),
)
_POWER = "{energy_idle.all}*{busy_share}/{idle_share}*(1+{rounding})"
_OF_MONTHS: tuple[Check, ...] = (
    ("Every month asked for is there", "={on.total}={months}", "Months in the plan against Inputs"),
    (
        "Reserved and burst add up to the cost",
        all_equal(("{reserved_usd.total}+{burst_usd.total}", "{usd.total}"), (_totals("cost"), "{usd.total}")),
        "Totals of Months, and of what is bought together",
    ),
    ("Services add up to the cost", all_equal((_totals("part_usd"), "{usd.total}")), "Split against Months"),
    (
        "The hours bought are the hours paid for",
        all_equal(
            (_totals("hours"), "{gpu_hours.total}"),
            ("{hours_a_month}*SUM({reserved_gpus.all})+SUM({burst_hours_all.all})", "{gpu_hours.total}"),
        ),
        "Balance of GPU-hours: reserved and burst against all",
    ),
    *(
        (
            f"Services add up: {label}",
            all_equal((f"SUM({_each(block)})", f"SUM({{{row}.all}})")),
            "The row of Months against those of Buying and Nodes",
        )
        for label, block, row in _ADDED_UP
    ),
    (
        "The ends of the range are those worked out",
        all_equal(("{cost_fast.total}", "{usd_fast.total}"), ("{cost_slow.total}", "{usd_slow.total}")),
        "Cost: Fast and Slow against Months",
    ),
    (
        "Cost by groups is cost by cases",
        all_equal(
            ("{cost_now}", "{usd.total}"),
            ("{list_running.total}+{list_contracts.total}*{use_reserved.1}", "{reserved_usd.total}"),
        ),
        "What-if, all services in one formula, against Buying, a row a service",
    ),
    (
        "The table at its middle is the plan",
        f"=IF(AND({{step_traffic.3}}=1,{{step_price.2}}=1),{nearly_equal('{cost_two_3_2}', '{cost_now}')},TRUE)",
        "Two-way at steps of 1 against Cases; holds at other steps",
    ),
    ("Years add up to the whole", all_equal(("SUM({usd_by_year.all})", "{usd.total}")), "Cost: Years against Months"),
    (
        "Quarters add up to the whole",
        all_equal(("SUM({usd_by_quarter.all})", "{usd.total}")),
        "Cost: Years against Months",
    ),
    ("The cost to date ends at the whole", all_equal(("{usd_to_date.total}", "{usd.total}")), "Months: to date, total"),
    (
        "Energy carries its carbon",
        all_equal(("{co2e_kg.total}*{thousand}", "{energy_kwh.total}*{grams.1}")),
        "Totals of Months",
    ),
    (
        "Power lies between idle and busy",
        "=SUMPRODUCT(--({energy_kwh.all}<{energy_idle.all}*(1-{rounding})))"
        f"+SUMPRODUCT(--({{energy_kwh.all}}>{_POWER}))=0",
        "Energy of every month against GPU-hours x power",
    ),
    (
        "The range holds the plan",
        "=SUMPRODUCT(--({peak_gpus_fewest.all}>{peak_gpus.all}))+SUMPRODUCT(--({peak_gpus.all}>{peak_gpus_most.all}))=0",
        "GPUs if replicas are as fast, or as slow, as 1 in 10 measurements",
    ),
    *RATES_HOLD,
)
_PLANNED = (
    ("requests_per_day", "requests_per_day_all"),
    ("burst_gpu_hours", "burst_hours_all"),
    *(
        (name, name)
        for name in (
            "peak_gpus",
            "mean_gpus",
            "reserved_gpus",
            "signed_gpus",
            "reserved_used_gpu_hours",
            "reserved_idle_gpu_hours",
            "nodes",
            "own_nodes",
            "racks",
            "site_kw",
            "reserved_usd",
            "burst_usd",
            "usd",
            "cash_usd",
            "energy_kwh",
            "co2e_kg",
            "peak_gpus_fewest",
            "peak_gpus_most",
            "usd_least",
            "usd_most",
        )
    ),
)

_FIGURES = {"SUM": "all months", "MAX": "largest"}


def _of_the_plan(staged: Staged, of: str, name: str, row: str, missing: str) -> Check:
    """Return the check of the sum or the largest of a row of Months against the plan: one figure a check."""
    label = next(column.quantity.label for column in columns(FleetMonth) if column.name == name)
    own = f"{{{row}.all}}" + ("/({currency_rate.all}+1-{on.all})" if "usd" in row else "")
    shown = f"SUMPRODUCT({own})" if of == "SUM" else f"SUMPRODUCT(MAX({own}))"
    same = nearly_equal(shown, f"{of}({staged.of_the_plan(name)})")
    return (
        f"Plan: {label}, {_FIGURES[of]}",
        f'=IF({{scenario}}<>"base",TRUE,IF(COUNT({{price_date.all}})>0,TRUE,{same}))',
        "Months against FLEET_LEDGER; holds with a scenario or dated prices",
        missing,
    )


def _with_the_plan(staged: Staged) -> tuple[Check, ...]:
    missing = f"{staged.plan.block.missing}=1"
    return (
        *(_of_the_plan(staged, of, name, row, missing) for name, row in _PLANNED for of in _FIGURES),
        (
            "Figures are those of this workbook",
            f"={staged.figures.as_declared}",
            "Names; another version may give others",
        ),
        (
            "Columns of the plan are those of this workbook",
            f"={staged.plan.are_as_declared()}",
            "Names; another version may give others",
            missing,
        ),
    )
