# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record of a family of instructions: lane maps, where factors come from, what tiles must look like, its cost.

A device's file says which shapes and types of a family the device has, and how fast they are (`hal.Instruction`). What
holds for all of a family stands here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from roller_mlir.hal.atoms.fragments import Fragments, Shape
from roller_mlir.hal.instructions import Instruction


class Factors(Enum):
    """Where an instruction takes its factors from, which decides what their tiles look like."""

    LANES = "registers of which each lane reads its own elements"
    PIECES = "registers, into which devices with 'matrix_load' read rows of 16 bytes, one a lane"
    WHOLE = "opaque registers, into which whole matrices are read by an address and a distance between rows"
    MEMORY = "workgroup memory, which tensor copies filled"


@dataclass(frozen=True)
class VectorProduct:
    """What the tiles of instructions on whole vectors depend on, of a product on a device.

    Attributes:
        rows: Of the result.
        columns: Of the result, along which vectors lie.
        depth: Products of a sum along the loop of which a lane sums neighbours.
        element_bytes: Bytes of a factor's element.
        rows_inside: Whether no point reads the factor of rows outside of its tensor.
        rows_packed: Whether a task packs that factor, filled up where a tile ends outside.
        registers: Vector registers.
    """

    rows: int
    columns: int
    depth: int
    element_bytes: int
    rows_inside: bool
    rows_packed: bool
    registers: int


@dataclass(frozen=True)
class VectorTile:
    """The tile of a task.

    Attributes:
        shape: Of one instruction: m, n, k.
        rows: Rows of the task.
        vectors: Vectors across the task, each of n columns.
    """

    shape: Shape
    rows: int
    vectors: int


@dataclass(frozen=True)
class VectorTileStep:
    """What a step of a tile takes, k products of each sum.

    Attributes:
        cycles: Of its instructions.
        loads: Loads of vectors.
        latency: Of a sum's instruction, in those of multiply-adds.
        beside: Cycles of a task beside its steps.
    """

    cycles: float
    loads: float
    latency: float = 1.0
    beside: float = 0.0


@dataclass(frozen=True)
class VectorTiles:
    """How tiles of a family on whole vectors are made, and what they cost.

    Attributes:
        tiles: Yields the tiles of a product by an instruction.
        step: Returns what a step of one takes.
    """

    tiles: Callable[[VectorProduct, Instruction], Iterator[VectorTile]]
    step: Callable[[VectorProduct, Instruction, VectorTile], VectorTileStep]


def _none(shape: Shape, element_bytes: int) -> bool:
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """A family of instructions.

    Attributes:
        name: As device files and plans spell it.
        points: Points of the loop nest that an instruction of one thread computes; that of a matrix: by its shape.
        lanes: Lanes of a subgroup; 1: each thread computes by itself.
        subgroups: Subgroups that issue one instruction together, which divide its rows.
        factor_types: Element types of factors that code can be generated for.
        exists: Whether there is an instruction of a shape (m, n, k) for factors of so many bytes.
        lane_maps: What lanes hold of such a shape. Sources stand in the family's file.
        factors: Where factors come from.
        packed_bytes: Bytes of neighbours along the reduction that a lane reads at once for several instructions; 0:
            those of one instruction only.
        base_bytes: What the address of a matrix in a tile must be a multiple of; 0: of any element or piece.
        scratch_padding: Elements between rows of a result that passes workgroup memory, since nothing says which lane
            holds what; None: lanes hold what `lane_maps` says.
        independent: Whether a subgroup goes on while the matrix unit executes, up to what needs the result: with two
            results and more, one instruction follows the other.
        vectors: How tiles are made where one thread issues it on whole vectors: lanes of threads hold nothing of it,
            see `exists`; None: it is no such instruction.
        tile_registers: Whether factors and sums lie in tile registers: factors are read as whole tiles, and sums pass
            memory of the task.
        machine_pieces: Oldest compute capability, and instructions of machine code that one instruction becomes on it
            and on younger ones; empty: one.
        ptx: How names of its instructions in PTX begin, a regular expression; empty: PTX has none.
        machine_code: How those in machine code begin, likewise; empty: they are those of operations of one point.
    """

    name: str
    points: int = 1
    lanes: int = 1
    subgroups: int = 1
    factor_types: tuple[str, ...] = ()
    exists: Callable[[Shape, int], bool] = field(default=_none, repr=False)
    lane_maps: Callable[[Shape, int], Fragments] | None = field(default=None, repr=False)
    factors: Factors = Factors.LANES
    packed_bytes: int = 0
    base_bytes: int = 0
    scratch_padding: int | None = None
    independent: bool = False
    vectors: VectorTiles | None = field(default=None, repr=False)
    tile_registers: bool = False
    machine_pieces: tuple[tuple[int, int], ...] = ()
    ptx: str = ""
    machine_code: str = ""

    def __post_init__(self) -> None:
        """Check the fields against each other.

        Raises:
            ValueError: They contradict each other.
        """
        if (self.lanes > 1) != self.is_matrix:
            raise ValueError(f"family '{self.name}' must have lane maps where it has lanes, but got {self.lanes} lanes")
        if self.has_shape and not self.factor_types:
            raise ValueError(f"family '{self.name}' must say which types of factors it multiplies")
        if self.has_shape and not self.machine_code:
            raise ValueError(f"family '{self.name}' must say how its instructions are told in machine code")
        if self.packed_bytes and self.factors is not Factors.LANES:
            raise ValueError(f"family '{self.name}' has packed_bytes, which needs factors that each lane reads")

    @cached_property
    def is_matrix(self) -> bool:
        """Whether a matrix unit executes it."""
        return self.lane_maps is not None

    @property
    def has_shape(self) -> bool:
        """Whether it computes rows and columns of a result along a reduction, as a plan's atom says."""
        return self.is_matrix or self.vectors is not None

    @cached_property
    def reads_memory(self) -> bool:
        """Whether it takes factors from workgroup memory, without fragments in registers."""
        return self.factors is Factors.MEMORY

    @property
    def rounds_to_tf32(self) -> bool:
        """Whether it rounds factors of type f32 to tf32; the others take all digits."""
        return "tf32" in self.factor_types

    @cached_property
    def is_opaque(self) -> bool:
        """Whether results pass workgroup memory, to threads that know which they hold."""
        return self.scratch_padding is not None

    def fragments(self, shape: Shape, element_bytes: int) -> Fragments:
        """Return what the lanes of a subgroup hold of an instruction.

        Args:
            shape: m, n, k.
            element_bytes: Bytes of a factor's element.

        Raises:
            ValueError: There is no such instruction.
        """
        return _fragments(self, shape, element_bytes)

    def loads_matrices(self, features: Sequence[str]) -> bool:
        """Return whether factors are read by loads of matrices, on a device with some features."""
        return self.factors is Factors.WHOLE or (self.factors is Factors.PIECES and "matrix_load" in features)

    def permutes(self, features: Sequence[str]) -> bool:
        """Return whether rows of tiles may be permuted, on a device with some features."""
        return self.factors is Factors.LANES or (self.factors is Factors.PIECES and "matrix_load" in features)

    def depth_pack(self, shape: Shape, element_bytes: int, block: int) -> int:
        """Return how many instructions that follow along the reduction take neighbouring elements of each lane.

        The order of a sum's products is free: of each lane's neighbours one instruction takes the first ones, the next
        instruction the next ones, so that a lane reads more at once.

        Args:
            shape: m, n, k.
            element_bytes: Bytes of a factor's element.
            block: Points of the reduction loop in a step.

        >>> from roller_mlir.hal.atoms import atom_family
        >>> [atom_family("mfma").depth_pack((32, 32, 8), 2, block) for block in (32, 40)]
        [2, 1]
        """
        if not self.packed_bytes:
            return 1
        pack = max(1, self.packed_bytes // (self.fragments(shape, element_bytes).first.count * element_bytes))
        while block % (shape[2] * pack):
            pack //= 2
        return pack

    @property
    def result_accesses(self) -> int:
        """Accesses to workgroup memory of each sum, on its way to the thread that stores it, one after the other."""
        return 2 if self.is_opaque else 0

    def scratch_pitch(self, columns: int) -> int:
        """Return the elements from row to row of a result in workgroup memory."""
        return columns + (self.scratch_padding or 0)

    def scratch_bytes(self, subgroups: int, shape: Shape) -> int:
        """Return the workgroup memory through which results pass, sums of 32 bits, in bytes; 0 where they do not.

        >>> from roller_mlir.hal.atoms import atom_family
        >>> atom_family("wmma").scratch_bytes(4, (16, 16, 16))
        5120
        """
        return subgroups * shape[0] * self.scratch_pitch(shape[1]) * 4 if self.is_opaque else 0


@lru_cache(maxsize=1024)
def _fragments(family: Family, shape: Shape, element_bytes: int) -> Fragments:
    if family.lane_maps is None:
        raise ValueError(f"'{family.name}' is an instruction of one thread, which has no lane maps")
    if not family.exists(shape, element_bytes):
        raise ValueError(f"'{family.name}' has no instruction of shape {list(shape)}")
    return family.lane_maps(shape, element_bytes)
