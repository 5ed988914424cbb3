"""Bricks that mix tokens through a state instead of a cache: Mamba 1 and 2, delta rules, convolutions, RWKV and others.

Their own biases and state vectors count as ``ssm``; only norms inside them count as ``norm``. ``state_elements`` is
what one sequence keeps per layer whatever its length, the convolution's last inputs included; ``state_flops`` are the
FLOPs a token spends on the recurrence itself (decay, update and read of each state element), projections apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from sizebook.models.architecture import Norm, Use, Weight


def _ssm(name: str, *shape: int, use: Use = "matmul") -> Weight:
    return Weight(name, shape, "ssm", use)


def _state(name: str, *shape: int) -> Weight:
    return _ssm(name, *shape, use="vector")


@dataclass(frozen=True, slots=True)
class Mamba1:
    """Selective state space (arXiv:2312.00752); Jamba norms step, input and output of the state."""

    d_model: int
    d_inner: int
    d_state: int
    d_conv: int
    dt_rank: int
    conv_bias: bool = True
    proj_bias: bool = False
    normed: bool = False
    name: str = "mixer"

    @property
    def state_elements(self) -> int:
        return self.d_inner * (self.d_state + self.d_conv)

    @property
    def state_flops(self) -> int:
        return 6 * self.d_inner * self.d_state

    @property
    def weights(self) -> tuple[Weight, ...]:
        d_inner, name = self.d_inner, self.name
        found = [
            _ssm(f"{name}.in_proj.weight", 2 * d_inner, self.d_model),
            _ssm(f"{name}.conv1d.weight", d_inner, 1, self.d_conv),
            _ssm(f"{name}.x_proj.weight", self.dt_rank + 2 * self.d_state, d_inner),
            _ssm(f"{name}.dt_proj.weight", d_inner, self.dt_rank),
            _state(f"{name}.dt_proj.bias", d_inner),
            _state(f"{name}.A_log", d_inner, self.d_state),
            _state(f"{name}.D", d_inner),
            _ssm(f"{name}.out_proj.weight", self.d_model, d_inner),
        ]
        if self.conv_bias:
            found.append(_state(f"{name}.conv1d.bias", d_inner))
        if self.proj_bias:
            found += [_state(f"{name}.in_proj.bias", 2 * d_inner), _state(f"{name}.out_proj.bias", self.d_model)]
        widths = {"dt_layernorm": self.dt_rank, "b_layernorm": self.d_state, "c_layernorm": self.d_state}
        norms = [w for n, width in widths.items() for w in Norm(f"{name}.{n}", width).weights] if self.normed else []
        return (*found, *norms)


@dataclass(frozen=True, slots=True)
class Mamba2:
    """State space with one decay per head (arXiv:2405.21060); its gated norm is as wide as the inner stream."""

    d_model: int
    n_heads: int
    d_head: int
    n_groups: int
    d_state: int
    d_conv: int
    conv_bias: bool = True
    proj_bias: bool = False
    normed: bool = True
    name: str = "mixer"

    @property
    def d_inner(self) -> int:
        return self.n_heads * self.d_head

    @property
    def score_width(self) -> int:
        """A mixer forms no scores over keys."""
        return 0

    @property
    def _d_conv_in(self) -> int:
        return self.d_inner + 2 * self.n_groups * self.d_state

    @property
    def state_elements(self) -> int:
        return self.d_inner * self.d_state + self._d_conv_in * self.d_conv

    @property
    def state_flops(self) -> int:
        return 6 * self.d_inner * self.d_state

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, d_in = self.name, self.d_inner + self._d_conv_in + self.n_heads
        found = [
            _ssm(f"{name}.in_proj.weight", d_in, self.d_model),
            _ssm(f"{name}.conv1d.weight", self._d_conv_in, 1, self.d_conv),
            _ssm(f"{name}.out_proj.weight", self.d_model, self.d_inner),
            *(_state(f"{name}.{vector}", self.n_heads) for vector in ("dt_bias", "A_log", "D")),
        ]
        if self.conv_bias:
            found.append(_state(f"{name}.conv1d.bias", self._d_conv_in))
        if self.proj_bias:
            found += [_state(f"{name}.in_proj.bias", d_in), _state(f"{name}.out_proj.bias", self.d_model)]
        return (*found, *(Norm(f"{name}.norm", self.d_inner).weights if self.normed else ()))


@dataclass(frozen=True, slots=True)
class DeltaNet:
    """Gated delta rule (arXiv:2412.06464), or Kimi's with a decay per channel (arXiv:2510.26692).

    ``channel_decay`` gives each key channel its own decay, from a projection through ``decay_rank`` (0: directly);
    ``gate_rank`` is the rank of the output gate's projection, 0 where it is a full matrix.
    """

    d_model: int
    n_key_heads: int
    n_value_heads: int
    d_key: int
    d_value: int
    d_conv: int
    channel_decay: bool = False
    decay_rank: int = 0
    gate_rank: int = 0
    name: str = "linear_attn"

    @property
    def _keys(self) -> int:
        return self.n_key_heads * self.d_key

    @property
    def _values(self) -> int:
        return self.n_value_heads * self.d_value

    @property
    def state_elements(self) -> int:
        return self.n_value_heads * self.d_key * self.d_value + (2 * self._keys + self._values) * self.d_conv

    @property
    def state_flops(self) -> int:
        return 8 * self.n_value_heads * self.d_key * self.d_value

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, d_model, heads = self.name, self.d_model, self.n_value_heads
        found = [
            _ssm(f"{name}.q_proj.weight", self._keys, d_model),
            _ssm(f"{name}.k_proj.weight", self._keys, d_model),
            _ssm(f"{name}.v_proj.weight", self._values, d_model),
            _ssm(f"{name}.conv1d.weight", 2 * self._keys + self._values, 1, self.d_conv),
            _ssm(f"{name}.b_proj.weight", heads, d_model),
            _state(f"{name}.A_log", heads),
            _ssm(f"{name}.o_proj.weight", d_model, self._values),
        ]
        decays = self._keys if self.channel_decay else heads
        found += self._through(f"{name}.decay", decays, self.decay_rank)
        found.append(_state(f"{name}.dt_bias", decays))
        found += self._through(f"{name}.gate", self._values, self.gate_rank)
        return (*found, *Norm(f"{name}.norm", self.d_value).weights)

    def _through(self, name: str, d_out: int, rank: int) -> list[Weight]:
        if not rank:
            return [_ssm(f"{name}_proj.weight", d_out, self.d_model)]
        return [_ssm(f"{name}_a_proj.weight", rank, self.d_model), _ssm(f"{name}_b_proj.weight", d_out, rank)]


@dataclass(frozen=True, slots=True)
class ShortConvolution:
    """LFM2's gated short convolution: three streams in, a convolution over ``d_conv`` tokens, one out."""

    d_model: int
    d_conv: int
    bias: bool = False
    name: str = "conv"

    @property
    def state_elements(self) -> int:
        return self.d_model * self.d_conv

    @property
    def state_flops(self) -> int:
        return 2 * self.d_model

    @property
    def weights(self) -> tuple[Weight, ...]:
        d, name = self.d_model, self.name
        found = (
            _ssm(f"{name}.in_proj.weight", 3 * d, d),
            _ssm(f"{name}.conv.weight", d, 1, self.d_conv),
            _ssm(f"{name}.out_proj.weight", d, d),
        )
        biases = (("in_proj", 3 * d), ("conv", d), ("out_proj", d)) if self.bias else ()
        return (*found, *(_state(f"{name}.{n}.bias", width) for n, width in biases))


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
            _ssm(f"{name}.qkv_proj.weight", 3 * width, self.d_model),
            _ssm(f"{name}.out_proj.weight", self.d_model, width),
            _ssm(f"{name}.output_gate.weight", width, self.d_model),
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
            *(_ssm(f"{name}.{n}.weight", d_out, d_in) for n, d_out, d_in in streams),
            *(_state(f"{name}.{n}.bias", d_out) for n, d_out, _ in streams),
            _ssm(f"{name}.conv_1d.weight", inner, 1, self.d_conv),
            _state(f"{name}.conv_1d.bias", inner),
            _state(f"{name}.rg_lru.recurrent_param", inner),
            *(_ssm(f"{name}.{gate}_weight", self.n_heads, width, width) for gate in gates),
            *(_state(f"{name}.{gate}_bias", self.n_heads, width) for gate in gates),
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
        time = [_ssm(f"attention.{n}.weight", inner, d) for n in ("key", "value", "receptance")]
        mixes = [f"attention.time_mix_{n}" for n in ("key", "value", "receptance")]
        mixes += [f"feed_forward.time_mix_{n}" for n in ("key", "receptance")]
        return (
            *time,
            _ssm("attention.output.weight", d, inner),
            *(_state(f"attention.{n}", inner) for n in ("time_decay", "time_first")),
            *(_state(n, 1, 1, d) for n in mixes),
            _ssm("feed_forward.key.weight", self.d_ff, d),
            _ssm("feed_forward.receptance.weight", d, d),
            _ssm("feed_forward.value.weight", d, self.d_ff),
        )


@dataclass(frozen=True, slots=True)
class MatrixLstm:
    """xLSTM's matrix memory (arXiv:2405.04517) with gates per head and an output gate."""

    d_model: int
    n_heads: int
    d_qk: int
    d_v: int
    bias: bool = False
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
        found = [_ssm(f"{name}.{n}.weight", width, d) for n, width in rows.items()]
        found += [_ssm(f"{name}.{n}.weight", heads, d) for n in gates] + [
            _state(f"{name}.{n}.bias", heads) for n in gates
        ]
        found.append(_ssm(f"{name}.out_proj.weight", d, self.d_v))
        if self.bias:
            found += [_state(f"{name}.{n}.bias", width) for n, width in (*rows.items(), ("out_proj", d))]
        return (*found, *Norm(f"{name}.multihead_norm", self.d_v).weights)
