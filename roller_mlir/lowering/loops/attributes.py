# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attributes that kernels and their accesses carry for the back ends and the simulator."""

# On a kernel: the plan that its program was expanded by; on the program itself it is the attribute `plan`.
PLAN = "rtile.plan"
# On a kernel: the plan of the second stage of a divided reduction, where its blocks run that, too.
JOIN_PLAN = "rtile.join_plan"
# On a kernel: the program that it was made of, as plan files name it.
PROGRAM = "rtile.program_name"
# On a program of loops, and on its kernel: the tensor expression that the plan is for, see roller_mlir.plan.expression.
EXPRESSION = "rtile.expression"
# On a program and its kernel, whose plan was measured: where the plan is from, and its times, as text for people.
TUNED = "rtile.tuned"
# On such a program: its measured time over the predicted one.
MEASURED_OVER_PREDICTED = "rtile.measured_over_predicted"
# On what gets one plan: the units that its kernel is for, and those whose bandwidth it gets beside others.
UNITS = "rtile.units"
# On the same: points of each loop in a task of its kernel, in place of those that construction would choose.
TILE = "rtile.tile"
# On a kernel: how many of its blocks are to fit on one unit, a bound on registers.
TASKS_PER_UNIT = "rtile.tasks_per_unit"
# On a kernel, in place of that: registers that a thread is expected to need.
REGISTERS = "rtile.registers"
# On a launch: all its blocks must run at the same time.
COOPERATIVE = "rtile.cooperative"
# On a launch: its kernel may start before the launches that it needs have ended, which its threads wait for.
DEPENDENT = "rtile.dependent"
# On a launch: where in its last argument the report of a wait that was given up begins, in bytes.
REPORT = "rtile.report"
# On a launch: where in its last argument the times of its tasks lie, and whose they are: a
# plan.persistent.task_times.TaskTimes.
TIMES = "rtile.times"
# On a kernel: scalar fused multiply-adds in its IR; fewer in the output mean that a loop was lost.
FMA_COUNT = "rtile.fma_count"
# On a kernel: matrix instructions in its IR, likewise.
MATRIX_COUNT = "rtile.matrix_count"
# On a kernel: the description of the tile registers that its tasks use, 64 bytes as `ldtilecfg` loads them.
TILE_REGISTERS = "rtile.tile_registers"
# On a kernel: some of its loops must not be unrolled, since their steps together need more registers than there are.
ROLLED = "rtile.rolled"
# On such a loop, and on the branches that it becomes.
LOOP_ANNOTATION = "llvm.loop_annotation"
# On a kernel that is lowered to a function of a range of tasks.
TASK_RANGE = "rtile.task_range"
# On a memory access: what reports call it.
SITE = "rtile.site"
# On a load: what reports of stuck waits call its last value.
WATCH = "rtile.watch"
# On an argument of a kernel: the tensor map that it is, see roller_mlir.plan.tensor_maps.tensor_map.
TENSOR_MAP = "rtile.tensor_map"
# On a kernel's last buffer: the tensor maps that each of its blocks makes there, one behind the other.
MADE_MAPS = "rtile.made_maps"
# Scope of atomic operations and fences between all blocks of a device; AMD's back end has a name of its own for it.
DEVICE_SCOPE = "device"
# On a kernel: what its dynamic workgroup memory is aligned to, in bytes.
WORKGROUP_ALIGNMENT = "rtile.workgroup_alignment"
