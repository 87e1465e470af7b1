# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a peer is ahead of ours, by operator and metric: what its machine code shows. The page is not made without.

What a reason says of other rows of the table is tested, so that it does not outlive its truth.
"""

_REUSE = "Registers are what reuse is bought with"

REASONS: dict[tuple[str, str], str] = {
    ("M3", "fma_share"): (
        "Triton's loop takes 16 points of the reduction of a 128 x 256 tile, 128 points of it per thread: 2048 FMAs per"
        " trip, where ours has 512, so that counters and barriers weigh less. That takes 237 registers, and a unit"
        " holds one task of 8 warps; of the plan of ours it holds two. With Triton's tile forced, our loop has a larger"
        " share than Triton's, and within our number of registers Triton's share is below ours: the difference is the"
        " choice of the tile."
    ),
    ("M3", "asked_bytes"): (
        "A tile of 128 x 256 asks for the first matrix half as often as ours of 128 x 128; the model keeps the smaller"
        " one because a unit holds two of its tasks, and expects the last cache to serve either. Triton's configuration"
        " within our number of registers asks for more than ours, and with Triton's tile forced ours asks for the same."
    ),
    ("M3", "registers"): f"{_REUSE}: IREE's threads have 16 points each, ours 64, each of which is an accumulator.",
    ("C0", "registers"): (
        f"{_REUSE}: IREE's threads have one point each, and load two values from global memory for each multiplication;"
        " ours have 64 and their windows."
    ),
    ("softmax", "registers"): (
        "Ours gives a row to one warp, so that no partial result goes through workgroup memory; a thread then holds 32"
        " elements, where one of Triton's 8 warps per row holds 4. With one warp per row Triton takes fewer for another"
        " reason: its `/` and `exp` are approximations, one reciprocal per row and a power of two; ours divides"
        " exactly, 32 times, each with a call for rare cases, unless the program allows approximations, as in the row"
        " that says so."
    ),
    ("R1", "registers"): (
        "Ours gives 4 rows to one warp and loads 512 bytes per thread before the first sum: 16 KiB of each task are on"
        " their way at once, and three shuffles serve four rows, where a row per warp takes five for one. The peers"
        " load 4 to 128 bytes per thread."
    ),
}
