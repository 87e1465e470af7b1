# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models of the package transformers on this machine beside PyTorch; needs torch and transformers.

    python bench/cpu/pytorch_models.py [NAME ...] [--threads 1,2] [--rounds 10] [--bf16] [--inductor] [-o RESULTS.json]

Each is of its published size, with random weights, exported by torch.export and imported; language models read 128
tokens, `smollm step` one, beside a cache of 1024 that transformers' own recipe exports. Ours and PyTorch's eager mode,
and with `--inductor` torch.compile, run by turns in one process, which is one for each model and number of threads.
With `--bf16` parameters, images and sounds are bf16. Results are compared first. Times are of the wall, the least and
the median of all rounds.
"""

import argparse
import contextlib
import json
import logging
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

import roller_mlir
from roller_mlir.importers.torch import import_model

sys.path.insert(0, str(Path(__file__).parents[1] / "correctness" / "pytorch_models"))
from architectures import Row, make, of_both, of_image, of_sound, of_words, words
from models import each_alone

TOLERANCE = 1e-3
"""Of the largest result: by how much results of f32 may differ."""
TOLERANCE_BF16 = 5e-2
"""The same of bf16, where each layer rounds to 8 bits."""

STEPS = 1024


SMOLLM = {
    "vocab_size": 49152,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "tie_word_embeddings": True,
}
"""The sizes of SmolLM-135M."""

STEP = "smollm step"
MODELS: dict[str, Row] = {
    "distilbert": of_words("DistilBertModel", "DistilBertConfig", 128, 30522),
    "gpt2": of_words("GPT2LMHeadModel", "GPT2Config", 128, 50257),
    "smollm": of_words("LlamaForCausalLM", "LlamaConfig", 128, **SMOLLM),
    "t5-small": of_both("T5ForConditionalGeneration", "T5Config", (64, 16), 32128, use_cache=False),
    "whisper-tiny": (
        "WhisperModel",
        "WhisperConfig",
        {},
        lambda: {"input_features": torch.randn(1, 80, 3000), "decoder_input_ids": words(16, 51865)},
    ),
    "wav2vec2-base": of_sound("Wav2Vec2Model", "Wav2Vec2Config", 16000),
    "vit-base": of_image("ViTModel", "ViTConfig", 224),
    "swin-tiny": of_image("SwinModel", "SwinConfig", 224),
    "convnext-tiny": of_image("ConvNextModel", "ConvNextConfig", 224),
    "levit-128s": of_image("LevitModel", "LevitConfig", 224),
    "segformer-b0": of_image("SegformerForSemanticSegmentation", "SegformerConfig", 256),
    "resnet50": of_image("ResNetModel", "ResNetConfig", 224),
    "regnet": of_image("RegNetModel", "RegNetConfig", 224),
    "mobilenet_v2": of_image("MobileNetV2Model", "MobileNetV2Config", 224),
}


def with_cache() -> tuple[Any, Callable[[int], torch.Tensor]]:
    """Return a step of a decoder with its cache as transformers export it, and what eager mode runs it by."""
    from transformers.integrations.executorch import convert_and_export_with_cache

    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMOLLM)).eval()
    options = {"batch_size": 1, "max_cache_len": STEPS}
    model.generation_config = transformers.GenerationConfig(
        use_cache=True, cache_implementation="static", max_length=STEPS, cache_config=options
    )
    program = convert_and_export_with_cache(model, torch.tensor([[3]]), torch.tensor([0]))
    cache = transformers.StaticCache(config=model.config, max_cache_len=STEPS)

    def step(number: int) -> torch.Tensor:
        place = torch.tensor([number])
        return model(torch.tensor([[7]]), past_key_values=cache, cache_position=place).logits

    return program, step


def array(tensor: torch.Tensor) -> Any:
    """Return a tensor's array, whose elements are the bits of bf16 where it is of that."""
    return tensor.view(torch.uint16).numpy() if tensor.dtype == torch.bfloat16 else tensor.numpy()


def numbers(value: Any) -> Any:
    """Return a result's numbers in f32, of bits of bf16, too."""
    if isinstance(value, torch.Tensor):
        return value.float().numpy()
    found = np.array(value)
    return found if found.itemsize > 2 else (found.view(np.uint16).astype(np.uint32) << 16).view(np.float32)


def measured(name: str, threads: int, rounds: int, *, inductor: bool, bf16: bool) -> dict[str, Any]:
    """Return the times of one model."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    torch.set_num_threads(threads)
    step: Callable[[int], torch.Tensor] | None = None
    eager: Any = None
    inputs: tuple[torch.Tensor, ...] = ()
    if name == STEP:
        program, step = with_cache()
    else:
        eager, inputs = make(MODELS[name])
        if bf16:
            eager = eager.to(torch.bfloat16)
            inputs = tuple(one.to(torch.bfloat16) if one.is_floating_point() else one for one in inputs)
        program = torch.export.export(eager, inputs, strict=False)
    start = time.perf_counter()
    imported = import_model(program)
    middle = time.perf_counter()
    artifact = roller_mlir.compile(imported, target="host", cache=False)
    seconds = {"import_s": middle - start, "compile_s": time.perf_counter() - middle}
    loaded = artifact.open(threads=threads)
    runs: dict[str, Callable[[int], Any]] = {}
    if step is None:
        arrays = [array(one) for one in inputs]
        runs["ours"] = lambda _: loaded(*arrays)[0]
        runs["eager"] = lambda _: eager(*inputs)
    else:
        states = [list(imported.state.values()), [np.zeros_like(one) for one in imported.state.values()]]
        logits = np.zeros((1, 1, SMOLLM["vocab_size"]), np.float32)

        def ours(number: int) -> Any:
            loaded(np.array([[7]]), np.array([number]), *states[0], outputs=[logits, *states[1]])
            states.reverse()
            return logits

        runs.update(ours=ours, eager=step)
    if inductor and step is None:
        compiled: Any = torch.compile(eager)
        runs["inductor"] = lambda _: compiled(*inputs)
    times: dict[str, list[float]] = {one: [] for one in runs}
    with torch.no_grad():
        found = {one: numbers(run(0)) for one, run in runs.items()}
        error = max(float(np.abs(one - found["ours"]).max()) for one in found.values()) / float(
            np.abs(found["eager"]).max()
        )
        if not error <= (TOLERANCE_BF16 if bf16 else TOLERANCE):
            sys.exit(f"{name}: results differ by {error:.1e} of the largest")
        for number in range(1, rounds + 1):
            for one, run in runs.items():
                begin = time.perf_counter()
                run(number)
                times[one].append(time.perf_counter() - begin)
    sums = {f"{one}_s": {"least": min(all_), "median": statistics.median(all_)} for one, all_ in times.items()}
    return (
        {"model": name, "threads": threads, "kernels": len(artifact.manifest.launches), "error": error} | seconds | sums
    )


def row(record: dict[str, Any]) -> str:
    """Return a line of the table."""
    ours = 1e3 * record["ours_s"]["least"]
    cells = [record["model"], str(record["threads"]), str(record["kernels"]), f"{ours:.2f}"]
    for name in ("eager", "inductor"):
        other = 1e3 * record[f"{name}_s"]["least"] if f"{name}_s" in record else None
        cells += ["", ""] if other is None else [f"{other:.2f}", f"{other / ours:.2f}"]
    cells += [f"{record[one]:.1f}" for one in ("import_s", "compile_s")]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Time each model in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*MODELS, STEP])} (all)")
    parser.add_argument("--threads", default="1", help="numbers of threads (1)")
    parser.add_argument("--rounds", type=int, default=10, help="times that each runs (10)")
    parser.add_argument("--bf16", action="store_true", help="models of bf16")
    parser.add_argument("--inductor", action="store_true", help="torch.compile, too, which compiles for minutes")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the times as JSON")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    names = [*MODELS] if asked.bf16 else [*MODELS, STEP]
    if unknown := sorted(set(asked.names).difference(names)):
        parser.error(f"no model{' of bf16' if asked.bf16 else ''} is called {unknown[0]!r}")
    if asked.one is not None:
        with contextlib.redirect_stdout(sys.stderr):
            record = measured(asked.names[0], asked.one, asked.rounds, inductor=asked.inductor, bf16=asked.bf16)
        print(json.dumps(record))
        return
    print(
        "| model | threads | kernels | ours, ms | eager | over ours | inductor | over ours | import, s | compile, s |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    each_alone(__file__, asked.names or names, asked, row)


if __name__ == "__main__":
    main()
