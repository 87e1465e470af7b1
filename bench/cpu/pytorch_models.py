# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times models of the package transformers on this machine beside PyTorch; needs torch and transformers.

    python bench/cpu/pytorch_models.py [NAME ...] [--threads 1,2] [--rounds 10] [--inductor] [-o RESULTS.json]

Each is of its published size, with random weights, exported by torch.export and imported; language models read 128
tokens, `smollm step` one, beside a cache of 1024 that transformers' own recipe exports. Ours and PyTorch's eager mode,
and with `--inductor` torch.compile, run by turns in one process, which is one for each model and number of threads.
Results are compared first. Times are of the wall, the least and the median of all rounds.
"""

import argparse
import contextlib
import json
import logging
import os
import statistics
import subprocess
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

TOLERANCE = 1e-3
"""Of the largest result: by how much results of f32 may differ."""

STEPS = 1024


class Named(torch.nn.Module):
    """A model whose arguments are in order and whose result is its first tensor."""

    def __init__(self, model: torch.nn.Module, names: tuple[str, ...], **options: Any) -> None:
        super().__init__()
        self.model, self.names, self.options = model, names, options

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        """Return the first tensor."""
        found = self.model(**dict(zip(self.names, inputs, strict=True)), **self.options).to_tuple()
        return next(one for one in found if isinstance(one, torch.Tensor))


def words(count: int, known: int) -> torch.Tensor:
    """Return the numbers of some words."""
    return torch.randint(0, known, (1, count))


def language(kind: str, config: Any, count: int = 128) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return a decoder that reads words."""
    model = getattr(transformers, kind)(config).eval()
    return Named(model, ("input_ids",), use_cache=False), (words(count, config.vocab_size),)


def vision(kind: str, config: Any, size: int = 224) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return a model of images."""
    return Named(getattr(transformers, kind)(config).eval(), ("pixel_values",)), (torch.randn(1, 3, size, size),)


def pair(kind: str, config: Any, first: torch.Tensor, name: str) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return an encoder with a decoder that has read 16 words."""
    model = getattr(transformers, kind)(config).eval()
    return Named(model, (name, "decoder_input_ids"), use_cache=False), (first, words(16, config.vocab_size))


def encoder(kind: str, config: Any, name: str, given: torch.Tensor) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return a model of one input."""
    return Named(getattr(transformers, kind)(config).eval(), (name,)), (given,)


def smollm() -> Any:
    """Return the sizes of SmolLM-135M."""
    sizes = {"hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3}
    return transformers.LlamaConfig(vocab_size=49152, intermediate_size=1536, tie_word_embeddings=True, **sizes)


STEP = "smollm step"
MODELS: dict[str, Callable[[], tuple[torch.nn.Module, tuple[torch.Tensor, ...]]]] = {
    "distilbert": lambda: encoder("DistilBertModel", transformers.DistilBertConfig(), "input_ids", words(128, 30522)),
    "gpt2": lambda: language("GPT2LMHeadModel", transformers.GPT2Config()),
    "smollm": lambda: language("LlamaForCausalLM", smollm()),
    "t5-small": lambda: pair(
        "T5ForConditionalGeneration", transformers.T5Config(use_cache=False), words(64, 32128), "input_ids"
    ),
    "whisper-tiny": lambda: pair(
        "WhisperModel", transformers.WhisperConfig(), torch.randn(1, 80, 3000), "input_features"
    ),
    "wav2vec2-base": lambda: encoder(
        "Wav2Vec2Model", transformers.Wav2Vec2Config(), "input_values", torch.randn(1, 16000)
    ),
    "vit-base": lambda: vision("ViTModel", transformers.ViTConfig()),
    "swin-tiny": lambda: vision("SwinModel", transformers.SwinConfig()),
    "convnext-tiny": lambda: vision("ConvNextModel", transformers.ConvNextConfig()),
    "levit-128s": lambda: vision("LevitModel", transformers.LevitConfig()),
    "segformer-b0": lambda: vision("SegformerForSemanticSegmentation", transformers.SegformerConfig(), 256),
    "resnet50": lambda: vision("ResNetModel", transformers.ResNetConfig()),
    "regnet": lambda: vision("RegNetModel", transformers.RegNetConfig()),
    "mobilenet_v2": lambda: vision("MobileNetV2Model", transformers.MobileNetV2Config()),
}


def with_cache() -> tuple[Any, Callable[[int], torch.Tensor]]:
    """Return a step of a decoder with its cache as transformers export it, and what eager mode runs it by."""
    from transformers.integrations.executorch import convert_and_export_with_cache

    model = transformers.LlamaForCausalLM(smollm()).eval()
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


def measured(name: str, threads: int, rounds: int, *, inductor: bool) -> dict[str, Any]:
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
        eager, inputs = MODELS[name]()
        program = torch.export.export(eager, inputs, strict=False)
    start = time.perf_counter()
    imported = import_model(program)
    middle = time.perf_counter()
    artifact = roller_mlir.compile(imported, target="host", cache=False)
    seconds = {"import_s": middle - start, "compile_s": time.perf_counter() - middle}
    loaded = artifact.open(threads=threads)
    runs: dict[str, Callable[[int], Any]] = {}
    if step is None:
        arrays = [one.numpy() for one in inputs]
        runs["ours"] = lambda _: loaded(*arrays)[0]
        runs["eager"] = lambda _: eager(*inputs)
    else:
        states = [list(imported.state.values()), [np.zeros_like(one) for one in imported.state.values()]]
        logits = np.zeros((1, 1, smollm().vocab_size), np.float32)

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
        found = {one: np.array(run(0)) for one, run in runs.items()}
        error = max(float(np.abs(one - found["ours"]).max()) for one in found.values()) / float(
            np.abs(found["eager"]).max()
        )
        if not error <= TOLERANCE:
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
    parser.add_argument("--inductor", action="store_true", help="torch.compile, too, which compiles for minutes")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the times as JSON")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if unknown := sorted(set(asked.names) - {*MODELS, STEP}):
        parser.error(f"no model is called {unknown[0]!r}")
    if asked.one is not None:
        with contextlib.redirect_stdout(sys.stderr):
            record = measured(asked.names[0], asked.one, asked.rounds, inductor=asked.inductor)
        print(json.dumps(record))
        return
    records: list[dict[str, Any]] = []
    print(
        "| model | threads | kernels | ours, ms | eager | over ours | inductor | over ours | import, s | compile, s |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in asked.names or [*MODELS, STEP]:
        for threads in asked.threads.split(","):
            command = [sys.executable, __file__, name, "--one", threads, "--rounds", str(asked.rounds)]
            command += ["--inductor"] * asked.inductor
            environment = {**os.environ, "OMP_NUM_THREADS": threads, "ROLLER_NUM_THREADS": threads}
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, env=environment)
            if done.returncode:
                sys.exit(done.returncode)
            records.append(json.loads(done.stdout))
            print(row(records[-1]), flush=True)
            if asked.output:
                Path(asked.output).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
