"""The terms that the latencies of a plan add up from, and what each of them rests on."""

from sizebook.core.derivation import Term
from sizebook.core.texts import text
from sizebook.core.units import counted, grouped
from sizebook.plans.serving.curves import terms_of
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports.document import Row, Table, figure_columns, headings
from sizebook.reports.number_columns import fixed


def latency_terms(plan: ServingPlan) -> tuple[Table, ...]:
    """Return the table of terms at the planned load; of a model that answers with one pass, those of its answer."""
    found = terms_of(plan.replica)
    first, token = ({term.name: term for term in terms if term.value} for terms in (found.ttft, found.tpot))
    shown = [(first, text("First token"), 1), (token, text("Each further token"), 3)][: 1 + bool(token)]
    rows = tuple(
        Row((name, *(cell for terms, _, decimals in shown for cell in _shown(terms, name, decimals)), basis))
        for name, basis in {term.name: term.basis for term in (*found.ttft, *found.tpot)}.items()
        if name in first or name in token
    )
    ends = (cell for terms, _, decimals in shown for cell in _total(terms, decimals))
    heads = (headings(figure_columns(name, unit="ms"), figure_columns(text("Share"), unit="%")) for _, name, _ in shown)
    return (
        Table(
            text(
                "What the latencies consist of, at a steady load of {requests} in flight",
                requests=counted(grouped(plan.replica.concurrency), "requests"),
            ),
            headings(text("Component"), *(column for pair in heads for column in pair), text("Rests on")),
            (*rows, Row((text("Together"), *ends, ""), "total")),
            note=text(
                "Measured kernels: times and shares of bandwidth and peak of this GPU; fitted: on running servers; "
                "assumed: neither. Memory and arithmetic overlap; what overlaps is shared out by squares."
            ),
        ),
    )


def _shown(terms: dict[str, Term], name: str, decimals: int) -> tuple[str, str]:
    """Return the milliseconds and the share of one term, nothing where a latency lacks it."""
    if name not in terms:
        return "", ""
    value, total = terms[name].value, sum(term.value for term in terms.values())
    return fixed(1e3 * value, decimals), fixed(100 * value / total, 1)


def _total(terms: dict[str, Term], decimals: int) -> tuple[str, str]:
    return fixed(1e3 * sum(term.value for term in terms.values()), decimals), fixed(100, 1)
