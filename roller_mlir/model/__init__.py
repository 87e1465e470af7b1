# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model: which tiles align, what they move, how long a program takes, and construction from that. No MLIR.

Paper: ROLLER section 3.
"""

from roller_mlir.model.cost.performance import predict
from roller_mlir.model.cost.traffic.operands import OperandTraffic, operand_traffic
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.construct import Construction, construct, construction

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
