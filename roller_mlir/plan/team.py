# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled library for CPUs and who runs it must know alike of the threads that share the tasks of a kernel.

A shared library has `__roller_serve`, in which each thread but the caller's stays and takes parts of jobs, and
`__roller_share`, which gives a job to them, does the caller's own part, and returns when all parts are done. They
speak through memory that all threads share, the team's. Of the kernel K there is `K__tasks`, in the object as well: a
range of its tasks, with the addresses of its arrays in an array, as those two call it. `__roller_run` does jobs one
after the other, each as `__roller_share` does or, if it has one rank, by itself. Names of functions begin with
`roller_` in C, so that none is called like these.
"""

SERVE = "__roller_serve"
"""void __roller_serve(void *team, int64_t rank, int64_t looks)"""
SHARE = "__roller_share"
"""void __roller_share(team, body, void **arguments, void **scratches, int64_t tasks, int64_t ranks, int64_t looks)"""
RUN = "__roller_run"
"""void __roller_run(team, const job *jobs, int64_t count, void **scratches, int64_t looks), where a job is
{body, void **arguments, int64_t tasks, int64_t ranks}"""
BODY = "__tasks"
"""void K__tasks(void **arguments, void *scratch, int64_t first, int64_t end)"""

LINE_BYTES = 128
"""So far apart lies what different threads write: two cache lines, which are fetched together."""


def team_bytes(threads: int) -> int:
    """Return the size of a team's memory, aligned to a line, and zero before the first job.

    Args:
        threads: How many take part, with the caller's.
    """
    return LINE_BYTES * (threads + 1)
