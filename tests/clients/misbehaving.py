#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reference client with one thing that no client should do: misbehaving.py NAME, a method of Misbehaving."""
import json
import mmap
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python"))
import convict_client  # noqa: E402


class Misbehaving(convict_client.Client):
    """Answers as it should, but does what it is named after when it is asked to run something."""

    def __init__(self, deed):
        super().__init__()
        self.deed, self.before, self.untouched = getattr(self, deed), None, b""

    def write(self, text):
        self.answers.write(text)
        self.answers.flush()

    def serve(self):
        for line in self.questions:
            question = json.loads(line)
            if self.deed == self.leaves_an_output and "run" in question:
                self.mapped(question["file_bytes"])
                file, (begin, size) = self.operand(question, True)
                self.untouched = bytes(file[begin : begin + size])
            answer = {"id": question["id"], **self.answer(question)}
            if self.deed == self.is_of_another_version and "hello" in answer:
                answer["hello"]["protocol"] = 2
            if self.deed == self.takes_one_at_a_time and "hello" in answer:
                answer["hello"]["implementations"][0]["batch"] = 1
            if self.deed == self.forgets and "hello" in answer:
                answer["hello"]["implementations"][0]["stateless"] = True
            if "run" in answer:
                answer = self.deed(question, answer)
            self.before = answer
            self.write(json.dumps(answer).encode() + b"\n")
            if answer.get("fork"):
                convict_client.wait_for_forks(question["fork"]["socket"])
                self.begin()
                return self.serve()

    def behaves(self, _, answer):
        return answer

    def is_of_another_version(self, _, answer):
        return answer

    def takes_one_at_a_time(self, _, answer):
        return answer

    def takes_its_time(self, question, answer):
        time.sleep(0.05)
        return self.notes(question, answer)

    def forgets(self, question, answer):
        return self.notes(question, answer)

    def notes(self, question, answer):
        """How many problems come at once."""
        with open("asked.txt", "a", encoding="ascii") as file:
            print(len(question["run"]), file=file)
        return answer

    # ---- Ends or stalls ----

    def dies_of_batches(self, question, answer):
        if len(question["run"]) > 1:
            os.abort()
        return answer

    def dies_of_bias(self, question, answer):
        if any(problem["bias"] for problem in question["run"]):
            os.abort()
        return answer

    def dies(self, *_):
        os.abort()

    def exits(self, *_):
        os._exit(3)

    def ends_quietly(self, *_):
        os._exit(0)

    def hangs(self, *_):
        signal.pause()

    def stops_itself(self, _, answer):
        os.kill(os.getpid(), signal.SIGSTOP)
        return answer

    def survives_sigterm(self, *_):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            signal.pause()

    def eats_memory(self, *_):
        kept = []
        while True:
            kept.append(b"x" * (16 << 20))

    # ---- Says what is no answer ----

    def talks_nonsense(self, *_):
        self.write(b"what?\n")
        signal.pause()

    def prints(self, _, answer):
        self.write(b"computing...\n")
        return answer

    def says_half_a_line(self, _, answer):
        self.write(json.dumps(answer).encode()[:10])
        os._exit(0)

    def waits_after_half_a_line(self, _, answer):
        self.write(json.dumps(answer).encode()[:10])
        signal.pause()

    def never_ends_its_line(self, *_):
        """What it says when it is hung up on has to come before what is said of it, or not at all."""
        try:
            while True:
                self.write(b"x" * (1 << 20))
        except BrokenPipeError:
            os.write(2, b"the pipe is broken\n" * 100)
            os._exit(1)

    def answers_what_was_not_asked(self, _, answer):
        answer["run"].append({"status": "ok"})
        return answer

    def answers_the_question_before(self, *_):
        return self.before

    def has_another_status(self, _, answer):
        answer["run"][0] = {"status": "perhaps"}
        return answer

    def closes_its_stdout(self, *_):
        self.answers.close()
        signal.pause()

    # ---- Does with the file what it may not ----

    def operand(self, question, output):
        """The first operand of the first problem that is an output, or not: the file, and the operand's buffer."""
        tensors = question["run"][0]["tensors"].values()
        return self.file, next(tensor["buffer"] for tensor in tensors if tensor["output"] == output)

    def writes_an_input(self, question, answer):
        file, (begin, _) = self.operand(question, False)
        file[begin] ^= 1
        return answer

    def writes_behind_its_output(self, question, answer):
        file, (begin, size) = self.operand(question, True)
        file[begin + size] ^= 1
        return answer

    def writes_before_its_output(self, question, answer):
        file, (begin, _) = self.operand(question, True)
        file[begin - 1] ^= 1
        return answer

    def leaves_an_output(self, question, answer):
        file, (begin, size) = self.operand(question, True)
        file[begin : begin + size] = self.untouched
        return answer

    def shrinks_the_file(self, _, answer):
        os.ftruncate(self.descriptor, mmap.PAGESIZE)
        return answer

    # ---- Starts others ----

    def forks(self, _, answer):
        if os.fork() == 0:
            os.setsid()
            time.sleep(1000)
        return answer

    def leaves_children_and_exits(self, *_):
        """They keep its stdout, one of them in a process group of its own, and say nothing."""
        for group in (os.getpgrp, os.setpgrp):
            if os.fork() == 0:
                group()
                signal.pause()
        os._exit(1)

    def answers_leaves_children_and_exits(self, _, answer):
        self.write(json.dumps(answer).encode() + b"\n")
        self.leaves_children_and_exits()

    def leaves_a_daemon_and_dies(self, *_):
        subprocess.Popen(["sleep", "1000"], start_new_session=True)
        os.abort()


if __name__ == "__main__":
    Misbehaving(sys.argv[1]).serve()
