"""How fast models are counted: one config in process, all configs at hand, and the whole command against PyTorch.

Run `python benchmarks/counting.py [FOLDER]`, where FOLDER holds config.json files (the folder ../shared/configs beside
the checkout is taken where it exists). With transformers installed, or named by SIZEBOOK_TRANSFORMERS_PYTHON, the same
Llama is counted on its meta device too, in a process of its own, and time and memory stand side by side. Headers are
those of a checkpoint of 700 GB, DeepSeek-V3 in fp8 with its scales in 163 files, whose values are holes.
"""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sizebook.core.errors import SizebookError
from sizebook.models import catalog
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names

ROUNDS = 200
LLAMA = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
# A hybrid with experts, state layers and attention: the largest number of different tensors in one layer pattern.
HYBRID = {
    "model_type": "nemotron_h",
    "hybrid_override_pattern": "MEMEMEM*EME" * 8,
    "num_hidden_layers": 88,
    "hidden_size": 4096,
    "vocab_size": 131072,
    "mamba_num_heads": 128,
    "mamba_head_dim": 64,
    "n_groups": 8,
    "ssm_state_size": 128,
    "conv_kernel": 4,
    "num_attention_heads": 32,
    "num_key_value_heads": 2,
    "head_dim": 128,
    "moe_intermediate_size": 2688,
    "moe_shared_expert_intermediate_size": 5376,
    "moe_latent_size": 1024,
    "n_routed_experts": 512,
    "num_experts_per_tok": 22,
}
ON_META = """
import sys, torch
from transformers import AutoConfig, AutoModelForCausalLM
config = AutoConfig.from_pretrained(sys.argv[1])
with torch.device("meta"):
    model = AutoModelForCausalLM.from_config(config)
print(sum(p.numel() for p in model.parameters()))
"""


def main() -> None:
    for name, config in {"Llama, 32 layers": LLAMA, "hybrid with experts, 88 layers": HYBRID}.items():
        print(f"{name:44} {1e3 * _median(lambda config=config: _count(config)):8.3f} ms in process, median of {ROUNDS}")
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared" / "configs"
    if folder.is_dir():
        _all(folder)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "config.json"
        path.write_text(json.dumps(LLAMA))
        _processes(path)
        _headers(Path(temporary) / "deepseek-v3")


def _count(values: dict[str, object]) -> int:
    return count(architecture(Config(values, "config.json"))).total


def _median(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _all(folder: Path) -> None:
    """Read and count every file once, refusals included; the slowest is named."""
    files, times, refused = sorted(folder.rglob("*.json")), {}, 0
    begin = time.perf_counter()
    for file in files:
        start = time.perf_counter()
        try:
            _count(json.loads(file.read_text(encoding="utf-8")))
        except SizebookError:
            refused += 1
        times[file.name] = time.perf_counter() - start
    total = time.perf_counter() - begin
    slowest = max(times, key=lambda name: times[name])
    print(f"{f'{len(files)} files, read and counted ({refused} refused)':44} {total:8.3f} s in one process")
    print(f"{'slowest of them':44} {1e3 * times[slowest]:8.3f} ms, {slowest}")


def _processes(path: Path) -> None:
    """Time the whole command and, where transformers is installed, the same count on the meta device."""
    command = [sys.executable, "-m", "sizebook", "count", str(path), "--json"]
    ours, our_memory = _run(command)
    print(f"{'sizebook count config.json':44} {ours:8.3f} s, {our_memory / 2**20:6.0f} MiB, whole process")
    try:
        python = os.environ.get("SIZEBOOK_TRANSFORMERS_PYTHON", sys.executable)
        theirs, memory = _run([python, "-c", ON_META, str(path)])
    except subprocess.CalledProcessError:
        print("transformers is not installed here: pip install 'sizebook[torch]' to compare")
        return
    print(f"{'transformers on the meta device':44} {theirs:8.3f} s, {memory / 2**20:6.0f} MiB, whole process")
    print(f"{'ratio':44} {theirs / ours:8.1f} x the time, {memory / our_memory:.1f} x the memory")


def _headers(folder: Path, files: int = 163) -> None:
    """Time the count of a checkpoint of 700 GB from its headers."""
    folder.mkdir()
    model = "deepseek-v3"
    (folder / "config.json").write_text(json.dumps(catalog.config(model)))
    tensors: list[tuple[str, str, tuple[int, ...], int]] = []
    for name, shape in predicted_names(catalog.architecture(model)).items():
        if len(shape) == 2 and ("_proj" in name or "expert" in name):
            blocks = (-(-shape[0] // 128), -(-shape[1] // 128))
            tensors.append((name, "F8_E4M3", shape, 1))
            tensors.append((f"{name}_scale_inv", "F32", blocks, 4))
        else:
            tensors.append((name, "BF16", shape, 2))
    listed: dict[str, str] = {}
    total = 0
    for number in range(files):
        file = f"model-{number + 1:05d}-of-{files:05d}.safetensors"
        total += _write_holes(folder / file, own := tensors[number::files])
        listed |= {name: file for name, *_ in own}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": listed}))
    took, memory = _run([sys.executable, "-m", "sizebook", "count", str(folder), "--json"])
    what = f"headers of {total / 1e9:.0f} GB, {len(tensors)} tensors"
    print(f"{what:44} {took:8.3f} s, {memory / 2**20:6.0f} MiB, whole process")


def _write_holes(path: Path, tensors: list[tuple[str, str, tuple[int, ...], int]]) -> int:
    header, end = {}, 0
    for name, dtype, shape, width in tensors:
        size = width * math.prod(shape)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [end, end + size]}
        end += size
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)
    return end


def _run(command: list[str], rounds: int = 5) -> tuple[float, int]:
    """Return the median wall time of a command, and its peak memory in bytes measured by a process of its own."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    watcher = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    watched = subprocess.run([sys.executable, "-c", watcher, *command], check=True, capture_output=True, text=True)
    return statistics.median(times), int(watched.stdout) * 1024


if __name__ == "__main__":
    main()
