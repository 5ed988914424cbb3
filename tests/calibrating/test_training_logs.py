"""Logs of trainers are calibrated as they are: settings and the median step are read, what is missing is asked for."""

from pathlib import Path

import pytest

from sizebook.calibrating.runs import RunTable
from sizebook.calibrating.training_logs import TRAINERS
from sizebook.core.errors import InputError
from tests.calibrating.test_calibrate import training_rows
from tests.commands import run
from tests.csv_files import written
from tests.refused import message_of

TITAN = """[rank0]:[titan] 2026-11-25 19:44:50,837 - root - INFO - \
Building device mesh with parallelism: pp=1, dp_replicate=2, dp_shard=4, cp=1, tp=8, ep=1, etp=1
[rank0]:[titan] 2026-11-25 19:44:51,112 - root - INFO - Applied full activation checkpointing to the model
[rank0]:[titan] 2026-11-25 19:44:58,838 - root - INFO - Trainer is initialized with local batch size 2, \
global batch size 16, gradient accumulation steps 1, sequence length 8192, total steps 50 (warmup 2)
"""
TITAN_STEP = (
    "[titan] 2026-11-25 19:45:01,441 - root - INFO - \x1b[31mstep: {:2}  \x1b[32mloss:  8.0277  \x1b[34m"
    "tps: {:,}  tflops: 0.41  mfu: 0.04%\x1b[39m\n"
)
MEGATRON = """------------------------ arguments ------------------------
  context_parallel_size ........................... 1
  micro_batch_size ................................ 1
  pipeline_model_parallel_size .................... 4
  recompute_granularity ........................... selective
  seq_length ...................................... 4096
  tensor_model_parallel_size ...................... 2
  world_size ...................................... 64
"""
MEGATRON_STEP = (
    " [2026-11-06 03:02:12] iteration {:8}/     100 | consumed samples: 9088 | elapsed time per iteration (ms): {} | "
    "throughput per GPU (TFLOP/s/GPU): 243.6 | global batch size: {:5} | lm loss: 1.818812E+00 |\n"
)
NEMO = """distributed_backend=nccl
All distributed processes registered. Starting with 64 processes
    micro_batch_size: 1
    tensor_model_parallel_size: 2
    pipeline_model_parallel_size: 4
    seq_length: 4096
    activations_checkpoint_granularity: selective
"""
NEMO_STEP = (
    "Training epoch 0, iteration {}/149 | lr: 3e-05 | consumed_samples: 121 | global_batch_size: {} | global_step: 1 | "
    "reduced_train_loss: 1.233 | train_step_timing in s: {} | val_loss: 4.106\n"
)
# Of torchtitan 5, 900, 1000 and 1100 tokens a second: the first is left out. Of the others the batch grows after two
# steps from 64 to 128 sequences: of the rest 5, 6 and 7 seconds.
LOGS = {
    "torchtitan": TITAN
    + "".join(TITAN_STEP.format(step, tps) for step, tps in enumerate((5, 900, 1000, 1100), start=1))
    + "[titan] INFO - validate step:  4  loss:  8.0  memory: 1GiB(1.00%)  tps: 9,999\n",
    "megatron": MEGATRON
    + "".join(
        MEGATRON_STEP.format(n, ms, 64 if n < 3 else 128) for n, ms in enumerate((90000.0, 3000, 6000, 5000, 7000), 1)
    ),
    "nemo": NEMO
    + "".join(NEMO_STEP.format(n, 64 if n < 3 else 128, s) for n, s in enumerate((90.1, 3.0, 6.0, 5.0, 7.0), 1)),
}
READ = {
    "torchtitan": {"gpus": 64, "batch": 16, "seq": 8192, "tp": 8, "pp": 1, "cp": 1, "micro_batch": 2,
                   "recompute": "full", "measured_tokens_per_s_per_gpu": 1000},
    "megatron": {"gpus": 64, "batch": 128, "seq": 4096, "tp": 2, "pp": 4, "cp": 1, "micro_batch": 1,
                 "recompute": "selective", "measured_step_seconds": 6},
    "nemo": {"gpus": 64, "batch": 128, "seq": 4096, "tp": 2, "pp": 4, "micro_batch": 1, "recompute": "selective",
             "measured_step_seconds": 6},
}  # fmt: skip
STATED = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "zero_stage": "1", "compute_dtype": "bf16"}


def saved(folder: Path, text: str) -> Path:
    path = folder / "train.log"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("trainer", TRAINERS)
def test_a_log_is_one_run(tmp_path: Path, trainer: str) -> None:
    table = RunTable(saved(tmp_path, LOGS[trainer]), STATED)
    ((line, row),) = table.rows()
    assert line == 1
    assert {name: str(cell) for name, cell in row.items()} == {
        **{
            name: str(float(cell)) if name.startswith("measured") else str(cell) for name, cell in READ[trainer].items()
        },
        **STATED,
    }
    assert set(table.columns) == set(row)


def test_settings_that_a_log_does_not_say_are_asked_for_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path, LOGS["torchtitan"].replace("Applied full", "Applied selective"))
    done = run("calibrate", path, "-o", tmp_path / "r.csv", "--set", "gpu=h100-sxm")
    assert str(done.exception) == (
        "train.log: settings missing: got no model, zero_stage, recompute, compute_dtype, want each. Add "
        "--set model=... --set zero_stage=... --set recompute=... --set compute_dtype=..."
    )


def test_logs_give_the_rates_of_their_table(tmp_path: Path) -> None:
    """The same runs, once as a table and once as a log of torchtitan each."""
    rows = [
        row | {"pp": 1, "micro_batch": 1, "compute_dtype": "bf16", "group": "all"}
        for compute in (1.2, 1.3)
        for row in training_rows({"compute": compute}, ("llama-3.1-8b",))
    ]
    logs = []
    for n, row in enumerate(rows):
        tps = row["batch"] * row["seq"] / row["gpus"] / row["measured_step_seconds"]
        head = TITAN.replace("dp_replicate=2, dp_shard=4", f"dp_replicate=1, dp_shard={row['gpus']}")
        head = head.replace("tp=8", "tp=1")
        head = head.replace("local batch size 2", "local batch size 1").replace("size 16", f"size {row['batch']}")
        row["measured_step_seconds"] = row["batch"] * row["seq"] / row["gpus"] / round(tps)
        logs.append(tmp_path / f"run{n}.log")
        steps = "".join(TITAN_STEP.format(step, round(tps)) for step in (1, 2))
        logs[-1].write_text(head.replace("8192", "4096") + steps, encoding="utf-8")
    shared = ("model=llama-3.1-8b", "gpu=h100-sxm", "zero_stage=3", "compute_dtype=bf16", "stack=fsdp", "group=all")
    said = []
    for tables, stated in ((logs, shared), ([written(tmp_path / "runs.csv", rows)], ())):
        words = [word for each in stated for word in ("--set", each)]
        done = run("calibrate", *tables, "-o", tmp_path / "rates.csv", *words)
        assert done.exit_code == 0, done.exception
        said.append(done.output.partition("Rates:")[0])
    assert said[0] == said[1]
    assert said[0].startswith("training on h100-sxm with fsdp: 6 runs of 1 group\n") and "compute 1.24," in said[0]


REFUSED = [
    ("epoch 1 done\n", "unknown log: got no line of a step as torchtitan, megatron, nemo write it in train.log,"),
    (TITAN + TITAN_STEP.format(1, 5), "too few steps: got 1 in train.log, want 2 or more, as the first warms up. "),
    (NEMO + 2 * NEMO_STEP.format(1, 8, "1e"), "no number: got '1e' for a step in train.log, want one. Mend the log."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_no_log_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message_of(InputError, lambda: list(RunTable(saved(tmp_path, text), STATED).rows())).startswith(message)
