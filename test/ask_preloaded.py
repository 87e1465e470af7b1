# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ask_preloaded.py NAME ARGUMENTS`: has the process of `preloaded.py` do what `python ARGUMENTS` does.

It gets this process's folder, environment and streams, and this process ends as Python does.
"""

import json
import os
import signal
import socket
import sys

name, *arguments = sys.argv[1:]
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(f"\0{name}")
    request = json.dumps([arguments, os.getcwd(), dict(os.environ)])
    socket.send_fds(connection, [request.encode()], [0, 1, 2])
    status = int(connection.recv(32))
if os.WIFSIGNALED(status):
    signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
