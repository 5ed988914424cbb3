"""Two spellings of one key: the common name that transformers accepts beside a type's own (its ``attribute_map``).

A file may use either. Where it uses both and they disagree, one of them is wrong and nothing says which: such a file is
refused. The published files of Nomic's encoders and of EXAONE 3 have names that transformers does not read.
Left out are pairs that cannot change a count, and DBRX's width and the layers of Switch Transformers, from
which their classes derive other sizes before they hear of the common name.
"""

from __future__ import annotations

from functools import cache, lru_cache

# common name, own name: the types that have both; read from transformers 5.23
_PAIRS = """
hidden_size d_model: bart bigbird_pegasus blenderbot blenderbot-small fsmt funnel led longt5 m2m_100 marian
  mbart mpt mt5 mvp nllb-moe pegasus pegasus_x plbart switch_transformers t5 trocr udop umt5 whisper xglm xlnet
  qwen2_5_omni_audio_encoder qwen2_audio_encoder qwen3_asr_encoder
  qwen3_omni_moe_audio_encoder voxtral_encoder voxtral_realtime_encoder
num_local_experts n_routed_experts: axk1 axk2 deepseek_v3 deepseek_v32 deepseek_v4 dots1 dots3_note_text glm4_moe
  glm4_moe_lite glm4v_moe_text glm_moe_dsa mistral4 hy_v4
  inkling2_text inkling_text longcat_flash mimo_v2_flash nemotron_h solar_open
num_attention_heads encoder_attention_heads: bart bigbird_pegasus blenderbot blenderbot-small fsmt led m2m_100
  marian mbart mvp nllb-moe pegasus pegasus_x plbart whisper
  qwen2_5_omni_audio_encoder qwen2_audio_encoder qwen3_asr_encoder
  qwen3_omni_moe_audio_encoder voxtral_encoder voxtral_realtime_encoder
num_hidden_layers encoder_layers:
  qwen2_5_omni_audio_encoder qwen2_audio_encoder qwen3_asr_encoder
  qwen3_omni_moe_audio_encoder voxtral_encoder voxtral_realtime_encoder
  bart bigbird_pegasus blenderbot blenderbot-small fsmt led m2m_100 marian mbart mvp
  nllb-moe pegasus pegasus_x plbart whisper
intermediate_size encoder_ffn_dim:
  qwen2_5_omni_audio_encoder qwen2_audio_encoder qwen3_asr_encoder
  qwen3_omni_moe_audio_encoder voxtral_encoder voxtral_realtime_encoder
num_attention_heads n_head: bloom codegen ctrl funnel gpt2 gpt_bigcode gptj nomic_bert openai-gpt xlnet
num_experts num_local_experts: gpt_oss kolibri1 mellum minimax minimax_m2 minimax_m3_vl_text mixtral qwen3_moe
  qwen3_vl_moe_text
num_hidden_layers n_layer: bloom codegen ctrl gpt2 gpt_bigcode gptj nomic_bert openai-gpt xlnet
num_hidden_layers num_layers: exaone gpt_neo longt5 mt5 t5 udop umt5 xglm
num_local_experts num_experts: bailing_hybrid flex_olmo hunyuan_v1_moe hy_v3 jamba kimi_linear olmoe
hidden_size n_embd: codegen ctrl gpt2 gpt_bigcode gptj nomic_bert openai-gpt
layer_types layers_block_type: bamba falcon_h1 nemotron_h recurrent_gemma zamba zamba2
max_position_embeddings n_positions: codegen ctrl gpt2 gpt_bigcode gptj nomic_bert openai-gpt
intermediate_size n_inner: nomic_bert
num_attention_heads num_heads: gpt_neo longt5 mt5 switch_transformers t5 udop umt5
num_attention_heads n_heads: dbrx distilbert flaubert mpt xlm
num_hidden_layers n_layers: dbrx distilbert flaubert mpt xlm
head_dim d_kv: longt5 mt5 t5 umt5
num_mtp_layers num_nextn_predict_layers: bailing_hybrid deepseek_v3 glm4_moe mellum
head_dim attention_head_dim: zamba zamba2
hidden_size emb_dim: flaubert xlm
intermediate_size moe_intermediate_size: deepseek_v4 inkling2_text
max_position_embeddings model_max_length: bailing_hybrid kimi_linear
n_shared_experts num_shared_experts: bailing_hybrid kimi_linear
n_words vocab_size: flaubert xlm
num_key_value_heads num_attention_groups: step3p5 step3p7
moe_num_experts n_routed_experts: step3p5 step3p7
num_experts_per_tok moe_top_k: step3p5 step3p7
share_expert_dim share_expert_dims: step3p5 step3p7
tie_word_embeddings tie_embedding: lfm2 lfm2_moe
num_experts_per_tok moe_topk: hunyuan_v1_moe longcat_flash
num_experts_per_tok num_experts_per_token: bailing_hybrid kimi_linear
sconv_kernel_size conv_kernel_size: inkling2_text inkling_text
bias mlp_bias: internlm3
head_dim kv_channels: jetmoe
head_dim qk_rope_head_dim: glm4_moe_lite
hidden_size dim: distilbert
sliding_window attention_window_size: recurrent_gemma
intermediate_size ffn_hidden_size: longcat_flash
layers_block_type layer_types: granitemoehybrid
max_position_embeddings context_length: rwkv
max_position_embeddings max_seq_len: dbrx
moe_intermediate_size expert_ffn_hidden_size: longcat_flash
num_attention_heads attention_heads: hunyuan_vl_vision kosmos_2_5_text_model kosmos_2_text_model mllama_vision_model
  xglm
num_attention_heads num_encoder_attention_heads: prophetnet
num_experts moe_num_experts: ernie4_5_moe ernie4_5_vl_moe_text
num_experts n_routed_experts: deepseek_v2
num_experts_per_tok moe_k: ernie4_5_moe ernie4_5_vl_moe_text
num_key_value_heads encoder_attention_heads: whisper
num_key_value_heads num_attention_heads: voxtral_realtime_encoder
hidden_size hidden_dim: granite_speech_encoder
qkv_bias attention_bias: molmo2_text
head_dim attention_head_dim: hunyuan_vl_text
vocab_size org_vocab_size: hunyuan_vl_text
num_hidden_layers decoder_layers: trocr
num_attention_heads num_heads: pix2struct_text_model
num_hidden_layers num_layers: pix2struct_text_model
num_attention_heads decoder_attention_heads: trocr
hidden_size embed_dim: idefics_vision kosmos_2_5_text_model kosmos_2_text_model
num_hidden_layers layers: kosmos_2_5_text_model kosmos_2_text_model
num_hidden_layers num_layers: granite_speech_encoder
num_attention_heads num_heads: granite_speech_encoder
num_mel_bins input_dim: granite_speech_encoder
qkv_bias attention_bias: internlm3
vocab_size n_token: xlnet
vocab_size tgt_vocab_size: fsmt
vision_feature_layers vision_feature_layer: vipllava
num_hidden_layers depth: ernie4_5_vl_moe_vision exaone4_5_vision glm4v_moe_vision glm4v_vision glm_ocr_vision
  qwen2_5_omni_vision_encoder qwen2_5_vl_vision qwen2_vl_vision qwen3_5_moe_vision qwen3_5_vision
  qwen3_omni_moe_vision_encoder qwen3_vl_moe_vision qwen3_vl_vision
num_attention_heads num_heads: ernie4_5_vl_moe_vision exaone4_5_vision glm4v_moe_vision glm4v_vision glm_ocr_vision
  qwen2_5_omni_vision_encoder qwen2_5_vl_vision qwen2_vl_vision qwen3_5_moe_vision qwen3_5_vision
  qwen3_omni_moe_vision_encoder qwen3_vl_moe_vision qwen3_vl_vision
"""


@cache
def _by_type() -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for line in _PAIRS.replace("\n  ", " ").split("\n"):
        names, _, types = line.partition(": ")
        for model_type in types.split():
            common, own = names.split()
            found[model_type] = (*found.get(model_type, ()), (common, own))
    return found


def spellings(model_type: object) -> tuple[tuple[str, str], ...]:
    """Return the pairs of names of a type that mean one key: the common one, its own."""
    return _by_type().get(model_type, ()) if isinstance(model_type, str) else ()


@lru_cache(maxsize=8192)  # every key of every count asks for it
def also(model_type: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys, behind them the other spellings of each that a type has."""
    more = [other for pair in spellings(model_type) for key, other in (pair, pair[::-1]) if key in keys]
    return tuple(dict.fromkeys((*keys, *more)))
