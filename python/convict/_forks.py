# SPDX-License-Identifier: Apache-2.0
"""A process that others are copied from (docs/process-targets.md, *Copies*)."""
from __future__ import annotations

import os
import socket
import struct
import threading
from typing import Optional


def why_not() -> Optional[str]:
    """Why a copy of this process would not be as good as a new one. Threads are not copied. Some libraries end theirs
    before a fork, and start them again when they compute (OpenBLAS): a process is forked, to see."""
    if not hasattr(os, "fork") or not hasattr(socket, "recv_fds") or not os.path.isdir("/proc/self/task"):
        return "this system cannot copy it"
    if threading.active_count() > 1:
        return "it has " + ", ".join(repr(one.name) for one in threading.enumerate()) + " as threads"
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    threads = len(os.listdir("/proc/self/task")) - 1
    return f"libraries have started {threads} threads, which they do not end for a copy" if threads else None


def wait(descriptor: int) -> None:
    """Makes a copy for each message of the socket, and returns in each of them. Its stdin, stdout, stderr and file are
    the four descriptors of the message."""
    requests = socket.socket(fileno=descriptor)
    while True:
        byte, descriptors, _, _ = socket.recv_fds(requests, 1, 4)
        if not byte:
            os._exit(0)  # convict has ended
        between = os.fork()
        if between == 0:
            if os.fork():
                os._exit(0)  # so that convict becomes the parent of the copy, and sees how it ends
            os.setsid()
            requests.send(struct.pack("i", os.getpid()))
            requests.close()
            for place, one in enumerate(descriptors):
                os.dup2(one, place)
                os.close(one)
            return
        for one in descriptors:
            os.close(one)
        os.waitpid(between, 0)
