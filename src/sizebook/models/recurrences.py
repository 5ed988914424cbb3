"""More bricks with a state: lightning attention, gated recurrence, RWKV, xLSTM; `mixers` says what they report."""

from dataclasses import dataclass

from sizebook.models.architecture import Norm, Weight
from sizebook.models.mixers import ssm, state


@dataclass(frozen=True, slots=True)
class LightningAttention:
    """MiniMax-01's linear attention (arXiv:2501.08313): a key-value state per head, fixed decays, an output gate."""

    d_model: int
    n_heads: int
    d_head: int
    name: str = "self_attn"

    @property
    def state_elements(self) -> int:
        return self.n_heads * self.d_head**2

    @property
    def state_flops(self) -> int:
        return 6 * self.n_heads * self.d_head**2

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, width = self.name, self.n_heads * self.d_head
        return (
            ssm(f"{name}.qkv_proj.weight", 3 * width, self.d_model),
            ssm(f"{name}.out_proj.weight", self.d_model, width),
            ssm(f"{name}.output_gate.weight", width, self.d_model),
            *Norm(f"{name}.norm", width).weights,
        )


@dataclass(frozen=True, slots=True)
class GatedRecurrence:
    """RecurrentGemma's block (arXiv:2402.19427): two streams, a short convolution, a gated linear recurrence."""

    d_model: int
    d_lru: int
    n_heads: int
    d_conv: int
    name: str = "temporal_block"

    @property
    def conv_channels(self) -> int:
        return self.d_lru

    @property
    def state_elements(self) -> int:
        return self.d_lru * (1 + self.d_conv)

    @property
    def state_flops(self) -> int:
        return 6 * self.d_lru

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, d, inner = self.name, self.d_model, self.d_lru
        width = inner // self.n_heads
        streams = [(f"linear_{s}", inner, d) for s in "yx"] + [("linear_out", d, inner)]
        gates = [f"rg_lru.{gate}_gate" for gate in ("input", "recurrent")]
        return (
            *(ssm(f"{name}.{n}.weight", d_out, d_in) for n, d_out, d_in in streams),
            *(state(f"{name}.{n}.bias", d_out) for n, d_out, _ in streams),
            ssm(f"{name}.conv_1d.weight", inner, 1, self.d_conv),
            state(f"{name}.conv_1d.bias", inner),
            state(f"{name}.rg_lru.recurrent_param", inner),
            *(ssm(f"{name}.{gate}_weight", self.n_heads, width, width) for gate in gates),
            *(state(f"{name}.{gate}_bias", self.n_heads, width) for gate in gates),
        )


@dataclass(frozen=True, slots=True)
class Rwkv:
    """RWKV 4's time mixing and channel mixing (arXiv:2305.13048); all of it counts as mixer."""

    d_model: int
    d_attention: int
    d_ff: int

    @property
    def state_elements(self) -> int:
        return 2 * self.d_model + 3 * self.d_attention

    @property
    def state_flops(self) -> int:
        return 8 * self.d_attention

    @property
    def weights(self) -> tuple[Weight, ...]:
        d, inner = self.d_model, self.d_attention
        time = [ssm(f"attention.{n}.weight", inner, d) for n in ("key", "value", "receptance")]
        mixes = [f"attention.time_mix_{n}" for n in ("key", "value", "receptance")]
        mixes += [f"feed_forward.time_mix_{n}" for n in ("key", "receptance")]
        return (
            *time,
            ssm("attention.output.weight", d, inner),
            *(state(f"attention.{n}", inner) for n in ("time_decay", "time_first")),
            *(state(n, 1, 1, d) for n in mixes),
            ssm("feed_forward.key.weight", self.d_ff, d),
            ssm("feed_forward.receptance.weight", d, d),
            ssm("feed_forward.value.weight", d, self.d_ff),
        )


@dataclass(frozen=True, slots=True)
class Rwkv7:
    """RWKV 7's time mixing (arXiv:2503.14456): a delta rule with a decay, a rate and a gate per channel, of low rank.

    ``value_rank`` is 0 in the first layer, whose values the later ones mix in. A sequence keeps a matrix per head and
    the last input of time mixing and of channel mixing; a token's decay, look-up, removal, write and read of that
    matrix are two FLOPs an element each (what is removed and what is written have different keys).
    """

    d_model: int
    d_head: int
    decay_rank: int
    rate_rank: int
    gate_rank: int
    value_rank: int
    name: str = "attn"

    @property
    def state_elements(self) -> int:
        return self.d_model * self.d_head + 2 * self.d_model

    @property
    def state_flops(self) -> int:
        return 10 * self.d_model * self.d_head

    @property
    def weights(self) -> tuple[Weight, ...]:
        d, name = self.d_model, self.name
        ranks = {"w_lora": self.decay_rank, "a_lora": self.rate_rank, "g_lora": self.gate_rank}
        if self.value_rank:
            ranks["v_lora"] = self.value_rank
        vectors = [f"x_{mixed}" for mixed in "rwkvag"] + ["k_k", "k_a"]
        return (
            *(ssm(f"{name}.{n}_proj.weight", d, d) for n in "rkvo"),
            *(ssm(f"{name}.{n}.lora.0.weight", rank, d) for n, rank in ranks.items()),
            *(ssm(f"{name}.{n}.lora.2.weight", d, rank) for n, rank in ranks.items()),
            *(state(f"{name}.{n}.lora.2.bias", d) for n in ranks if n != "g_lora"),
            *(state(f"{name}.{n}", d) for n in vectors),
            state(f"{name}.r_k", d // self.d_head, self.d_head),
            *Norm(f"{name}.g_norm", d, bias=True).weights,
        )


@dataclass(frozen=True, slots=True)
class MatrixLstm:
    """xLSTM's matrix memory (arXiv:2405.04517) with gates per head and an output gate."""

    d_model: int
    n_heads: int
    d_qk: int
    d_v: int
    name: str = "mlstm_layer"

    @property
    def state_elements(self) -> int:
        return self.d_qk * self.d_v // self.n_heads + self.d_qk + self.n_heads

    @property
    def state_flops(self) -> int:
        return 6 * self.d_qk * self.d_v // self.n_heads

    @property
    def weights(self) -> tuple[Weight, ...]:
        d, heads, name = self.d_model, self.n_heads, self.name
        rows = {"q": self.d_qk, "k": self.d_qk, "v": self.d_v, "ogate_preact": self.d_v}
        gates = ("igate_preact", "fgate_preact")
        found = [ssm(f"{name}.{n}.weight", width, d) for n, width in rows.items()]
        found += [ssm(f"{name}.{n}.weight", heads, d) for n in gates] + [
            state(f"{name}.{n}.bias", heads) for n in gates
        ]
        found.append(ssm(f"{name}.out_proj.weight", d, self.d_v))
        return (*found, *Norm(f"{name}.multihead_norm", self.d_v).weights)
