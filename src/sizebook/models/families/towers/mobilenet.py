"""MobileNet V5, the convolutional vision encoder of Gemma 3n (timm's ``mobilenetv5_300m_enc``).

No key of a config changes it: its widths stand here, as timm 1.0.31 builds them (294,126,912 parameters).
"""

from sizebook.models.architecture import Brick, Norm, Tensors
from sizebook.models.families.blocks import linear, vector
from sizebook.models.towers import Tower

D_OUT = 2048  # width of what the fusion of scales gives


def mobilenet_v5(projector: tuple[Brick, ...]) -> Tower:
    """Return the tower: a convolution, four stages each of half the resolution, the last two fused."""
    stem: tuple[Brick, ...] = (
        linear("conv_stem", 27, 64),
        Norm("conv_stem.bn", 64),
        *_fused(64, 256, 128),
        *_fused(128, 512, 128) * 2,
        *_inverted(128, 768, 256, before=3, between=5),
        *(brick for kernel in (5, 3, 5, 3) for brick in _inverted(256, 1024, 256, before=kernel)),
        *_inverted(256, 1536, 640, before=5, between=5),
        *_inverted(640, 2560, 640, before=5) * 7,
        *_inverted(640, 640, 640),
        *(*_attention(640, 12, 64, reduced=True), *_inverted(640, 1280, 640)) * 14,
        *_inverted(640, 3840, 1280, before=5, between=5),
        *(*_attention(1280, 16, 96), *_inverted(1280, 2560, 1280)) * 19,
        *_pointwise("msfa", 640 + 1280, 3840, D_OUT),
        Norm("msfa.norm", D_OUT),
    )
    return Tower("vision", D_OUT, 0, stem=stem, layer=(), projector=projector)


def _pointwise(name: str, d_in: int, inner: int, d_out: int) -> tuple[Brick, ...]:
    expand, project = (
        linear(f"{name}.pw_exp", d_in, inner, bias=False),
        linear(f"{name}.pw_proj", inner, d_out, bias=False),
    )
    return expand, Norm(f"{name}.pw_exp.bn", inner), project, Norm(f"{name}.pw_proj.bn", d_out)


def _fused(d_in: int, inner: int, d_out: int) -> tuple[Brick, ...]:
    """Return a block whose first convolution of 3 x 3 widens."""
    return _pointwise("fused", 9 * d_in, inner, d_out)


def _inverted(d_in: int, inner: int, d_out: int, *, before: int = 0, between: int = 0) -> tuple[Brick, ...]:
    """Return a universal inverted bottleneck (arXiv:2404.10518), with a depthwise kernel before or in it."""
    depthwise = [(width, kernel) for width, kernel in ((d_in, before), (inner, between)) if kernel]
    kernels = tuple(vector("depthwise", width, 1, kernel, kernel) for width, kernel in depthwise)
    norms = (Norm("depthwise.bn", width) for width, _ in depthwise)
    scale = Tensors((*kernels, vector("layer_scale", d_out)))
    return (*_pointwise("inverted", d_in, inner, d_out), *norms, scale)


def _attention(d_model: int, n_heads: int, d_head: int, *, reduced: bool = False) -> tuple[Brick, ...]:
    """Return multi-query attention over positions, whose keys and values a kernel of 3 x 3 may thin out."""
    sides = ("key", "value")
    matrices = [linear(f"attn.{side}", d_model, d_head, bias=False) for side in sides]
    down = tuple(vector(f"attn.{side}.down_conv", d_model, 1, 3, 3) for side in sides) if reduced else ()
    norms = [Norm(f"attn.{side}.norm", d_model) for side in sides] if reduced else []
    return (
        Norm("norm", d_model),
        linear("attn.query", d_model, n_heads * d_head, bias=False),
        *matrices,
        linear("attn.output", n_heads * d_head, d_model, bias=False),
        *norms,
        Tensors((*down, vector("layer_scale", d_model))),
    )
