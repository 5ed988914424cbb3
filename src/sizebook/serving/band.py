"""How far measurements lay from predictions: the band around a serving estimate, as wide as what is known is far away.

A combination of model, accelerator, engine, format of weights and drafting that servers were measured in has its own
quantiles and those of unseen ones, for its next server is of another release. All else takes those of groups that a fit
had not seen, and of servers that others published, every group counting as one: other models or engines on a measured
accelerator, with few or many requests on a rank, contexts and loads beyond the fit's, an accelerator of which only
kernels were measured, and one of which nothing was, as of no replica that spans nodes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from sizebook.core.tables import table
from sizebook.core.texts import text
from sizebook.serving.case import Case, Number
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.rates import is_measured, setup_of
from sizebook.serving.releases import is_fitted
from sizebook.serving.shape import ServingShape
from sizebook.tables.own_rates import spread_of

FITTED, UNSEEN = text("in the fit"), text("unseen combination")
CONTEXT, LOADED = text("context beyond the fit"), text("load beyond the fit")
KERNELS = text("kernels measured, no server")
NOTHING = text("nothing measured")
OWN = text("own runs")
BUSY = text("unseen combination, busy")
# What of a demand makes an estimate less sure, by the number of `strain_of`.
STRAINS = ((), (BUSY,), (LOADED,), (CONTEXT,), (BUSY, CONTEXT), (LOADED, CONTEXT))
# The longest context in the fit is of 15,500 tokens; three rows in a hundred have more requests on a rank.
MOST_CONTEXT, MOST_OF_RANK = 16_384, 128
# Requests of a rank from which a band of its own holds. Cut there, bands of unseen architectures score best: the time
# to first token 2.76, after 3.13 without a cut, 2.94 at 16 and 3.05 at 64.
FEW_OF_RANK = 32
POOLS = text("separate pools")
# Decode workers of a replica, as far as a band of pools tells them apart.
ONE, SEVERAL, ANY = "one", "several", "any"


@dataclass(frozen=True)
class Band:
    """Quantiles of measured over predicted: eight of ten measurements lie between ``low`` and ``high``.

    ``basis`` says how near the measurements are, from `FITTED` to `NOTHING`, or `OWN`; ``rows`` and ``groups`` count
    those behind the band.
    """

    low: float
    middle: float
    high: float
    rows: int
    groups: int
    basis: str = UNSEEN


def banded(name: str, value: float, band: Band) -> dict[str, float]:
    """Return a figure with its p10 and p90 by their names."""
    return {name: value, f"{name}_p10": value * band.low, f"{name}_p90": value * band.high}


@dataclass(frozen=True)
class Setting:
    """What tells one combination from another beside accelerator and engine: the architecture, bits of a weight of its
    experts or else of all, whether it drafts. ``crosses`` where nothing was measured, as its GPUs are more than share a
    link or adapters lie beside the weights; ``strains`` is what of its demand makes it less sure, one of `STRAINS`.
    """

    architecture: str
    bits: str
    drafts: bool
    crosses: bool
    strains: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """What a table of bands is looked up by."""
        return self.architecture, self.bits, "yes" if self.drafts else "no"


def strain_of(demand: Demand, dp: Number) -> Number:
    """Return what of a demand makes an estimate less sure: the place in `STRAINS` of a rank's load and the context."""
    far, of_rank = demand.input_tokens + demand.output_tokens > MOST_CONTEXT, demand.in_flight / dp
    return 3 * far + 1 * (of_rank > FEW_OF_RANK) + 1 * (of_rank > MOST_OF_RANK)


def band_setting(case: Case, replica: Replica, demand: Demand | None = None) -> Setting:
    """Return the setting of a replica, at a load."""
    drafts = (replica.draft_tokens or 0) > 0 or (replica.tokens_per_step or 1) > 1
    crosses = bool(replica.tp * replica.dp > case.node_gpus) or replica.adapters > 0
    strains = STRAINS[strain_of(demand, replica.dp)] if demand else ()
    return Setting(architecture_of(case.shape), bits_of(case.expert_bytes), drafts, crosses, strains)


def bits_of(weight_bytes: float) -> str:
    """Return the bits of a weight as tables of bands write them."""
    return f"{8 * weight_bytes:.3g}"


def architecture_of(shape: ServingShape) -> str:
    """Return what tells one architecture from another here: its parameters, layers and width, whatever its name."""
    return f"{shape.total_parameters:.0f}-{shape.n_layers:.0f}-{shape.d_model:.0f}"


@cache
def _rows() -> dict[tuple[str, ...], Band]:
    found = {}
    for row in table("calibration_serving_error"):
        low, middle, high = (float(row[q]) for q in ("p10", "p50", "p90"))
        band = Band(low, middle, high, int(row["rows"]), int(row["groups"]), row["basis"])
        # What was measured stands under its own names, the bands of all else under what is known of them.
        setting = (row["architecture"], row["bits"], row["drafts"])
        names = (*setting, row["gpu"], row["engine"]) if band.basis == FITTED else (band.basis,)
        found[row["figure"], *names] = band
    return found


@cache
def _served() -> frozenset[str]:
    """Return the accelerators that servers were measured on."""
    return frozenset(names[-2] for names, band in _rows().items() if band.basis == FITTED)


def known_of(gpu: str, setting: Setting | None = None) -> str:
    """Return what is known of a replica that was not measured: its accelerator's servers, kernels, or nothing."""
    if setting and setting.crosses:
        return NOTHING
    return UNSEEN if gpu in _served() else KERNELS if is_measured(gpu) else NOTHING


def joined(own: Band, unseen: Band) -> Band:
    """Return the band of a combination: its own, and never narrower than that of unseen ones, as its next server is of
    another release or day than those that made it.
    """
    return replace(own, low=min(own.low, unseen.low), high=max(own.high, unseen.high))


def widest(bands: Iterable[Band]) -> Band:
    """Return the widest of bands that all hold."""
    return max(bands, key=lambda band: band.high / band.low)


def error_band(figure: str, engine: str, gpu: str, setting: Setting | None = None) -> Band:
    """Return the band of ``ttft``, ``tpot`` or ``throughput`` for an engine on an accelerator.

    With a setting that was measured so, that combination's own, made from its busy servers as well; otherwise that of
    unseen ones.
    """
    rows, strains = _rows(), setting.strains if setting else ()
    unseen = rows[figure, known_of(gpu, setting)]
    own = rows.get((figure, *setting.key, gpu, engine)) if setting and not setting.crosses else None
    if own and not set(strains) - {BUSY}:
        return joined(own, unseen)
    return widest((unseen, *(rows[figure, basis] for basis in strains)))


def workers_in_words(decode_workers: int) -> str:
    """Return how a band of pools tells decode workers apart: one, whose places all requests share, or several."""
    return ONE if decode_workers == 1 else SEVERAL


@cache
def _pools() -> dict[tuple[str, str], Band]:
    found = {}
    for row in table("calibration_serving_pools"):
        low, middle, high = (float(row[q]) for q in ("p10", "p50", "p90"))
        found[row["figure"], row["decode_workers"]] = Band(
            low, middle, high, int(row["rows"]), int(row["groups"]), POOLS
        )
    return found


def pooled_band(figure: str, gpu: str, replica: Replica, shape: ServingShape, decode_workers: int) -> Band:
    """Return the band of separate pools: that of the measured ones, never narrower than what one pool has there.

    What one pool has there is that of own runs where the file of rates has one. The time to first token of one decode
    worker is surer than that of several, where a request may meet a full one.
    """
    rows, own = _pools(), _own_band(figure, gpu, replica, shape=shape) or error_band(figure, replica.engine, gpu)
    found = rows.get((figure, workers_in_words(decode_workers))) or rows[figure, ANY]
    if own.basis == UNSEEN:
        return found
    low, high = min(own.low, found.low), max(own.high, found.high)
    return replace(found, low=low, high=high, basis=text("{pools}, {basis}", pools=POOLS, basis=text(own.basis)))


def kind_of(shape: ServingShape) -> str:
    """Return what kind of model own runs are told apart by: dense, or of experts."""
    return "experts" if shape.n_experts else "dense"


def replica_band(figure: str, gpu: str, replica: Replica, case: Case, demand: Demand | None = None) -> Band:
    """Return the band of a figure of a replica, at a load where one is given: that of own runs where its file of rates
    has one, else the shipped.
    """
    return setting_band(figure, gpu, replica, case.shape, setting=band_setting(case, replica, demand))


def setting_band(figure: str, gpu: str, replica: Replica, shape: ServingShape, setting: Setting) -> Band:
    """Return the band of a figure of a replica in a setting; its own degrees and drafts play no part."""
    if own := _own_band(figure, gpu, replica, shape=shape):
        return own
    is_known = replica.experts_read == "visited" and is_fitted(replica)  # the fit has seen no other
    known = setting if is_known else replace(setting, architecture="")
    return error_band(figure, replica.engine, gpu, setting=known)


def _own_band(figure: str, gpu: str, replica: Replica, shape: ServingShape) -> Band | None:
    own = spread_of(replica.rates_file, setup_of(gpu, replica.engine), kind_of(shape), figure=figure)
    return Band(own.low, own.middle, own.high, own.runs, own.groups, OWN) if own else None
