"""BLT, the byte latent transformer: small stacks over bytes around a large one over patches of bytes."""

from sizebook.core.texts import text as remark
from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm, Projection
from sizebook.models.config import Config
from sizebook.models.families.blocks import block, layers_of
from sizebook.models.huggingface import model_type

NOTE = remark("the layers over patches run once a patch, not once a byte: FLOPs per byte are lower than those counted")


@model_type("blt")
def blt(config: Config) -> Architecture:
    """BLT (arXiv:2412.09871): a byte encoder and decoder that attend to patches, and a model that finds the patches."""
    encoder, decoder = config.section("encoder_config"), config.section("decoder_config")
    latent, vocab = config.section("global_config"), config.integer("vocab_size")
    d_encoder, d_decoder, d_latent = (part.integer("hidden_size") for part in (encoder, decoder, latent))
    per_patch = config.integer("cross_attn_k")
    groups = config.integers("encoder_hash_byte_group_size", default=[3, 4, 5, 6, 7, 8])
    if not groups:
        raise config.unknown("encoder_hash_byte_group_size", groups, "one or more: none gives the default")
    hashes = len(groups)
    hashes *= config.integer("encoder_hash_byte_group_nb_functions")
    rows = hashes * config.integer("encoder_hash_byte_group_vocab")
    widened = [_to_patches("local_encoder", encoder, d_encoder)]
    widened.append(_to_patches("local_decoder", decoder, decoder.integer("hidden_size_global")))
    if d_encoder * per_patch != d_latent:
        widened.append(Projection("token_embedding_projection", d_encoder * per_patch, d_latent, bias=False))
    tied = config.flag("tie_word_embeddings", default=False)
    if tied and (d_encoder, encoder.integer("vocab_size")) != (d_decoder, vocab):
        raise config.unknown("tie_word_embeddings", True, "false: the head and the embedding of bytes differ in size")
    bytes_in = Embedding("local_encoder.embed_tokens", encoder.integer("vocab_size"), d_encoder)
    return Architecture(
        model_type="blt",
        d_model=d_decoder,
        vocab=vocab,
        n_ctx=config.integer("max_position_embeddings", default=0) or None,
        inputs=(bytes_in, Embedding("encoder_hash_tok_embedding", rows, d_encoder), *widened),
        layers=(*_patcher(config), *_layers(encoder, last=True), *_layers(latent), *_layers(decoder, last=False)),
        outputs=(Norm("norm", d_decoder),),
        head=Head(vocab, d_decoder, tied=tied),
        notes=(NOTE,),
    )


def _layers(part: Config, *, last: bool | None = None) -> tuple[Layer, ...]:
    """Return the layers of one stack; in an encoder the last attends to patches, in a decoder the first, or all do."""
    part.ignore("head_dim", "encoder_cross_output_size", "vocab_size", "hidden_size_global")
    d_model, n_heads = part.integer("hidden_size"), part.integer("num_attention_heads")
    width = part.divides("hidden_size", d_model, "num_attention_heads", n_heads)
    kv_heads = part.size("num_key_value_heads") or n_heads
    part.divides("num_attention_heads", n_heads, "num_key_value_heads", kv_heads)
    window = part.window("sliding_window")
    itself = Attention(d_model, n_heads, kv_heads, d_head=width, window=window)
    norms = (d_model, d_model)
    patches = Attention(d_model, n_heads, kv_heads, d_head=width, cross=True, qk_norm=norms, name="cross_attn")
    d_ff = part.size("intermediate_size") or int(8 * d_model / 3)
    plain = block(d_model, itself, FeedForward(d_model, d_ff, gated=True))
    n_layers = part.integer("num_hidden_layers")
    if n_layers == 0:
        raise part.unknown("num_hidden_layers", 0, "1 or more in each stack")
    everywhere = last is not None and part.flag("cross_attn_all_layers")
    chosen = {None: -1, True: n_layers - 1, False: 0}[last]
    kinds = [everywhere or i == chosen for i in range(n_layers)]
    return layers_of(kinds, lambda attends: Layer((*plain.bricks, patches)) if attends else plain)


def _to_patches(name: str, part: Config, d_in: int) -> Projection:
    """Return the projection that gives each patch several vectors of a byte's width."""
    d_out = part.integer("hidden_size") * part.integer("cross_attn_k", default=2)
    return Projection(f"{name}.patch_embedding_projection", d_in, d_out, bias=False)


def _patcher(config: Config) -> tuple[Layer, ...]:
    """Return the small model over bytes whose uncertainty ends a patch; a first layer holds its tables."""
    part = config.section("patcher_config")
    if not config.flag("patch_in_forward", default=True):
        part.ignore(*part.values)
        return ()
    d_model, vocab = part.integer("hidden_size"), part.integer("vocab_size")
    head = Projection("patcher.lm_head", d_model, vocab, bias=False)
    return (
        *_layers(part),
        Layer((Embedding("patcher.embed_tokens", vocab, d_model), Norm("patcher.norm", d_model), head)),
    )
