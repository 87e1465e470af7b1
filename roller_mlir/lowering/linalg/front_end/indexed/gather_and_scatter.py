# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tensor.gather` and `tensor.scatter` become linalg ops.

    %r = tensor.gather %t[%p] gather_dims([0]) : (tensor<9x8xf32>, tensor<5x1xi64>) -> tensor<5x8xf32>
    // becomes
    linalg.generic  i < 5, j < 8,  ins(%p at (i, 0)) outs(at (i, j)) { tensor.extract %t[%p, j] }

    %r = tensor.scatter %s into %t[%p] scatter_dims([0]) unique : (tensor<5x8xf32>, tensor<9x8xf32>, tensor<5x1xi64>)
    // becomes, a position outside of %t being none
    linalg.generic  i < 9, j < 8 parallel, n < 5 reduction,  ins(%s at (n, j), %p at (n, 0)) outs(%t at (i, j)) {
      yield %p is i ? the element of %s : what %t has so far
    }

Each element of a scatter's result asks each position whether it is meant: kernels write at loops only. That is why the
questions are limited.
"""

from math import prod
from typing import Any

from roller_mlir.lowering.linalg.front_end.walk import entry_operations, rebuild
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.diagnostics import fail

GATHER, SCATTER = "tensor.gather", "tensor.scatter"
MOST_QUESTIONS = 1 << 32


def read_and_write_at_positions(module: ir.Module) -> None:
    """Rewrite the `tensor.gather` and `tensor.scatter` of a module."""
    for operation in entry_operations(module):
        types = [*operation.operands, *operation.results]
        if operation.name in (GATHER, SCATTER) and all(_is_static(value.type) for value in types):
            rebuild(operation, _gathered if operation.name == GATHER else _scattered)


def _gathered(operation: ir.Operation) -> Any:
    source, positions = list[Any](operation.operands)
    gathered = [int(one) for one in ir.DenseI64ArrayAttr(operation.attributes["gather_dims"])]
    kind, rank = ir.RankedTensorType(operation.results[0].type), ir.RankedTensorType(source.type).rank
    batch = ir.RankedTensorType(positions.type).rank - 1
    keeps = kind.rank == batch + rank
    dims = [ir.AffineDimExpr.get(loop) for loop in range(kind.rank)]
    maps = [_at(kind.rank, [*dims[:batch], ir.AffineConstantExpr.get(k)]) for k in range(len(gathered))]
    new = bodiless_generic(
        [positions] * len(gathered), [empty_like(kind)], [*maps, _at(kind.rank, dims)], ["parallel"] * kind.rank
    )
    with ir.InsertionPoint(_body(new)) as inside:
        arguments = list(inside.block.arguments)
        others = [loop for loop in range(rank) if keeps or loop not in gathered]
        at: list[Any] = [
            _index(arguments[gathered.index(d)]) if d in gathered else linalg.IndexOp(batch + others.index(d)).result
            for d in range(rank)
        ]
        linalg.YieldOp([tensor.extract(source, at)])
    return new.results[0]


def _scattered(operation: ir.Operation) -> Any:
    source, target, positions = list[Any](operation.operands)
    scattered = [int(one) for one in ir.DenseI64ArrayAttr(operation.attributes["scatter_dims"])]
    kind, places = ir.RankedTensorType(target.type), ir.RankedTensorType(positions.type)
    rank, batch = kind.rank, places.rank - 1
    questions = prod(kind.shape) * prod(list(places.shape)[:batch])
    if questions > MOST_QUESTIONS:
        fail(
            operation,
            f"'{SCATTER}' of {prod(list(places.shape)[:batch])} positions into {prod(kind.shape)} elements asks "
            f"{questions} times whether a position is an element's, of at most {MOST_QUESTIONS}; split the positions",
        )
    loops = rank + batch
    dims = [ir.AffineDimExpr.get(loop) for loop in range(loops)]
    keeps = ir.RankedTensorType(source.type).rank == batch + rank
    window: list[Any] = [
        ir.AffineConstantExpr.get(0) if d in scattered else dims[d] for d in range(rank) if keeps or d not in scattered
    ]
    maps = [_at(loops, [*dims[rank:], *window])]
    maps += [_at(loops, [*dims[rank:], ir.AffineConstantExpr.get(k)]) for k in range(len(scattered))]
    kinds = ["parallel"] * rank + ["reduction"] * batch
    new = bodiless_generic([source, *[positions] * len(scattered)], [target], [*maps, _at(loops, dims[:rank])], kinds)
    with ir.InsertionPoint(_body(new)) as inside:
        element, *indices, found = list[Any](inside.block.arguments)
        meant: Any = None
        for dimension, index in zip(scattered, indices, strict=True):
            own = arith.cmpi(arith.CmpIPredicate.eq, _index(index), linalg.IndexOp(dimension).result)
            meant = own if meant is None else arith.andi(meant, own)
        linalg.YieldOp([arith.select(meant, element, found)])
    return new.results[0]


def _at(loops: int, results: list[Any]) -> ir.AffineMap:
    return ir.AffineMap.get(loops, 0, results)


def _body(operation: ir.Operation) -> ir.Block:
    kinds = [ir.RankedTensorType(value.type).element_type for value in operation.operands]
    return operation.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * len(kinds))


def _index(value: Any) -> Any:
    return value if isinstance(value.type, ir.IndexType) else arith.index_cast(ir.IndexType.get(), value)


def _is_static(kind: ir.Type) -> bool:
    return isinstance(kind, ir.RankedTensorType) and kind.has_static_shape
