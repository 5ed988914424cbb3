"""The money and carbon of the serving report."""

import math
from collections.abc import Iterator, Sequence

from sizebook.core.texts import text
from sizebook.core.units import NOT_LISTED, energy, grouped, mass, percent, usd
from sizebook.plans.fleet.periods import YEAR
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.figures import contracts
from sizebook.plans.serving.internal_price import LINES, internal_price
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.sensitivity import sensitivities
from sizebook.plans.serving.tenants import in_cents
from sizebook.reports import phrases
from sizebook.reports.charts.chart_types import Chart, Columns, Series
from sizebook.reports.contract_tables import decision_page, what_to_sign
from sizebook.reports.document import Row, RowKind, Section, Table, figure_columns, headings, section
from sizebook.reports.money_charts import by_term, tornado
from sizebook.reports.number_columns import fixed, plain_number
from sizebook.reports.serving.replicas import fleet_by_month


def gpu_hours(rates: Rates) -> Iterator[tuple[str, float, str]]:
    """Yield the name of each price of a GPU-hour, the price in USD, and where it comes from."""
    yield text("GPU-hour, reserved"), rates.reserved_usd, rates.reserved_basis
    if rates.long_usd is not None:
        yield text("GPU-hour reserved for three years"), rates.long_usd, rates.reserved_3y_basis
    yield text("GPU-hour, on demand"), rates.on_demand_usd, rates.on_demand_basis


def cost(plan: ServingPlan) -> Section:
    """Return the cost by month and by term of purchase."""
    months = plan.months
    first, last, total = usd(months[0].usd), usd(months[-1].usd), usd(total_usd(months))
    message = (
        text("The fleet costs {usd} a month", usd=first)
        if len(months) == 1 and total != NOT_LISTED
        else phrases.months_cost(len(months), total, first, last=last)
    )
    table = Table(
        text("What a GPU-hour and a million tokens cost"),
        headings(text("Figure"), figure_columns(text("Amount"), unit="USD"), text("Basis")),
        (
            *(Row((label, fixed(usd_hour, 2), basis)) for label, usd_hour, basis in gpu_hours(plan.rates)),
            *_per_million(plan),
        ),
        note=text("Here output tokens carry the whole cost. The next table prices prompts and answers by themselves.")
        if plan.replica.decodes
        else text("This model writes no tokens: the tokens put in carry the whole cost."),
    )
    return section(text("Cost"), message, fleet_by_month(plan), table, _internal(plan))


def decision(plan: ServingPlan) -> Section:
    """Return on one page what to sign, what that costs by year, and what would change it."""
    signed = what_to_sign([("", each) for each in plan.portfolio.contracts], contracts(plan), plan.traffic.start)
    years = [plan.months[at : at + YEAR] for at in range(0, len(plan.months), YEAR)]
    rows = [_year(text("Year {n}", n=number), each) for number, each in enumerate(years, 1)]
    table = Table(
        text("Years"),
        headings(
            text("Period"),
            figure_columns(text("GPUs at peak")),
            figure_columns(text("Reserved"), text("On demand"), text("Together"), unit="USD"),
        ),
        (*rows, _year(text("Together"), plan.months, "total")),
    )
    return decision_page((signed, table), plan)


def _year(name: str, months: Sequence[Month], kind: RowKind = "plain") -> Row:
    sums = (sum(getattr(month, key) for month in months) for key in ("reserved_usd", "on_demand_usd", "usd"))
    return Row((name, grouped(max(month.peak_gpus for month in months)), *map(grouped, sums)), kind)


def _internal(plan: ServingPlan) -> Table:
    """Return what prompts, answers and idle GPUs cost, to the cent, and the bill of each tenant."""
    found, total = internal_price(plan.replica, plan.months), total_usd(plan.months)
    lines = in_cents(total, [sum(getattr(month, line) for month in plan.months) for line in LINES])
    prices = (
        found.internal_usd_per_mtok_input,
        found.internal_usd_per_mtok_cached,
        found.internal_usd_per_mtok_output,
        None,
    )
    labels = (text("Prompts"), text("Cached tokens"), text("Answers"), text("Idle"))
    rows = [
        Row((label, fixed(amount, 2), "" if price is None else fixed(price, 4)))
        for label, amount, price in zip(labels, lines, prices, strict=True)
    ]
    shares = plan.inputs.tenants.shares
    bills = in_cents(total, [total * each for each in shares])
    rows += [
        Row((text("Of it tenant {n}, {share}", n=number, share=percent(each)), fixed(bill, 2), ""))
        for number, (each, bill) in enumerate(zip(shares, bills, strict=True), 1)
    ]
    return Table(
        text("What prompts, answers and idle GPUs cost"),
        headings(text("Line"), figure_columns(text("All months"), text("A million tokens"), unit="USD")),
        (*rows, Row((text("Together"), fixed(sum(lines), 2), ""), "total")),
        note=text(
            "The bill is split by the GPU time that prompts and answers take. The work for a request costs {usd}. "
            "Idle is GPU time that no request uses.",
            usd=usd(found.internal_usd_per_request),
        ),
    )


def _per_million(plan: ServingPlan) -> tuple[Row, Row]:
    """Return what a million tokens cost: output tokens, or input tokens where one pass answers."""
    full = plan.usd_per_mtok_saturated
    label, digits = text("Million output tokens"), 2
    if not plan.replica.decodes:
        label, digits = text("Million input tokens"), 4
        full /= plan.traffic.mean_demand.input_tokens
    basis = text("at the utilisation of {months}", months=phrases.months(len(plan.months)))
    return (
        Row((label, fixed(plan.usd_per_mtok, digits), basis)),
        Row((label, fixed(full, digits), text("best case: always full, reserved"))),
    )


def _gpu_chart(plan: ServingPlan) -> Chart | None:
    """Return the GPUs of the busiest hour by month; nothing where they are the same in each."""
    peaks = [month.peak_gpus for month in plan.months]
    if len(set(peaks)) == 1:
        return None
    return Columns(
        text("GPUs of the busiest hour"),
        text("Month"),
        text("GPUs"),
        categories=phrases.numbered(peaks),
        series=(Series(text("GPUs"), tuple(map(float, peaks))),),
    )


def cost_chart(plan: ServingPlan) -> Chart | None:
    """Return columns of money by month, of GPUs where no price is listed; nothing where no month differs."""
    if math.isnan(total_usd(plan.months)):
        return _gpu_chart(plan)
    burst = [month.on_demand_usd for month in plan.months]
    return next(iter(by_term(plan.months, burst, text("On demand"), axis=text("Month"))), None)


def sensitivity(plan: ServingPlan) -> tuple[Section, ...]:
    """Return what the cost of all months hangs on, one input at a time; nothing where no price is listed."""
    if math.isnan(total_usd(plan.months)):
        return ()
    swings, total, n = sensitivities(plan), total_usd(plan.months), phrases.months(len(plan.months))
    title = text(
        "{input}: {usd} between its ends, over {months}", input=swings[0].label, usd=usd(swings[0].width_usd), months=n
    )
    return tornado(
        swings, total, title, axis=text("USD in {months}", months=n), base=text("Plan {usd}", usd=usd(total))
    )


def carbon(plan: ServingPlan) -> Section:
    """Return energy and emissions of all months, and of the first beside them where months differ."""
    months, prices = plan.months, plan.rates
    n = phrases.months(len(months))
    kwh, kg = sum(month.energy_kwh for month in months), sum(month.co2e_kg for month in months)
    pue = plain_number(prices.pue)
    power = text("TDP {watts} W a GPU, PUE {pue}", watts=plain_number(prices.tdp_watts), pue=pue)
    if math.isnan(prices.tdp_watts):
        power = text("TDP not listed, PUE {pue}", pue=pue)
    grid = text("{grams} g/kWh, {basis}", grams=plain_number(prices.grams_per_kwh), basis=prices.grid_basis)
    rows = [
        (text("Energy, {months}", months=n), energy(kwh), power),
        (text("Emissions, {months}", months=n), mass(kg), grid),
    ]
    if len({month.energy_kwh for month in months}) > 1:
        rows += [
            (text("Energy, month 1"), energy(months[0].energy_kwh), text("before the traffic changes")),
            (text("Emissions, month 1"), mass(months[0].co2e_kg), text("before the traffic changes")),
        ]
    return section(
        text("Energy and carbon"),
        phrases.NO_ENERGY
        if math.isnan(kwh)
        else text("{months} take {energy} and emit {mass} of CO\u2082e", months=n, energy=energy(kwh), mass=mass(kg))
        if len(months) > 1
        else text("The fleet takes {energy} a month and emits {mass} of CO\u2082e", energy=energy(kwh), mass=mass(kg)),
        Table(
            text("Energy and location-based emissions"),
            headings(text("Figure"), figure_columns(text("Amount")), text("Basis")),
            tuple(Row(cells) for cells in rows),
            note=text(
                "Wall power is 1.3 times the TDP when busy, as MLPerf submissions measured, and 0.3 times when idle."
            ),
        ),
    )
