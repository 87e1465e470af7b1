# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many kernels go through upstream's passes a few at a time; their code is that of kernels that go together."""

import pytest

import roller_mlir
from roller_mlir.lowering.backend.kernels import module

SIZES = (64, 128, 192)


def exponentials_of_products() -> str:
    """Return a function of kernels that use library functions and workgroup memory."""
    arguments = ", ".join(f"%a{n}: tensor<{n}x128xf32>, %b{n}: tensor<128x{n}xf32>" for n in SIZES)
    results = ", ".join(f"tensor<{n}x{n}xf32>" for n in SIZES)
    body = "".join(
        f"""
          %e{n} = tensor.empty() : tensor<{n}x{n}xf32>
          %f{n} = linalg.fill ins(%zero : f32) outs(%e{n} : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
          %m{n} = linalg.matmul ins(%a{n}, %b{n} : tensor<{n}x128xf32>, tensor<128x{n}xf32>)
              outs(%f{n} : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>
          %v{n} = linalg.exp ins(%m{n} : tensor<{n}x{n}xf32>)
              outs(%e{n} : tensor<{n}x{n}xf32>) -> tensor<{n}x{n}xf32>"""
        for n in SIZES
    )
    returned = ", ".join(f"%v{n}" for n in SIZES)
    return f"""func.func @f({arguments}) -> ({results}) {{
          %zero = arith.constant 0.0 : f32{body}
          return {returned} : {results}
        }}"""


@pytest.mark.full
@pytest.mark.parametrize("target", ["h200", "mi300x"])
def test_kernels_that_are_lowered_apart_are_the_same(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = exponentials_of_products()
    options = roller_mlir.CompileOptions(cache=False, fusion=False)
    found: list[dict[str, bytes]] = []
    for together in (1, 2, 100):
        monkeypatch.setattr(module, "_AT_A_TIME", together)
        artifact = roller_mlir.compile(text, target=target, options=options)
        code = [file.name for file in artifact.manifest.files if file.role in ("ptx", "hsaco")]
        found.append({name: artifact.files[name] for name in code})
    assert len(found[0]) >= 6 and found[0] == found[2] and found[1] == found[2]
