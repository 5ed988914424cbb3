"""Collectives by topology, worked out by hand: cards of a node, domains, experts, what is added over copies."""

import pytest

from sizebook.models import catalog
from sizebook.plans.training.rows import work_of_row
from sizebook.tables.hardware import accelerator
from sizebook.training.communication import collective, data_parallel, expert_exchange
from sizebook.training.layout import Layout, bubble, in_flight
from sizebook.training.machine import Machine, calibration, machine
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method

FITTED = calibration()
GB = 1e9


def _rates(gpu: str, **given: float) -> Machine:
    return machine(accelerator(gpu), Method(**given), FITTED)


def test_a_group_that_spans_nodes_uses_every_card_of_its_node() -> None:
    # 64 GPUs on eight nodes: seven eighths of 16 GB come into each node over eight cards of 50 GB/s at 75 %.
    rates = _rates("h100-sxm")
    assert collective(16 * GB, 64, 1, rates) == pytest.approx(16 * 7 / 8 / (8 * 50 * 0.75))
    # Beside tensor parallelism of eight each node holds one rank of the group, and one card serves it.
    assert collective(16 * GB, 8, 8, rates) == pytest.approx(16 * 7 / 8 / (50 * 0.75))


def test_inside_a_domain_only_the_link_counts() -> None:
    assert collective(16 * GB, 8, 1, _rates("h100-sxm")) == pytest.approx(16 * 7 / 8 / (450 * 0.75))
    assert collective(16 * GB, 72, 1, _rates("gb200")) == pytest.approx(16 * 71 / 72 / (900 * 0.75))
    assert collective(16 * GB, 1, 1, _rates("gb200")) == 0


def test_a_slower_network_is_told_by_its_gigabits() -> None:
    # p4d: 4 cards of 100 Gbit/s for eight A100, 50 Gbit/s each, a quarter of the reference system's.
    fast, slow = _rates("a100-sxm-80gb"), _rates("a100-sxm-80gb", nic_gbit_per_s=50)
    assert fast.scale_out / slow.scale_out == pytest.approx(4)


def test_hybrid_shards_gather_inside_and_add_up_across() -> None:
    rates, layout = _rates("h100-sxm"), Layout(dp=64, fsdp=8, zero_stage=3)
    gather, reduce, added = data_parallel((16 * GB, 0.0), (32 * GB, 0.0), layout, rates)
    assert gather == pytest.approx(16 * 7 / 8 / (450 * 0.75))
    assert reduce == pytest.approx(2 * gather)
    # An eighth of the gradients over eight copies, there and back; each GPU has a card of its own.
    assert added == pytest.approx(2 * 4 * 7 / 8 / (50 * 0.75))


def test_work_of_experts_does_not_depend_on_how_they_are_split() -> None:
    # Grok-1 on 512 H100 took 146 s with etp 1 and TP 4 once: the work of experts was multiplied by TP.
    row = {"model": "mixtral-8x7b", "gpu": "h100-sxm", "gpus": 32, "batch": 64, "seq": 4096, "tp": 4, "ep": 8}
    whole, split = (work_of_row({**row, "etp": etp}).step.matmul for etp in (1, 4))
    flops = 3 * 2 * 4096 * 2 * 3 * 4096 * 14336 * 32 / 4  # three passes, two experts of three matrices, 32 layers
    assert whole * FITTED["matmul_hopper_bf16"] * 989.4e12 > 8 * flops
    assert 1 < split / whole < 1.4


def test_exchange_with_experts_inside_one_domain_and_across_nodes() -> None:
    profile = model_profile(catalog.architecture("deepseek-v3"), 4096)
    layout = Layout(ep=64, dp=64)
    inside = expert_exchange(profile.whole, layout, _rates("gb200"), 4096)
    sent = 58 * 2 * 4096 * 8 * 7168
    exposed = FITTED["expert_parallel_exposed"]
    assert inside == pytest.approx(4 * exposed * sent * 63 / 64 / (900 * GB * 0.75))
    # Across eight nodes a token crosses once to each other node that holds one of its eight experts.
    across = expert_exchange(profile.whole, layout, _rates("h100-sxm"), 4096)
    met = 7 * (1 - (7 / 8) ** 8)
    assert across == pytest.approx(4 * exposed * sent / 8 * met / (50 * GB * 0.75))


def test_schedules_of_pipelines_wait_and_hold_as_deepseek_v3_tabulates() -> None:
    # Table 2 with F = W = 1 and B = 2: 15 x 3, 15 x 1 and 7 x 2, in micro-batches of three.
    waits = [bubble(Layout(pp=16, schedule=name)) for name in ("1f1b", "zero-bubble", "dualpipe")]
    assert waits == pytest.approx([15, 5, 14 / 3])
    held = [in_flight(Layout(pp=16, schedule=name), 0, 60) for name in ("1f1b", "zero-bubble", "dualpipe")]
    assert held == [16, 16, 17]
    row = {"model": "llama-3.1-70b", "gpu": "h100-sxm", "gpus": 64, "batch": 64, "seq": 4096, "tp": 8, "pp": 8}
    plain, dual = (work_of_row({**row, "schedule": name}) for name in ("1f1b", "dualpipe"))
    assert dual.step.bubble / plain.step.bubble == pytest.approx(2 / 3 * 3 / 7)
    assert dual.stages[1].weights == 2 * plain.stages[1].weights


def test_a_latent_layer_sends_narrow_tokens() -> None:
    # 40 layers of experts send each token of width 1024 to 22 of them, where the residual stream is 4096 wide.
    profile = model_profile(catalog.architecture("nemotron-3-super-120b-a12b"), 4096)
    assert profile.whole.dispatched == 40 * 22 * 1024
