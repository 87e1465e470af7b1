# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A warp-specialised matmul for sm_90a as text: one warpgroup copies tiles, the others multiply them."""

from dataclasses import dataclass
from math import prod

WORKGROUP = "#gpu.address_space<workgroup>"
WAIT = (
    "{\\0A.reg .pred P1;\\0AW${:uid}:\\0Ambarrier.try_wait.parity.shared::cta.b64 P1, [$0], $1;"
    "\\0A@!P1 bra W${:uid};\\0A}"
)
ROWS = 64
K_BYTES = 32
SIZES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1}
STORED = {"tf32": "f32", "s8": "i8"}


class Text:
    """Lines of a kernel, with constants and names."""

    def __init__(self):
        self.lines, self.constants = [], {}

    def emit(self, line):
        self.lines.append(line)

    def op(self, text):
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def constant(self, value, kind="i32"):
        return self.constants.setdefault((value, kind), f"%c{len(self.constants)}")

    def binary(self, name, left, right, kind="i32"):
        values = [self.constant(one, kind) if isinstance(one, int) else one for one in (left, right)]
        return self.op(f"arith.{name} {values[0]}, {values[1]} : {kind}")

    def add(self, left, right, kind="i32"):
        return self.binary("addi", left, right, kind)

    def mul(self, left, right, kind="i32"):
        return self.binary("muli", left, right, kind)

    def at(self, pointer, offset):
        offset = self.constant(offset) if isinstance(offset, int) else offset
        return self.op(f"llvm.getelementptr {pointer}[{offset}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8")

    def text(self):
        constants = [f"{name} = arith.constant {value} : {kind}" for (value, kind), name in self.constants.items()]
        return "\n".join([*constants, *self.lines])


def tensor_map(argument, element, shape, box, swizzle=128):
    size = SIZES[element]
    strides = [prod(shape[axis + 1 :]) * size for axis in range(len(shape) - 1)]
    stored = STORED.get(element, element)
    return (
        f'{{argument = {argument} : i64, element = "{stored}", extents = {list(shape)}, strides = {strides}, '
        f"box = {list(box)}, steps = {[1] * len(shape)}, swizzle = {swizzle} : i64, fill = 0 : i64}}"
    )


@dataclass(frozen=True, kw_only=True)
class Matmul:
    """The kernel: c[m, n] = a[m, k] @ b, b as [k, n] (`inner_n`) or as [n, k]."""

    m: int = 128
    n: int = 128
    k: int = 256
    tile_n: int = 128
    tile_k: int = 64
    stages: int = 3
    element: str = "f16"
    sums: str = "f32"
    inner_n: bool = True
    inner_m: bool = False
    swizzle: int = 128
    consumers: int = 2

    @property
    def size(self):
        return SIZES[self.element]

    @property
    def tile_m(self):
        return ROWS * self.consumers

    @property
    def span(self):
        """Elements in a row of the swizzle."""
        return self.swizzle // self.size

    @property
    def a_bytes(self):
        return self.tile_m * self.tile_k * self.size

    @property
    def b_bytes(self):
        return self.tile_n * self.tile_k * self.size

    @property
    def stage_bytes(self):
        return self.a_bytes + self.b_bytes

    @property
    def threads(self):
        return 128 * (self.consumers + 1)

    @property
    def grid(self):
        return -(-self.n // self.tile_n), -(-self.m // self.tile_m)

    def text(self):
        t = Text()
        barriers = self.stages * self.stage_bytes
        arena = f"memref<{barriers + 16 * self.stages}xi8, {WORKGROUP}>"
        registers = self.tile_n // 2 if self.sums != "f16" else self.tile_n // 4
        scalar = {"f32": "f32", "f16": "i32", "s32": "i32"}[self.sums]
        sums = f"!llvm.struct<({', '.join([scalar] * registers)})>"
        index = t.op(f"memref.extract_aligned_pointer_as_index %w : {arena} -> index")
        address = t.op(f"arith.index_cast {index} : index to i64")
        shared = t.op(f"llvm.inttoptr {address} : i64 to !llvm.ptr<3>")
        tid = t.op("nvvm.read.ptx.sreg.tid.x : i32")
        bx, by = (t.op(f"nvvm.read.ptx.sreg.ctaid.{axis} : i32") for axis in "xy")
        warp0 = t.binary("shrui", tid, 5)
        one, all_lanes, zero, last = (t.constant(value) for value in (1, -1, 0, 31))
        warp = t.op(f"nvvm.shfl.sync idx {all_lanes}, {warp0}, {zero}, {last} : i32 -> i32")
        group = t.binary("shrui", warp, 2)
        row0, column0 = t.mul(by, self.tile_m), t.mul(bx, self.tile_n)

        def barrier(kind, stage):
            return t.at(shared, t.add(t.mul(stage, 8), barriers + (0 if kind == "full" else 8 * self.stages)))

        def wait(pointer, parity):
            t.emit(
                f'llvm.inline_asm has_side_effects asm_dialect = att "{WAIT}", "r,r,~{{memory}}" {pointer}, {parity} '
                f": (!llvm.ptr<3>, i32) -> ()"
            )

        def following(stage, phase):
            after = t.add(stage, 1)
            wraps = t.binary("cmpi eq,", after, self.stages)
            flipped = t.binary("xori", phase, 1)
            return (
                t.op(f"arith.select {wraps}, {zero}, {after} : i32"),
                t.op(f"arith.select {wraps}, {flipped}, {phase} : i32"),
            )

        first = t.binary("cmpi eq,", tid, 0)
        t.emit(f"scf.if {first} {{")
        for stage in range(self.stages):
            t.emit(f"nvvm.mbarrier.init {t.at(shared, barriers + 8 * stage)}, {one} : !llvm.ptr<3>, i32")
            empty = t.at(shared, barriers + 8 * (self.stages + stage))
            t.emit(f"nvvm.mbarrier.init {empty}, {t.constant(self.consumers)} : !llvm.ptr<3>, i32")
        t.emit("nvvm.fence.mbarrier.init")
        t.emit("}")
        t.emit("nvvm.barrier")
        produces = t.binary("cmpi eq,", group, 0)
        steps, step = t.constant(-(-self.k // self.tile_k)), one
        t.emit(f"scf.if {produces} {{")
        t.emit("nvvm.setmaxregister decrease 40")
        leads = t.binary("cmpi eq,", warp, 0)
        t.emit(f"scf.if {leads} {{")
        elected = t.op("nvvm.elect.sync -> i1")
        t.emit(f"scf.if {elected} {{")
        t.emit("nvvm.prefetch tensormap, %a_map : !llvm.ptr")
        t.emit(
            f"%p:2 = scf.for %k = {zero} to {steps} step {step} iter_args(%s = {zero}, %ph = {one}) "
            f"-> (i32, i32) : i32 {{"
        )
        wait(barrier("empty", "%s"), "%ph")
        full = barrier("full", "%s")
        t.op(f"nvvm.mbarrier.arrive.expect_tx {full}, {t.constant(self.stage_bytes)} : !llvm.ptr<3>, i32 -> i64")
        base, k0 = t.mul("%s", self.stage_bytes), t.mul("%k", self.tile_k)

        def copy(name, offset, x, y):
            near = t.op(f"llvm.addrspacecast {t.at(shared, offset)} : !llvm.ptr<3> to !llvm.ptr<7>")
            t.emit(
                f"nvvm.cp.async.bulk.tensor.shared.cluster.global {near}, %{name}_map, {full}, box[{x}, {y}] "
                f": !llvm.ptr<7>, !llvm.ptr"
            )

        for name, offset, extent, inner, outer0 in (
            ("a", 0, self.tile_m, self.inner_m, row0),
            ("b", self.a_bytes, self.tile_n, self.inner_n, column0),
        ):
            # Boxes are one row of the swizzle wide; the other extent is whole.
            whole = extent if inner else self.tile_k
            for part in range(whole // self.span):
                box_bytes = (self.tile_k if inner else extent) * self.swizzle
                place = t.add(base, offset + part * box_bytes)
                along = t.add(outer0 if inner else k0, part * self.span)
                copy(name, place, along, k0 if inner else outer0)
        stage, phase = following("%s", "%ph")
        t.emit(f"scf.yield {stage}, {phase} : i32, i32")
        t.emit("} } }")
        t.emit("} else {")
        t.emit("nvvm.setmaxregister increase 232")
        consumer = t.add(group, -1)
        start = t.op(f"llvm.mlir.zero : {sums}")
        low = t.op(f"llvm.ptrtoint {shared} : !llvm.ptr<3> to i32")
        lane_of_group = t.binary("andi", tid, 127)
        leads = t.binary("cmpi eq,", lane_of_group, 0)
        modes = {128: 1, 64: 2, 32: 3}

        def descriptor(at, inner):
            # K inner: 8 rows follow each other. M or N inner: 8 rows of K follow each other, then the next boxes.
            leading = self.swizzle * self.tile_k if inner else 16
            high = modes[self.swizzle] << 62 | (8 * self.swizzle >> 4) << 32 | (leading >> 4) << 16
            high -= 1 << 64 if high >= 1 << 63 else 0
            field = t.binary("andi", t.binary("shrui", at, 4), 0x3FFF)
            return t.binary("ori", t.op(f"arith.extui {field} : i32 to i64"), high, "i64")

        t.emit(
            f"%r:4 = scf.for %k = {zero} to {steps} step {step} iter_args(%acc = {start}, %s = {zero}, %ph = {zero}, "
            f"%before = {zero}) -> ({sums}, i32, i32, i32) : i32 {{"
        )
        wait(barrier("full", "%s"), "%ph")
        base = t.add(low, t.mul("%s", self.stage_bytes))
        own = t.mul(consumer, ROWS * self.tile_k * self.size if self.inner_m else ROWS * self.swizzle)
        t.emit("nvvm.wgmma.fence.aligned")
        total = "%acc"
        types = f"A [<{self.element}>, #nvvm.wgmma_scale_in<one>, <{'col' if self.inner_m else 'row'}>], "
        types += f"B [<{self.element}>, #nvvm.wgmma_scale_in<one>, <{'row' if self.inner_n else 'col'}>]"
        depth = K_BYTES // self.size
        shape = f"#nvvm.shape<m = {ROWS}, n = {self.tile_n}, k = {depth}>"
        out = f"D [<{self.sums}>, #nvvm.wgmma_scale_out<one>]"

        def step_of(part, inner, extent):
            if inner:
                return part * depth * self.swizzle
            boxes, rest = divmod(part * K_BYTES, self.swizzle)
            return boxes * extent * self.swizzle + rest

        for part in range(self.tile_k // depth):
            left = descriptor(t.add(t.add(base, own), step_of(part, self.inner_m, self.tile_m)), self.inner_m)
            right = descriptor(t.add(base, self.a_bytes + step_of(part, self.inner_n, self.tile_n)), self.inner_n)
            total = t.op(f"nvvm.wgmma.mma_async {left}, {right}, {total}, {shape}, {out}, {types} : {sums} -> {sums}")
        t.emit("nvvm.wgmma.commit.group.sync.aligned")
        t.emit("nvvm.wgmma.wait.group.sync.aligned 1  // all but one")
        later = t.binary("cmpi ne,", "%k", 0)
        releases = t.op(f"arith.andi {later}, {leads} : i1")
        t.emit(f"scf.if {releases} {{")
        t.op(f"nvvm.mbarrier.arrive {barrier('empty', '%before')} : !llvm.ptr<3> -> i64")
        t.emit("}")
        stage, phase = following("%s", "%ph")
        t.emit(f"scf.yield {total}, {stage}, {phase}, %s : {sums}, i32, i32, i32")
        t.emit("}")
        parts = [t.op(f"llvm.extractvalue %r#0[{number}] : {sums}") for number in range(registers)]
        letter = "f" if scalar == "f32" else "r"
        ties = ",".join([f"={letter}"] * registers + [str(number) for number in range(registers)] + ["~{memory}"])
        done = t.op(
            f'llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "{ties}" '
            f"{', '.join(parts)} : ({', '.join([scalar] * registers)}) -> {sums}"
        )
        self._store(t, done, sums, registers, scalar, tid, warp, t.add(row0, t.mul(consumer, ROWS)), column0)
        t.emit("}")
        return self._wrap(t, arena)

    def _store(self, t, done, sums, registers, scalar, tid, warp, row0, column0):
        lane, quarter = t.binary("andi", tid, 31), t.binary("andi", warp, 3)
        row = t.add(t.add(row0, t.mul(quarter, 16)), t.binary("shrui", lane, 2))
        column = t.add(column0, t.mul(t.binary("andi", lane, 3), 2))
        kind = {"f32": "f32", "f16": "f16", "s32": "i32"}[self.sums]
        for number in range(registers):
            value = t.op(f"llvm.extractvalue {done}[{number}] : {sums}")
            values = [(2 * number, value)] if self.sums == "f16" else [(number, value)]
            if self.sums == "f16":
                pair = t.op(f"llvm.bitcast {value} : i32 to vector<2xf16>")
                values = [
                    (2 * number + half, t.op(f"vector.extract {pair}[{half}] : f16 from vector<2xf16>"))
                    for half in range(2)
                ]
            for place, one in values:
                y = t.add(row, 8 * (place // 2 % 2))
                x = t.add(column, 8 * (place // 4) + place % 2)
                inside = t.binary("andi", t.binary("cmpi slt,", y, self.m), t.binary("cmpi slt,", x, self.n), "i1")
                i, j = (t.op(f"arith.index_cast {one_} : i32 to index") for one_ in (y, x))
                t.emit(f"scf.if {inside} {{")
                t.emit(f"memref.store {one}, %c[{i}, {j}] : memref<{self.m}x{self.n}x{kind}>")
                t.emit("}")

    def _wrap(self, t, arena):
        stored = STORED.get(self.element, self.element)
        kind = {"f32": "f32", "f16": "f16", "s32": "i32"}[self.sums]
        shapes = {
            "a": (self.k, self.m) if self.inner_m else (self.m, self.k),
            "b": (self.k, self.n) if self.inner_n else (self.n, self.k),
        }
        boxes = {
            "a": (self.tile_k, self.span) if self.inner_m else (self.tile_m, self.span),
            "b": (self.tile_k, self.span) if self.inner_n else (self.tile_n, self.span),
        }
        maps = [
            f"%{name}_map: !llvm.ptr {{rtile.tensor_map = "
            f"{tensor_map(number, self.element, shapes[name], boxes[name], self.swizzle)}}}"
            for number, name in enumerate("ab")
        ]
        buffers = [f"%{name}: memref<{'x'.join(map(str, shapes[name]))}x{stored}>" for name in "ab"]
        arguments = ", ".join([*buffers, f"%c: memref<{self.m}x{self.n}x{kind}>", *maps])
        return (
            f"gpu.module @kernels {{ gpu.func @matmul({arguments}) workgroup(%w: {arena}) kernel {{\n{t.text()}\n"
            f"gpu.return }} }}"
        )
