# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a module may hold that is to be compiled; everything else is one located error that says what to do instead.

Accepted are functions of one block on static tensors with linalg structured ops, their constants, paddings by constants
and reshapes. `check_signatures` looks at what simplification cannot change, `check_operations` at what it left.
"""

from math import prod
from typing import Any

from roller_mlir.lowering.linalg.body import GATHER
from roller_mlir.lowering.linalg.body_operations import BODY_OPERATIONS, REMEDIES
from roller_mlir.lowering.linalg.pads import PAD, check_sizes, read_pad
from roller_mlir.lowering.linalg.views import SLICE, VIEWS, read_slice
from roller_mlir.plan.manifest import MOST_RANK
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import indexing_maps

ELEMENT_TYPES = ("f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64", "i1")
# A tensor of more elements could not be indexed by signed 64-bit bytes.
MAX_ELEMENTS = 1 << 56
SCALAR_TYPES = (*ELEMENT_TYPES, "index")
REWRITTEN = tuple(
    f"tensor.{name}"
    for name in (
        *("bitcast", "concat", "from_elements", "gather", "generate", "insert", "insert_slice", "reshape"),
        *("scatter", "splat"),
    )
)
RESHAPES = ("tensor.collapse_shape", "tensor.expand_shape")
PLAIN_OPS = ("arith.constant", "tensor.empty", "func.return", *VIEWS, *RESHAPES)
CONTROL_FLOW = ("scf", "cf", "affine")
BODY_DIALECTS = ("arith", "math")
BODY_OPS = ("linalg.yield", "linalg.index", "arith.constant", GATHER)


def compiled_functions(module: ir.Module) -> list[Any]:
    """Return the functions with a body."""
    return [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]


def check_name(operation: ir.Operation) -> None:
    """Fail where a symbol's name is no text, which artifacts, C headers and the bindings need it to be."""
    if "sym_name" in operation.attributes:
        try:
            ir.StringAttr(operation.attributes["sym_name"]).value_bytes.decode()
        except UnicodeDecodeError:
            fail(operation, f"the name of a '{operation.name}' is no UTF-8; give it another")


def check_signatures(module: ir.Module) -> None:
    """Fail unless the module holds functions, of one block, on non-empty static tensors, without buffers inside."""
    for op in module.body.operations:
        if not isinstance(op, func.FuncOp):
            fail(op, f"'{op.operation.name}' cannot be compiled; a module may hold functions (func.func) only")
        check_name(op.operation)
    functions = compiled_functions(module)
    if not functions:
        fail(module.operation, "module has no function with a body, nothing can be compiled; add a func.func")
    for function in functions:
        name = function.name.value
        blocks = len(function.regions[0].blocks)
        if blocks != 1:
            fail(function, f"'{name}' has {blocks} blocks; control flow cannot be compiled, write straight-line code")
        for number, argument in enumerate(function.arguments):
            _check_tensor(argument.type, f"argument {number} of '{name}'", argument.location)
        for number, kind in enumerate(function.type.results):
            _check_tensor(kind, f"result {number} of '{name}'", function.location)
        for op in function.entry_block.operations:
            _check_not_empty(op.operation)
            if op.operation.name == PAD:
                check_sizes(op.operation)


def check_operations(module: ir.Module) -> None:
    """Fail unless the functions hold linalg structured ops, constants, paddings and reshapes, on static tensors."""
    for function in compiled_functions(module):
        for op in function.entry_block.operations:
            operation = op.operation
            is_linalg = operation.name.startswith("linalg.")
            if not is_linalg and operation.name not in PLAIN_OPS:
                refused = _cause(function, operation)
                fail(refused, _refusal(refused.name))
            for value in (*operation.operands, *operation.results):
                if isinstance(value.type, ir.ShapedType) and operation.name != "tensor.empty":
                    _check_tensor(value.type, f"'{operation.name}' operand or result", operation)
            if is_linalg:
                _check_structured(operation)
            elif operation.name == PAD:
                read_pad(operation)
            elif operation.name == SLICE:
                read_slice(operation)


def _cause(function: Any, refused: ir.Operation) -> ir.Operation:
    """Return the control flow of a function, for which elements of tensors are taken, or else what is refused."""
    operations = (op.operation for op in function.entry_block.operations)
    return next((op for op in operations if op.name.split(".")[0] in CONTROL_FLOW), refused)


def _refusal(name: str) -> str:
    dialect = name.split(".")[0]
    if dialect in CONTROL_FLOW:
        return f"'{name}' is control flow, which cannot be compiled; write straight-line code"
    if dialect in ("memref", "bufferization", "vector", "gpu"):
        return (
            f"'{name}' cannot be compiled; lower to linalg on tensors and stop before bufferization and vectorization"
        )
    others = ", ".join(sorted((*REWRITTEN, *VIEWS, *RESHAPES)))
    return f"'{name}' cannot be compiled; supported are linalg structured ops on tensors and {others}"


def _check_structured(operation: ir.Operation) -> None:
    name = operation.name
    if not indexing_maps(operation):
        fail(operation, f"'{name}' has no loop nest (indexing maps); decompose it into linalg structured ops")
    for inner in operation.regions[0].blocks[0].operations:
        body = inner.operation
        if body.name.split(".")[0] not in BODY_DIALECTS and body.name not in BODY_OPS:
            fail(
                body,
                f"'{body.name}' in the body of '{name}' cannot be compiled; bodies may hold arith and math operations",
            )
        if body.name not in BODY_OPERATIONS and body.name not in BODY_OPS:
            remedy = REMEDIES.get(body.name, "no back end has an instruction or a function for it")
            fail(body, f"'{body.name}' in the body of '{name}' cannot be compiled; {remedy}")
        for value in (*body.operands, *body.results):
            if str(value.type) not in SCALAR_TYPES:
                fail(
                    body,
                    f"'{body.name}' in the body of '{name}' computes in {value.type}; "
                    f"supported: {', '.join(SCALAR_TYPES)}",
                )


def _check_not_empty(operation: ir.Operation) -> None:
    """Fail where an operation works on buffers or on an empty tensor, which simplification might hide."""
    for value in (*operation.operands, *operation.results):
        if isinstance(value.type, (ir.MemRefType, ir.UnrankedMemRefType)) and operation.name.startswith("linalg."):
            fail(operation, f"'{operation.name}' works on buffers ({value.type}); linalg on tensors can be compiled")
        if isinstance(value.type, ir.RankedTensorType) and 0 in ir.RankedTensorType(value.type).shape:
            fail(operation, f"'{operation.name}' has {value.type}, a dimension of 0; dimensions must be at least 1")


def _check_tensor(kind: Any, what: str, where: Any) -> None:
    if isinstance(kind, (ir.MemRefType, ir.UnrankedMemRefType)):
        fail(where, f"{what} is a buffer ({kind}); linalg on tensors can be compiled, before bufferization")
    if not isinstance(kind, ir.RankedTensorType):
        if isinstance(kind, ir.ShapedType):
            fail(where, f"{what} has type {kind}; ranked tensors can be compiled: give it a rank")
        fail(where, f"{what} has type {kind}; supported are ranked tensors, and scalars of {', '.join(SCALAR_TYPES)}")
    tensor = ir.RankedTensorType(kind)
    if tensor.encoding is not None:
        fail(where, f"{what} has type {kind}; tensors with an encoding are not supported")
    if not tensor.has_static_shape:
        fail(where, f"{what} has type {kind}; shapes must be static: give every dimension a size")
    if tensor.rank > MOST_RANK:
        fail(where, f"{what} has {tensor.rank} dimensions; tensors have at most {MOST_RANK}: collapse some")
    if 0 in tensor.shape:
        fail(where, f"{what} has type {kind}, a dimension of 0; dimensions must be at least 1")
    if prod(tensor.shape) > MAX_ELEMENTS:
        fail(where, f"{what} has type {kind}, more than {MAX_ELEMENTS} elements; indices are 64 bits wide")
    if str(tensor.element_type) not in ELEMENT_TYPES:
        fail(where, f"{what} has element type {tensor.element_type}; supported: {', '.join(ELEMENT_TYPES)}")
