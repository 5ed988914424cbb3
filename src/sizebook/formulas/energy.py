"""Energy and greenhouse gases of GPU-hours, location- and market-based apart, with the embodied share of hardware."""

from typing import Annotated

from sizebook.core.quantities import Busy, GpuHours, GramsPerKwh, HostShare, KilogramsCo2e, KilowattHours, Pue, Watts
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity

TOUVRON = "Touvron et al. 2023 (arXiv:2302.13971), section 6"
SCOPE_2 = "GHG Protocol, Scope 2 Guidance (2015)"

IdleWatts = Annotated[float, Quantity("power of one GPU while it idles", unit="watts", minimum=0, default=100)]
IdleShare = Annotated[
    float, Quantity("share of the hours in which the GPU idles", unit="ratio", minimum=0, maximum=1, default=0)
]
Covered = Annotated[
    float,
    Quantity(
        "share of the energy covered by contracts (PPA, certificates)",
        unit="ratio",
        minimum=0,
        maximum=1,
        default=None,
        label="Energy under contracts",
    ),
]
ContractGrams = Annotated[
    float, Quantity("greenhouse gases of energy under contracts", unit="gCO2e/kWh", minimum=0, default=0)
]
Embodied = Annotated[
    float,
    Quantity(
        "making of one GPU with its share of the server",
        unit="kgCO2e",
        minimum=0,
        default=462.5,
        label="Making of one GPU",
        source="Luccioni et al. 2022, arXiv:2211.02001: 150 kg and an eighth of a server of 2 500 kg",
    ),
]
Lifetime = Annotated[float, Quantity("years for which the hardware is used", unit="years", above=0, default=6)]


@function(
    category="energy",
    source=f"{TOUVRON}: GPU-hours x GPU power x PUE",
    formula="gpu_hours * ((1 - idle_share) * watts + idle_share * idle_watts) * (1 + host_share) * pue / 1000",
)
def train_energy_kwh(
    gpu_hours: GpuHours,
    watts: Watts,
    pue: Pue = DEFAULT,
    host_share: HostShare = DEFAULT,
    idle_share: IdleShare = DEFAULT,
    idle_watts: IdleWatts = DEFAULT,
) -> KilowattHours:
    """Return the energy of a run in kWh: GPU-hours x mean power x (1 + host share) x PUE / 1000.

    Published figures take the GPU's TDP for its power and no host share. Measured systems draw more: eight B200 at the
    wall 1.30 times their TDP (MLPerf Inference v5.1), so a host share of 0.3 at full load is a fair default there.
    """
    mean = (1 - idle_share) * watts + idle_share * idle_watts
    return gpu_hours * mean * (1 + host_share) * pue / 1000


@function(
    category="energy", source=f"{TOUVRON}; location-based as {SCOPE_2}", formula="energy_kwh * grams_per_kwh / 1000"
)
def train_co2e_kg(energy_kwh: KilowattHours, grams_per_kwh: GramsPerKwh) -> KilogramsCo2e:
    """Return location-based greenhouse gases in kg: energy x the intensity of the grid that it is drawn from / 1000."""
    return energy_kwh * grams_per_kwh / 1000


@function(
    category="energy",
    source=f"{SCOPE_2}: market-based method",
    formula="energy_kwh * (covered_share * contract_grams_per_kwh + (1 - covered_share) * residual_grams_per_kwh) / "
    "1000",
)
def market_co2e_kg(
    energy_kwh: KilowattHours,
    covered_share: Covered,
    residual_grams_per_kwh: GramsPerKwh,
    contract_grams_per_kwh: ContractGrams = DEFAULT,
) -> KilogramsCo2e:
    """Return market-based greenhouse gases in kg: energy covered by contracts at theirs, the rest at the residual mix.

    Report it beside the location-based figure, never in its place.
    """
    mixed = covered_share * contract_grams_per_kwh + (1 - covered_share) * residual_grams_per_kwh
    return energy_kwh * mixed / 1000


@function(
    category="energy",
    source="share of life: Luccioni et al. 2022 (arXiv:2211.02001), section 4.1; 150 kg a GPU and 2 500 kg a server "
    "there",
    formula="gpu_hours / (lifetime_years * 8760 * busy) * kg_per_gpu",
)
def embodied_co2e_kg(
    gpu_hours: GpuHours, kg_per_gpu: Embodied = DEFAULT, lifetime_years: Lifetime = DEFAULT, busy: Busy = DEFAULT
) -> KilogramsCo2e:
    """Return the run's share of what making the hardware emitted: hours used / hours of its life x kg per GPU.

    The default per GPU is 150 kg and an eighth of a 2 500 kg server, the estimate of the BLOOM paper.
    """
    return gpu_hours / (lifetime_years * 8760 * busy) * kg_per_gpu
