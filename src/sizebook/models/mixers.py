"""Bricks that mix tokens through a state instead of a cache: Mamba 1 and 2, delta rules, convolutions, RWKV and others.

Their own biases and state vectors count as ``ssm``; only norms inside them count as ``norm``. ``state_elements`` is
what one sequence keeps per layer whatever its length, the last inputs of its convolution over ``conv_channels``
included; ``state_flops`` are the FLOPs a token spends on the recurrence itself (decay, update and read of each state
element), projections apart.
"""

from dataclasses import dataclass

from sizebook.models.architecture import Norm, Use, Weight


def ssm(name: str, *shape: int, use: Use = "matmul") -> Weight:
    """Return a matrix of a mixer."""
    return Weight(name, shape, "ssm", use=use)


def state(name: str, *shape: int) -> Weight:
    """Return a vector of a mixer."""
    return ssm(name, *shape, use="vector")


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
    def conv_channels(self) -> int:
        return self.d_inner

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
            ssm(f"{name}.in_proj.weight", 2 * d_inner, self.d_model),
            ssm(f"{name}.conv1d.weight", d_inner, 1, self.d_conv),
            ssm(f"{name}.x_proj.weight", self.dt_rank + 2 * self.d_state, d_inner),
            ssm(f"{name}.dt_proj.weight", d_inner, self.dt_rank),
            state(f"{name}.dt_proj.bias", d_inner),
            state(f"{name}.A_log", d_inner, self.d_state),
            state(f"{name}.D", d_inner),
            ssm(f"{name}.out_proj.weight", self.d_model, d_inner),
        ]
        if self.conv_bias:
            found.append(state(f"{name}.conv1d.bias", d_inner))
        if self.proj_bias:
            found += [state(f"{name}.in_proj.bias", 2 * d_inner), state(f"{name}.out_proj.bias", self.d_model)]
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
    def conv_channels(self) -> int:
        return self.d_inner + 2 * self.n_groups * self.d_state

    @property
    def state_elements(self) -> int:
        return self.d_inner * self.d_state + self.conv_channels * self.d_conv

    @property
    def state_flops(self) -> int:
        return 6 * self.d_inner * self.d_state

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, d_in = self.name, self.d_inner + self.conv_channels + self.n_heads
        found = [
            ssm(f"{name}.in_proj.weight", d_in, self.d_model),
            ssm(f"{name}.conv1d.weight", self.conv_channels, 1, self.d_conv),
            ssm(f"{name}.out_proj.weight", self.d_model, self.d_inner),
            *(state(f"{name}.{vector}", self.n_heads) for vector in ("dt_bias", "A_log", "D")),
        ]
        if self.conv_bias:
            found.append(state(f"{name}.conv1d.bias", self.conv_channels))
        if self.proj_bias:
            found += [state(f"{name}.in_proj.bias", d_in), state(f"{name}.out_proj.bias", self.d_model)]
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
    def conv_channels(self) -> int:
        return 2 * self._keys + self._values

    @property
    def state_elements(self) -> int:
        return self.n_value_heads * self.d_key * self.d_value + self.conv_channels * self.d_conv

    @property
    def state_flops(self) -> int:
        return 8 * self.n_value_heads * self.d_key * self.d_value

    @property
    def weights(self) -> tuple[Weight, ...]:
        name, d_model, heads = self.name, self.d_model, self.n_value_heads
        found = [
            ssm(f"{name}.q_proj.weight", self._keys, d_model),
            ssm(f"{name}.k_proj.weight", self._keys, d_model),
            ssm(f"{name}.v_proj.weight", self._values, d_model),
            ssm(f"{name}.conv1d.weight", self.conv_channels, 1, self.d_conv),
            ssm(f"{name}.b_proj.weight", heads, d_model),
            state(f"{name}.A_log", heads),
            ssm(f"{name}.o_proj.weight", d_model, self._values),
        ]
        decays = self._keys if self.channel_decay else heads
        found += self._through(f"{name}.decay", decays, self.decay_rank)
        found.append(state(f"{name}.dt_bias", decays))
        found += self._through(f"{name}.gate", self._values, self.gate_rank)
        return (*found, *Norm(f"{name}.norm", self.d_value).weights)

    def _through(self, name: str, d_out: int, rank: int) -> list[Weight]:
        if not rank:
            return [ssm(f"{name}_proj.weight", d_out, self.d_model)]
        return [ssm(f"{name}_a_proj.weight", rank, self.d_model), ssm(f"{name}_b_proj.weight", d_out, rank)]


@dataclass(frozen=True, slots=True)
class ShortConvolution:
    """LFM2's gated short convolution: three streams in, a convolution over ``d_conv`` tokens, one out."""

    d_model: int
    d_conv: int
    bias: bool = False
    name: str = "conv"

    @property
    def conv_channels(self) -> int:
        return self.d_model

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
            ssm(f"{name}.in_proj.weight", 3 * d, d),
            ssm(f"{name}.conv.weight", d, 1, self.d_conv),
            ssm(f"{name}.out_proj.weight", d, d),
        )
        biases = (("in_proj", 3 * d), ("conv", d), ("out_proj", d)) if self.bias else ()
        return (*found, *(state(f"{name}.{n}.bias", width) for n, width in biases))
