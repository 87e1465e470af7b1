# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What jax.export writes of a model, brought to linalg by the StableHLO passes of the bindings; needs jax."""

import functools

import jax
from jax import export
from torch_mlir import ir  # noqa: TID251 - the importer's module, not the bindings
from torch_mlir._mlir_libs import _stablehlo  # noqa: TID251
from torch_mlir.passmanager import PassManager  # noqa: TID251

from . import jax_models

_PIPELINE = "builtin.module(inline,func.func(chlo-legalize-to-stablehlo),stablehlo-legalize-to-linalg,canonicalize,cse)"


def stablehlo_of(name: str) -> str:
    """Return a model as StableHLO, its weights as constants."""
    function, weights, example = jax_models.make(name)
    return export.export(jax.jit(functools.partial(function, weights)))(example).mlir_module()


def text_of(name: str) -> str:
    """Return a model as linalg on tensors, with its weights."""
    _stablehlo.register_stablehlo_passes()
    context = ir.Context()
    _stablehlo.register_dialect(context)
    context.enable_multithreading(False)
    with context:
        module = ir.Module.parse(stablehlo_of(name))
        PassManager.parse(_PIPELINE).run(module.operation)
        return str(module)
