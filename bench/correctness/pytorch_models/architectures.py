# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random models of the architectures of the package transformers, each with inputs."""

from collections.abc import Callable
from typing import Any

import torch
import transformers

TEXT = {"vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
IMAGE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
PATCHES = {**IMAGE, "image_size": 32, "patch_size": 8}
ENDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
BOTH = {
    **{f"{side}_{part}": size for side in ("encoder", "decoder") for part, size in (("layers", 2), ("ffn_dim", 64))},
    **{f"{side}_attention_heads": 4 for side in ("encoder", "decoder")},
    "vocab_size": 99,
    "d_model": 32,
}
PAIRS = {"depths": [2, 2], "num_heads": [2, 4]}
STAGES = {"hidden_sizes": [8, 16, 24, 32], "depths": [1, 1, 2, 1]}
SOUND = {**IMAGE, "conv_dim": [32] * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
SHARED = {**TEXT, "num_key_value_heads": 2}
WIDE = {**SHARED, "head_dim": 8}
EXPERTS = {"num_key_value_heads": 2, "experts_implementation": "batched_mm"}


def words(count: int, known: int = 99) -> torch.Tensor:
    """Return the numbers of some words."""
    return torch.randint(0, known, (1, count))


def image(size: int = 32) -> torch.Tensor:
    """Return an image."""
    return torch.randn(1, 3, size, size)


# Class, class of its configuration, what that is given, and the inputs by name.
Row = tuple[str, str, dict[str, Any], Callable[[], dict[str, torch.Tensor]]]


def of_words(kind: str, config: str, count: int = 16, known: int = 99, **given: Any) -> Row:
    """Return a model that reads words."""
    return kind, config, given, lambda: {"input_ids": words(count, given.get("vocab_size", known))}


def of_image(kind: str, config: str, size: int = 32, **given: Any) -> Row:
    """Return a model of an image."""
    return kind, config, given, lambda: {"pixel_values": image(size)}


def of_both(kind: str, config: str, counts: tuple[int, int] = (16, 8), known: int = 99, **given: Any) -> Row:
    """Return an encoder and a decoder of words."""
    names = ("input_ids", "decoder_input_ids")
    return kind, config, given, lambda: {name: words(count, known) for name, count in zip(names, counts, strict=True)}


def of_sound(kind: str, config: str, count: int = 4000, **given: Any) -> Row:
    """Return a model of a wave."""
    return kind, config, given, lambda: {"input_values": torch.randn(1, count)}


def small(names: dict[str, int], **given: Any) -> dict[str, Any]:
    """Return the sizes of small models under names of their own."""
    return {"vocab_size": 99, **names, **given}


ARCHITECTURES: tuple[Row, ...] = (
    of_words("BertModel", "BertConfig", **TEXT),
    of_words(
        "DistilBertModel", "DistilBertConfig", **small({"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64})
    ),
    of_words("RobertaModel", "RobertaConfig", **TEXT),
    of_words("AlbertModel", "AlbertConfig", embedding_size=16, **TEXT),
    of_words("ElectraModel", "ElectraConfig", embedding_size=16, **TEXT),
    of_words("DebertaV2Model", "DebertaV2Config", relative_attention=True, pos_att_type=["p2c", "c2p"], **TEXT),
    of_words("MPNetModel", "MPNetConfig", **TEXT),
    of_words("ModernBertModel", "ModernBertConfig", pad_token_id=0, **TEXT),
    of_words(
        "SqueezeBertModel",
        "SqueezeBertConfig",
        embedding_size=32,
        **{f"{part}_groups": 2 for part in ("q", "k", "v", "intermediate", "output")},
        post_attention_groups=1,
        **TEXT,
    ),
    of_words(
        "FunnelModel",
        "FunnelConfig",
        **small({"num_decoder_layers": 1, "d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 64}, block_sizes=[1, 1]),
    ),
    of_words(
        "FNetModel",
        "FNetConfig",
        **small({"hidden_size": 32, "num_hidden_layers": 2, "intermediate_size": 64}),
        use_tpu_fourier_optimizations=True,
        tpu_short_seq_length=16,
    ),
    of_words("LongformerModel", "LongformerConfig", attention_window=8, max_position_embeddings=64, **TEXT),
    of_words("GPT2LMHeadModel", "GPT2Config", **small({"n_embd": 32, "n_layer": 2, "n_head": 4})),
    of_words(
        "GPTNeoForCausalLM",
        "GPTNeoConfig",
        attention_types=[[["global", "local"], 1]],
        **small({"hidden_size": 32, "num_layers": 2, "num_heads": 4}),
    ),
    of_words("GPTNeoXForCausalLM", "GPTNeoXConfig", **TEXT),
    of_words(
        "OPTForCausalLM",
        "OPTConfig",
        **small({"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64}),
        word_embed_proj_dim=32,
    ),
    of_words("BloomForCausalLM", "BloomConfig", **small({"hidden_size": 32, "n_layer": 2, "n_head": 4})),
    of_words("LlamaForCausalLM", "LlamaConfig", **SHARED),
    of_words("MistralForCausalLM", "MistralConfig", sliding_window=8, **SHARED),
    of_words("Qwen2ForCausalLM", "Qwen2Config", **SHARED),
    of_words("Qwen3ForCausalLM", "Qwen3Config", **WIDE),
    of_words("Gemma2ForCausalLM", "Gemma2Config", **WIDE),
    of_words("Gemma3ForCausalLM", "Gemma3TextConfig", **WIDE),
    of_words("PhiForCausalLM", "PhiConfig", **TEXT),
    of_words("Phi3ForCausalLM", "Phi3Config", **SHARED, **ENDS),
    of_words(
        "FalconForCausalLM", "FalconConfig", vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4
    ),
    of_words("GraniteForCausalLM", "GraniteConfig", **SHARED),
    of_words("Olmo2ForCausalLM", "Olmo2Config", **SHARED),
    of_words("StableLmForCausalLM", "StableLmConfig", **SHARED),
    of_words("SmolLM3ForCausalLM", "SmolLM3Config", **SHARED, **ENDS),
    of_words("MixtralForCausalLM", "MixtralConfig", num_local_experts=4, **TEXT, **EXPERTS),
    of_words(
        "Qwen3MoeForCausalLM",
        "Qwen3MoeConfig",
        head_dim=8,
        num_experts=4,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        **TEXT,
        **EXPERTS,
    ),
    of_words("GptOssForCausalLM", "GptOssConfig", head_dim=8, num_local_experts=4, sliding_window=8, **TEXT, **EXPERTS),
    of_words(
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        n_routed_experts=4,
        num_experts_per_tok=2,
        n_group=2,
        topk_group=1,
        first_k_dense_replace=1,
        q_lora_rank=16,
        kv_lora_rank=16,
        qk_rope_head_dim=8,
        qk_nope_head_dim=8,
        v_head_dim=8,
        **{**TEXT, **EXPERTS, "num_key_value_heads": 4, "moe_intermediate_size": 16},
    ),
    of_words("MambaForCausalLM", "MambaConfig", **small({"hidden_size": 32, "state_size": 8, "num_hidden_layers": 2})),
    of_words(
        "Mamba2ForCausalLM",
        "Mamba2Config",
        **small({"hidden_size": 32, "state_size": 8, "num_hidden_layers": 2}),
        num_heads=8,
        head_dim=8,
        n_groups=2,
        chunk_size=8,
    ),
    of_words(
        "RwkvModel", "RwkvConfig", **small({"hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32})
    ),
    of_both(
        "T5ForConditionalGeneration",
        "T5Config",
        **small({"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}),
    ),
    of_both("BartModel", "BartConfig", **BOTH),
    (
        "WhisperModel",
        "WhisperConfig",
        {**BOTH, **ENDS, "num_mel_bins": 16, "max_source_positions": 32, "decoder_start_token_id": 1},
        lambda: {"input_features": torch.randn(1, 16, 64), "decoder_input_ids": words(8)},
    ),
    (
        "Speech2TextModel",
        "Speech2TextConfig",
        {**BOTH, "input_feat_per_channel": 16, "max_source_positions": 64, "conv_channels": 16},
        lambda: {"input_features": torch.randn(1, 64, 16), "decoder_input_ids": words(8)},
    ),
    of_sound("Wav2Vec2Model", "Wav2Vec2Config", **SOUND),
    of_sound("HubertModel", "HubertConfig", **SOUND),
    of_image("ViTModel", "ViTConfig", **PATCHES),
    of_image("DeiTModel", "DeiTConfig", **PATCHES),
    of_image("BeitModel", "BeitConfig", use_relative_position_bias=True, **PATCHES),
    of_image("ViTMSNModel", "ViTMSNConfig", **PATCHES),
    of_image("SiglipVisionModel", "SiglipVisionConfig", **PATCHES),
    of_image("Dinov2Model", "Dinov2Config", **PATCHES),
    *(
        of_image(f"{kind}Model", f"{kind}Config", image_size=32, patch_size=2, embed_dim=16, window_size=4, **PAIRS)
        for kind in ("Swin", "Swinv2")
    ),
    of_image("ConvNextModel", "ConvNextConfig", 64, **STAGES),
    of_image("ConvNextV2Model", "ConvNextV2Config", 64, **STAGES),
    of_image("ResNetModel", "ResNetConfig", 64, embedding_size=8, **{**STAGES, "hidden_sizes": [16, 16, 24, 32]}),
    of_image(
        "RegNetModel",
        "RegNetConfig",
        64,
        embedding_size=8,
        groups_width=8,
        **{**STAGES, "hidden_sizes": [16, 16, 24, 32]},
    ),
    of_image("MobileNetV1Model", "MobileNetV1Config", 64, image_size=64, depth_multiplier=0.25),
    of_image("MobileNetV2Model", "MobileNetV2Config", 64, image_size=64, depth_multiplier=0.35),
    of_image(
        "EfficientNetModel",
        "EfficientNetConfig",
        64,
        image_size=64,
        width_coefficient=0.25,
        depth_coefficient=0.3,
        hidden_dim=320,
    ),
    of_image(
        "MobileViTModel",
        "MobileViTConfig",
        64,
        image_size=64,
        hidden_sizes=[16, 24, 32],
        neck_hidden_sizes=[8, 8, 16, 16, 24, 32, 64],
    ),
    of_image(
        "SegformerForSemanticSegmentation",
        "SegformerConfig",
        64,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        decoder_hidden_size=16,
        num_attention_heads=[1, 2, 2, 4],
    ),
    of_image(
        "PvtModel",
        "PvtConfig",
        64,
        image_size=64,
        hidden_sizes=[8, 16, 24, 32],
        depths=[1, 1, 1, 1],
        num_attention_heads=[1, 2, 2, 4],
    ),
    of_image(
        "LevitModel",
        "LevitConfig",
        64,
        image_size=64,
        hidden_sizes=[32, 48, 64],
        depths=[1, 1, 1],
        num_attention_heads=[2, 3, 4],
        key_dim=[8, 8, 8],
    ),
    of_image("PoolFormerModel", "PoolFormerConfig", 64, hidden_sizes=[8, 16, 24, 32], depths=[1, 1, 1, 1]),
    of_image(
        "SamVisionModel",
        "SamVisionConfig",
        64,
        image_size=64,
        patch_size=8,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        output_channels=16,
        window_size=4,
        global_attn_indexes=[1],
        mlp_dim=64,
    ),
    of_image(
        "DPTForDepthEstimation",
        "DPTConfig",
        **{**PATCHES, "num_hidden_layers": 4},
        is_hybrid=False,
        backbone_out_indices=[0, 1, 2, 3],
        neck_hidden_sizes=[8, 16, 16, 16],
        fusion_hidden_size=16,
    ),
)
"""Models whose configurations are numbers."""


class Named(torch.nn.Module):
    """A model whose arguments are in order and whose result is its first tensor."""

    def __init__(self, model: torch.nn.Module, names: tuple[str, ...], **options: Any) -> None:
        super().__init__()
        self.model, self.names, self.options = model, names, options

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the first tensor."""
        found = self.model(**dict(zip(self.names, inputs, strict=True)), **self.options).to_tuple()
        return next(one for one in found if isinstance(one, torch.Tensor))


def make(row: Row) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return a model with its weights, and inputs; equal each time."""
    torch.manual_seed(0)
    kind, config, given, inputs = row
    model = getattr(transformers, kind)(getattr(transformers, config)(**given)).eval()
    named = inputs()
    has_cache = "LM" in kind or kind == "RwkvModel" or "decoder_input_ids" in named
    return Named(model, tuple(named), **({"use_cache": False} if has_cache else {})), tuple(named.values())
