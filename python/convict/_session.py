# SPDX-License-Identifier: Apache-2.0
"""Runs the program `convict` on functions of this process: it is told a socket instead of a command, and sends a
connection and a file through it whenever it wants a client (docs/process-targets.md, *Without a program*)."""
from __future__ import annotations

import array
import contextlib
import fcntl
import os
import select
import signal
import socket
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Optional

from ._program import find_program
from ._progress import Progress
from ._serve import Connection
from ._target import Target

_OWN_NAME = "convict: "
_LONGEST_MESSAGE = 4096
_PATIENCE = 30  # seconds for one call
_LOWEST = 64  # descriptors: out of the way of those of convict's workers


@dataclass
class Output:
    """What the program said."""

    exit_code: int
    out: str
    err: str
    deaths: list[str]  # of the processes of isolated functions

    def trouble(self) -> str:
        """Why it did not do what it was asked for."""
        said = [line for line in self.err.splitlines() if line.startswith(_OWN_NAME)]
        return said[-1][len(_OWN_NAME):] if said else self.err.strip()


def run_convict(words: list[str], targets: list[Target], isolate: bool = False,
                shown: tuple[int, Optional[int]] = (2, None)) -> Output:
    """Runs `convict WORDS` with these functions as targets. They are called in this thread; or, isolated, in a copy of
    this process for each connection, which may crash and hang. Progress is `shown` as in Progress."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    high = fcntl.fcntl(theirs.fileno(), fcntl.F_DUPFD, _LOWEST)
    theirs.close()
    said, says = os.pipe()
    with tempfile.TemporaryFile() as out:
        program = subprocess.Popen([find_program(), *words, f"--command=fd:{high}"], stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=says, pass_fds=[high])
        os.close(high)
        os.close(says)
        progress = Progress(said, *shown)
        server = _Server(ours, targets, isolate)
        try:
            server.serve()
            program.wait()
        except BaseException:  # Ctrl-C, the end of a debugger
            program.terminate()
            program.wait()
            raise
        finally:
            server.close()
            text = progress.finish()
        out.seek(0)
        return Output(program.returncode, out.read().decode(errors="replace"), text, server.deaths)


def in_a_copy(function: Callable[[Any], str], argument: Any) -> str:
    """What a function returns in a copy of this process, which may die or hang; then it is nothing."""
    reads, writes = os.pipe()
    child = _fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.write(writes, function(argument).encode()[:_LONGEST_MESSAGE])
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as file:
        is_there, _, _ = select.select([file], [], [], _PATIENCE)
        if not is_there:
            os.kill(child, signal.SIGKILL)
        text = file.read().decode(errors="replace")
    os.waitpid(child, 0)
    return text


def _fork() -> int:
    """Threads are not copied: ours takes no lock that the copy could want."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


class _Server:
    """Answers connections until nobody can open new ones any more."""

    def __init__(self, control: socket.socket, targets: list[Target], isolate: bool):
        self.control, self.targets, self.isolate = control, targets, isolate
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.open: dict[int, _Open] = {}
        self.deaths: list[str] = []

    def serve(self) -> None:
        while True:
            for descriptor, events in self.poll.poll():
                if descriptor != self.control.fileno():
                    self._attend(descriptor, events)
                elif not self._accept():
                    return

    def close(self) -> None:
        for descriptor in list(self.open):
            self._drop(descriptor)
        self.control.close()

    def _accept(self) -> bool:
        size = array.array("i").itemsize
        byte, control, _, _ = self.control.recvmsg(1, socket.CMSG_SPACE(2 * size))
        if not byte:
            return False  # convict and its workers have ended
        descriptors = array.array("i")
        for _, _, data in control:
            descriptors.frombytes(data[: 2 * size])
        link = socket.socket(fileno=descriptors[0])
        connection = _Open(link, Connection(self.targets, descriptors[1]))
        self.open[link.fileno()] = connection
        if self.isolate:  # only the end is wanted here: of the connection, or of the process
            connection.child = self._fork(connection)
            connection.watch = os.pidfd_open(connection.child)
            self.open[connection.watch] = connection
            self.poll.register(connection.watch, select.POLLIN)
        self.poll.register(link, select.POLLRDHUP if self.isolate else select.POLLIN)
        return True

    def _fork(self, connection: "_Open") -> int:
        child = _fork()
        if child == 0:
            code = 1
            try:
                self.control.close()
                for other in {*self.open.values()} - {connection}:  # their ends must be seen when they come
                    other.link.close()
                while connection.attend():
                    pass
                code = 0
            finally:
                os._exit(code)
        return child

    def _attend(self, descriptor: int, events: int) -> None:
        connection = self.open.get(descriptor)
        if connection and (self.isolate or not connection.attend()):
            self._drop(descriptor)

    def _drop(self, descriptor: int) -> None:
        connection = self.open.get(descriptor)
        if connection is None:  # it went with its other descriptor
            return
        for one in (connection.link.fileno(), *([connection.watch] if connection.child else [])):
            del self.open[one]
            self.poll.unregister(one)
        if connection.child:
            self._reap(connection.child)
            os.close(connection.watch)
        connection.link.close()
        os.close(connection.connection.descriptor)

    def _reap(self, child: int) -> None:
        """The connection has ended: because the child died, or else the child has to."""
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        elif os.WIFSIGNALED(status):
            self.deaths.append(f"died of {signal.Signals(os.WTERMSIG(status)).name}")


class _Open:
    """A connection, and what has been received of its next line."""

    def __init__(self, link: socket.socket, connection: Connection):
        self.link, self.connection, self.received = link, connection, b""
        self.child: Optional[int] = None
        self.watch = -1  # becomes readable when the child ends

    def attend(self) -> bool:
        """Reads what has arrived, and answers it if it is a line. Returns False at the end."""
        try:
            data = self.link.recv(1 << 20)
            self.received += data
            if self.received.endswith(b"\n"):
                line, self.received = self.received, b""
                self.link.sendall(self.connection.answer(line))
        except OSError:
            return False
        return bool(data)
