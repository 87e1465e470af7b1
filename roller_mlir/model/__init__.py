# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model: which tiles align, what they move, how long a program takes, and construction from that. No MLIR.

Paper: ROLLER section 3.
"""

from roller_mlir.model.construct import Construction, construct, construction
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.performance import predict
from roller_mlir.model.traffic import OperandTraffic, operand_traffic

__all__ = [
    "ConstructOptions",
    "Construction",
    "ConstructionError",
    "OperandTraffic",
    "construct",
    "construction",
    "operand_traffic",
    "predict",
]
