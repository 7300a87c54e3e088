# SPDX-License-Identifier: Apache-2.0
"""What a trial tells of what it has found: all causes in their order, notes, what is kept, and how far it is."""
import functools
import os
import types

import numpy as np
import pytest

import convict
from convict import _built_on, _findings, _kept, _progress, _trial
from kernels import torch_like_conv


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / ".convict"))
    monkeypatch.chdir(tmp_path)


# ---- Causes ---------------------------------------------------------------------------------------------------------


def report_of(*rows):
    """Of rows (verdict, case, name of a known cause, hits), each a cause of its own."""
    return {"mismatches": [{"id": i, "case": case, "verdict": verdict, "certificate": {},
                            "fails_if": "ic = 0", "predicate": "ic = 0"}
                           for i, (verdict, case, _, _) in enumerate(rows)],
            "causes": [{"blame": "target", "name": name, "title": name and "A title", "hits": hits, "mismatches": [i]}
                       for i, (_, _, name, hits) in enumerate(rows)]}


def test_known_causes_and_empty_operands_are_notes():
    rows = [("wrong-exact", "conv2d in=10x20", None, 1), ("shape", "conv2d ic=0 in=3", None, 3),
            ("wrong-exact", "conv2d in=2x3", "torch-x", 1)]
    causes, notes = _findings.causes_in(report_of(*rows), is_like_torch=True)
    assert [one.case for one in causes] == ["conv2d in=10x20"]
    assert notes == ["with empty operands only, where ic = 0, the verdict is shape; 3 cases, such as conv2d ic=0 in=3",
                     "known of what it is built on: A title (torch-x); 1 case, such as conv2d in=2x3"]
    causes, _ = _findings.causes_in(report_of(*rows), is_like_torch=False)  # which has its own words on what is empty
    assert [one.case for one in causes] == ["conv2d in=10x20", "conv2d ic=0 in=3"]
    report = report_of(("shape", "conv2d ic=0 in=3", None, 3))
    report["mismatches"][0].update(fails_if="anything is computed", predicate="")
    causes, notes = _findings.causes_in(report, is_like_torch=True)
    assert len(causes) == 1 and not notes, "it fails with elements, too"


def two_faults(x, w, b, stride, padding, dilation, groups):
    if dilation[0] > 1:
        raise IndexError("no such row")
    y = torch_like_conv(x, w, b, stride, padding, dilation, groups)
    return y * 2 if groups > 1 else y


def test_all_causes_are_told():
    with pytest.raises(convict.Falsified) as caught:
        convict.trial(two_faults, like="torch.conv2d", cases=60, seed=1, shrink="200ms",
                      where="n>=1 ic>=1 oc>=1 in>=1")
    wrong = caught.value
    assert {one.verdict for one in wrong.causes} >= {"wrong-exact", "refuses-valid"}
    assert wrong.verdict == "wrong-exact" and str(wrong).startswith("two_faults: wrong-exact\n")
    assert "and besides: refuses-valid\n" in str(wrong) and "IndexError: no such row" in str(wrong)
    [file] = [os.path.join(folder, one) for folder, _, names in os.walk(".convict") for one in names if ".cases" in one]
    assert open(file).read().splitlines() == [one.case for one in wrong.causes]
    again = pytest.raises(convict.Falsified, convict.trial, two_faults, like="torch.conv2d", cases=1)
    assert len(again.value.causes) == len(wrong.causes)


# ---- Cases that are kept --------------------------------------------------------------------------------------------


def without_padding(x, w, b, stride, padding, dilation, groups):
    return torch_like_conv(x, w, b, stride, padding, dilation, groups) + (1 if padding[0] else 0)


def test_kept_cases_are_those_that_are_asked_for():
    target = convict.target(like="torch.conv2d")(without_padding)
    kept = _kept.KeptCases(_trial.Settings.folder, target.place)
    kept.add(["conv2d in=3x3 k=3x3 p=1x1"])
    with pytest.raises(convict.Falsified) as caught:
        convict.trial(target, cases=1, seed=1, where="p=1")
    assert caught.value.case == "conv2d in=3x3 k=3x3 p=1x1"
    convict.trial(target, cases=10, seed=1, where="p=0 n>=1 ic>=1 oc>=1 in>=1")
    assert kept.lines() == ["conv2d in=3x3 k=3x3 p=1x1"]


def test_functions_of_one_name_do_not_share_them(tmp_path):
    def mine():
        pass

    def wrapped(function):
        @functools.wraps(function)
        def around(*words):
            return function(*words)

        return around

    folder = str(tmp_path / ".convict")
    places = [mine, without_padding, wrapped(without_padding), np.zeros, functools.partial(mine)]
    paths = {_kept.KeptCases(folder, _kept.place_of(one)).path for one in places}
    assert len(paths) == len(places)
    inside = _kept.KeptCases(folder, (str(tmp_path / "kernels/mine.py"), "conv2d"))
    assert str(inside.path) == f"{folder}/kernels/mine.py/conv2d.cases"


# ---- What a function is built on ------------------------------------------------------------------------------------


def framework(monkeypatch):
    """A module called torch, with a function."""
    torch = types.ModuleType("torch")
    exec("def conv(*words):\n    pass\n", vars(torch))
    vars(torch)["conv"].__module__ = "torch"
    monkeypatch.setitem(__import__("sys").modules, "torch", torch)
    return torch


def test_what_it_is_built_on_is_found(monkeypatch):
    torch = framework(monkeypatch)

    class Layer:
        def __call__(self, x):
            return torch.conv(x)

    def calls(*words):
        return torch.conv(*words)

    def imports(*words):
        import torch as inner

        return inner.conv(*words)

    def by_another(*words):
        return calls(*words)

    def inside(*words):
        return [calls(one) for one in words]

    for one in (calls, imports, by_another, inside, torch.conv, functools.partial(calls, 1), Layer(), Layer):
        assert _built_on.framework_of(one, None) == "torch", one
    for one in (torch_like_conv, np.zeros, two_faults, lambda x: x):
        assert _built_on.framework_of(one, None) is None, one


def test_what_it_is_built_on_may_be_told():
    assert _built_on.framework_of(two_faults, "jax") == "jax"
    assert _built_on.framework_of(two_faults, []) is None


def test_known_causes_of_pytorch_are_notes():
    torch = pytest.importorskip("torch")
    with pytest.warns(convict.Note, match="known of what it is built on: .*libtorch-no-input-channels-in-conv2d"
                      ) as told:
        convict.trial(torch.conv2d, like="torch.conv2d", xp="torch", cases=60, seed=1, where="fill=int ic=0")
    assert len(told) == 1


# ---- How far it is --------------------------------------------------------------------------------------------------


def shown(terminal, text, elsewhere=None):
    reads, writes = os.pipe()
    progress = _progress.Progress(reads, terminal, elsewhere)
    os.write(writes, text)
    os.close(writes)
    return progress.finish()


def test_a_function_that_may_compile_is_asked_for_little_at_once():
    batches = [convict.target(like="torch.conv2d", built_on=one)(torch_like_conv).batch for one in ([], "torch")]
    assert batches == [32, 4]


def rest_of(terminal):
    """What was written on the other side, which is closed: the kernel passes it on in pieces."""
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 1000)
        except OSError:  # of a terminal, that is the end
            return seen


def test_a_terminal_shows_the_last_line_and_takes_it_away():
    ours, terminal = os.openpty()
    assert shown(terminal, b"first\nlast\n") == "first\nlast\n"
    os.close(terminal)
    seen = rest_of(ours)
    assert b"last" in seen and b"first" not in seen and b"\n" not in seen
    assert seen.endswith(b"\x1b7\x1b[?7l\x1b[K\x1b[?7h\x1b8")


def test_elsewhere_lines_are_passed_on_or_not():
    reads, writes = os.pipe()
    shown(writes, b"one\ntwo", elsewhere=writes)
    shown(writes, b"silent\n")
    assert os.read(reads, 1000) == b"one\ntwo"


def test_numpy_does_not_warn_of_special_values(recwarn):
    convict.trial(torch_like_conv, like="torch.conv2d", cases=30, seed=1, where="fill=special")
    assert [str(one.message) for one in recwarn if issubclass(one.category, RuntimeWarning)] == []
