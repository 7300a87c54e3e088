#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference client with something to tell of its starts and its copies: copied.py NAME [IMPLEMENTATION], a method
of Copied, and what it calls itself. Each start adds a line to starts.txt, and each process that gets a question to run adds its id to runs.txt."""
import contextlib
import os
import signal
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python"))
import convict_client  # noqa: E402


def note(file, text):
    with open(file, "a", encoding="ascii") as lines:
        print(text, file=lines)


class Copied(convict_client.Client):
    """The deed is called with what happens: "start", "fork" (it is asked to wait), "copy" (before the first question of
    one), "run"."""

    def __init__(self, deed, name="textbook-py"):
        note("starts.txt", os.getpid())
        self.name = name
        self.deed = getattr(self, deed)
        self.started = os.getpid()
        self.deed("start")
        super().__init__()

    def begin(self):
        super().begin()
        if os.getpid() != self.started:
            self.deed("copy")

    def answer(self, question):
        answer = super().answer(question)
        if "hello" in question:
            answer["hello"]["implementations"][0].update(name=self.name, lineage=self.name)
        for what in ("fork", "run"):
            if what in question:
                self.deed(what)
        if "fork" in question and self.deed == self.answers_no:
            answer["fork"] = False
        if "run" in question:
            note("runs.txt", os.getpid())
            self.change(question["run"])
        return answer

    def change(self, problems):
        """Results of dilated kernels are wrong."""
        for problem in problems:
            if problem["dilation"][0] > 1 and problem["kernel"][0] > 1:
                dst = convict_client.Tensor(self.mapped(0), problem["tensors"]["dst"])
                first = tuple(0 for _ in dst.dims)
                dst[first] = dst[first] + 1

    # ---- Is copied ----

    def goes_on(self, _):
        pass

    def dies(self, what):
        if what == "run":
            os.abort()

    def exits(self, what):
        if what == "run":
            os._exit(3)

    def hangs(self, what):
        if what == "run":
            note("runs.txt", os.getpid())
            with open("hangs", "w", encoding="ascii"):  # a pipe of who waits for this
                pass
            signal.pause()

    def hangs_with_a_child(self, what):
        if what == "run" and os.fork() != 0:
            signal.pause()
        if what == "run":
            signal.pause()

    # ---- Is not copied ----

    def has_a_thread(self, what):
        if what == "start":
            threading.Thread(target=threading.Event().wait, daemon=True).start()

    def refuses(self, what):
        if what == "start":
            convict_client.can_fork = lambda: False

    # ---- Does not do its part ----

    def ends_when_it_is_asked(self, what):
        if what == "fork":
            os._exit(0)

    def answers_no(self, _):
        pass

    def ends_when_it_waits(self, what):
        if what == "fork":
            convict_client.wait_for_forks = lambda _: os._exit(0)

    def names_another_process(self, what):
        if what == "fork":
            os.getpid = lambda: self.started

    def copies_end_at_once(self, what):
        if what == "copy":
            os._exit(0)

    def ends_after_one_copy(self, what):
        """The process that is copied ends when a copy runs something."""
        if what == "run" and os.getpid() != self.started:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.started, signal.SIGKILL)


if __name__ == "__main__":
    Copied(*sys.argv[1:]).serve()
