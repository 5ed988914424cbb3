"""The accelerator table against two tables that others compiled: where they differ, the reason is known."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sizebook.core.tables import by_key
from tests.csv_files import rows_of

HARDWARE = by_key("hardware", "key")


def apart(
    file: Path, name: str, keys: Mapping[str, str], columns: Mapping[str, str], tolerance: float
) -> Iterator[tuple[str, str]]:
    """Yield the keys and fields whose figures differ by more than the tolerance, where both tables have one."""
    for theirs in rows_of(file):
        key = keys.get(theirs[name])
        for column, field in columns.items() if key else ():
            figures = theirs[column], HARDWARE[key][field]
            if all(figures) and float(figures[1]) != pytest.approx(float(figures[0]), rel=tolerance):
                yield key, field


AICONFIGURATOR_COLUMNS = {
    "mem_bytes": "memory_bytes",
    "mem_bw_bytes_per_s": "memory_bandwidth_bytes_per_s",
    "bf16_dense_flops": "peak_bf16_flop_per_s",
    "fp8_dense_flops": "peak_fp8_flop_per_s",
    "fp4_dense_flops": "peak_fp4_flop_per_s",
    "int8_dense_ops": "peak_int8_op_per_s",
    "power_watts": "tdp_watts",
    "gpus_per_node": "gpus_per_node",
    "intra_node_bw_bytes_per_s_one_way": "scale_up_bytes_per_s",
    "inter_node_bw_bytes_per_s_one_way": "scale_out_bytes_per_s",
    "pcie_bw_bytes_per_s": "pcie_bytes_per_s",
}


def test_aiconfigurator(shared: Path) -> None:
    file = shared / "truth" / "hardware_nvidia.csv"
    keys = {row["system"]: row["system"].replace("_", "-") for row in rows_of(file)}
    keys |= {"a100_pcie": "a100-pcie-80gb", "a100_sxm": "a100-sxm-80gb", "b60": "arc-pro-b60"}
    assert set(apart(file, "system", keys, AICONFIGURATOR_COLUMNS, 0.01)) == {
        ("b200-sxm", "scale_out_bytes_per_s"),  # DGX B200 has ConnectX-7, 400 Gb/s
        ("b200-sxm", "pcie_bytes_per_s"),  # HGX B200 is PCIe 5.0: 128 GB/s counts both ways
        ("gb200", "scale_out_bytes_per_s"),  # theirs is NVLink between trays; ours leaves the rack
        ("gb300", "scale_out_bytes_per_s"),
        ("l40s", "memory_bytes"),  # theirs is what nvidia-smi reports
    }


EPOCH_KEYS = {
    "Amazon Trainium1": "trainium1",
    "Amazon Trainium2": "trainium2",
    "Amazon Trainium3": "trainium3",
    "AWS Inferentia2": "inferentia2",
    "Google TPU v2": "tpu-v2",
    "Google TPU v3": "tpu-v3",
    "Google TPU v4": "tpu-v4",
    "Google TPU v5e": "tpu-v5e",
    "Google TPU v5p": "tpu-v5p",
    "Google TPU v6e Trillium": "tpu-v6e",
    "Google TPU v7 Ironwood": "tpu-v7",
    "AMD Radeon Instinct MI250X": "mi250x",
    "AMD Instinct MI300A": "mi300a",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI325X": "mi325x",
    "AMD Instinct MI350X": "mi350x",
    "AMD Instinct MI355X": "mi355x",
    "Intel Habana Gaudi2": "gaudi2",
    "Intel Habana Gaudi3": "gaudi3",
    "NVIDIA Tesla V100S PCIe 32 GB": "v100s-pcie",
    "NVIDIA Tesla V100 SXM2 32 GB": "v100-sxm-32gb",
    "NVIDIA A100 SXM4 80 GB": "a100-sxm-80gb",
    "NVIDIA A40 PCIe": "a40",
    "NVIDIA A10 PCIe": "a10",
    "NVIDIA L4": "l4",
    "NVIDIA L40": "l40",
    "NVIDIA L20 PCle": "l20",
    "NVIDIA RTX A6000": "rtx-a6000",
    "NVIDIA GeForce RTX 4090": "rtx-4090",
    "NVIDIA HGX H20": "h20",
    "NVIDIA H100 SXM5 80GB": "h100-sxm",
    "NVIDIA H100 NVL": "h100-nvl",
    "NVIDIA H200 SXM": "h200-sxm",
    "NVIDIA B100": "b100-sxm",
    "NVIDIA B200": "b200-sxm",
    "NVIDIA GB200": "gb200",
    "NVIDIA B300 (Blackwell Ultra)": "b300-sxm",
    "NVIDIA GB300 (Blackwell Ultra)": "gb300",
}
EPOCH_COLUMNS = {
    "Tensor-FP16/BF16 performance (FLOP/s)": "peak_bf16_flop_per_s",
    "FP8 performance (FLOP/s)": "peak_fp8_flop_per_s",
    "FP4 performance (FLOP/s)": "peak_fp4_flop_per_s",
    "INT8 performance (OP/s)": "peak_int8_op_per_s",
    "Memory bandwidth (byte/s)": "memory_bandwidth_bytes_per_s",
    "TDP (W)": "tdp_watts",
    "Release price (USD)": "launch_price_usd",
}


def test_epoch(shared: Path) -> None:
    file = shared / "truth" / "hardware_epoch.csv"
    volta = {"Tensor-FP16/BF16 performance (FLOP/s)": "peak_fp16_flop_per_s"}
    found = [pair for part in (EPOCH_COLUMNS, volta) for pair in apart(file, "Hardware name", EPOCH_KEYS, part, 0.015)]
    assert set(found) == {
        ("mi355x", "peak_fp8_flop_per_s"),  # theirs is the MI350X's
        ("mi355x", "peak_fp4_flop_per_s"),
        ("gaudi2", "peak_bf16_flop_per_s"),  # theirs is above half of its fp8 peak
        ("rtx-4090", "peak_bf16_flop_per_s"),  # theirs accumulates in FP16
        ("rtx-4090", "peak_fp16_flop_per_s"),
        ("b300-sxm", "peak_int8_op_per_s"),  # 157.5 against aiconfigurator's 153.5
        ("mi300a", "tdp_watts"),  # theirs is the peak, ours the default
        ("trainium1", "peak_int8_op_per_s"),  # 420 in the first documentation, 380 since
        ("trainium1", "memory_bandwidth_bytes_per_s"),  # theirs is the sum of an instance
        ("tpu-v3", "tdp_watts"),  # theirs is the mean that was measured, ours the highest
        ("tpu-v4", "tdp_watts"),
    }
