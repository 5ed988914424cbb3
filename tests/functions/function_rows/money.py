"""Money of a run, energy and carbon."""

from __future__ import annotations

from tests.functions.function_rows.row import Row

ROWS = (
    Row("TRAIN_COST_USD", {"gpu_hours": 184_320, "price_usd_per_gpu_hour": 1.5, "other_usd": 3520}, 280_000,
        "Llama-2-7B's GPU-hours at 1.50 are 276,480"),
    Row(
        "OWNED_USD_PER_GPU_HOUR",
        {"capex_usd": 30_000, "years": 5, "busy": 0.5, "system_watts": 1000, "pue": 1.2, "usd_per_kwh": 0.1,
         "colocation_usd_per_kw_month": 150, "staff_usd_per_year": 600, "residual": 0.1},
        (5400 + 600) / 4380 + 0.12 + 1800 / 4380,
        "by hand a year: depreciation 27,000 / 5, staff 600, colocation 12 x 150, over 4,380 h, and 1.2 kWh an hour",
    ),
    Row(
        "BREAK_EVEN_GPU_HOURS",
        {"capex_usd": 30_000, "rented_usd_per_gpu_hour": 2.75, "running_usd_per_gpu_hour": 0.35},
        12_500,
        "12,500 h cost 34,375 to rent, and 30,000 + 4,375 to own",
        relative=1e-9,
    ),
    Row(
        "BLENDED_USD_PER_GPU_HOUR",
        {"reserved_share": 0.2, "reserved_usd_per_gpu_hour": 2, "on_demand_usd_per_gpu_hour": 4.5},
        4,
        "of ten hours two cost 4 and eight cost 36",
    ),
    Row(
        "TRAIN_ENERGY_KWH",
        {"gpu_hours": 82_432, "watts": 400, "pue": 1.1, "host_share": 0, "idle_share": 0, "idle_watts": 100},
        36_000,
        "Touvron et al. 2023 (arXiv:2302.13971), table 15: LLaMA-7B took 36 MWh",
        relative=0.01,
    ),
    Row(
        "TRAIN_ENERGY_KWH",
        {"gpu_hours": 8, "watts": 1000, "pue": 1, "host_share": 0.3, "idle_share": 0, "idle_watts": 100},
        10.401,
        "MLPerf Inference v5.1, power submission: eight B200 draw 10,401 W at the wall",
        relative=0.001,
    ),
    Row(
        "TRAIN_ENERGY_KWH",
        {"gpu_hours": 100, "watts": 700, "pue": 1.5, "host_share": 0, "idle_share": 0.1, "idle_watts": 70},
        1.5 * (90 * 0.7 + 10 * 0.07),
        "ninety busy and ten idle hours, and the building's half as much again",
    ),
    Row("TRAIN_CO2E_KG", {"energy_kwh": 184_320 * 0.4, "grams_per_kwh": 423.4}, 31_220,
        "Llama 2 model card: 31.22 t for 184,320 h at 400 W", relative=0.002),
    Row(
        "MARKET_CO2E_KG",
        {"energy_kwh": 1000, "covered_share": 0.75, "residual_grams_per_kwh": 400, "contract_grams_per_kwh": 20},
        115,
        "750 kWh at 20 g are 15 kg, 250 kWh at 400 g are 100 kg",
    ),
    Row(
        "EMBODIED_CO2E_KG",
        {"gpu_hours": 1_082_990, "kg_per_gpu": 150 + 2500 / 8, "lifetime_years": 6, "busy": 0.85},
        11_200,
        "Luccioni et al. 2022 (arXiv:2211.02001), table 3: 11.2 t embodied in BLOOM",
        relative=0.005,
    ),
)  # fmt: skip
