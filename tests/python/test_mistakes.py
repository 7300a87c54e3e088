# SPDX-License-Identifier: Apache-2.0
"""Mistakes of people who write their first trial. Each is answered by one line that names it and says what to do,
judges nobody and keeps nothing."""
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import convict
from convict import _trial
from kernels import torch_like_conv


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / ".convict"))
    monkeypatch.chdir(tmp_path)


def is_one_line(text):
    return "\n" not in text.strip() and len(text) < 900


# ---- Functions ------------------------------------------------------------------------------------------------------


def three(x, w, b):
    return x


def of_the_problem(problem, tensors):
    pass


async def awaited(x, w, b, stride, padding, dilation, groups):
    return torch_like_conv(x, w, b, stride, padding, dilation, groups)


def yielding(x, w, b, stride, padding, dilation, groups):
    yield x


def later(*words):
    return (one for one in words)


def promised(*words):
    return awaited(*words)


def nothing(*words):
    torch_like_conv(*words)


def pair(*words):
    return torch_like_conv(*words), None


def by_name(*words):
    return {"output": torch_like_conv(*words)}


def as_text(*words):
    return str(torch_like_conv(*words))


def as_objects(*words):
    return torch_like_conv(*words).astype(object)


def complex_numbers(*words):
    return torch_like_conv(*words).astype("complex64")


def ragged(*words):
    return [[1.0], [2.0, 3.0]]


def misspelt(x, *rest):
    return nump.zeros_like(x)  # noqa: F821


def not_installed(x, *rest):
    import no_such_package

    return no_such_package.conv(x)


def of_tensors(x, w, *rest):
    return x.permute(0, 2, 3, 1)


def returns_instead(problem, tensors):
    return np.zeros_like(tensors["dst"])


def of_arrays(image, filters, border=0):
    return torch_like_conv(image, filters, None, (1, 1), (border, border), (1, 1), image.shape[1] // filters.shape[1])


class Method:
    def conv2d(self, x, w, b, stride, padding, dilation, groups):
        return torch_like_conv(x, w, b, stride, padding, dilation, groups)


def right(*words):
    return torch_like_conv(*words)


def without_headers(*words):
    raise RuntimeError("compile failed: fatal error: Python.h: No such file or directory")


def without_headers_for_minutes(*words):
    warnings.warn("Can't find Python.h in /usr/include/python3.11")
    return torch_like_conv(*words)


@pytest.mark.parametrize("function", [without_headers, without_headers_for_minutes])
@pytest.mark.parametrize("isolate", [False, True])
def test_what_a_compiler_lacks_is_said_and_nothing_is_judged(function, isolate):
    with pytest.raises(convict.Refused, match="nothing was judged: torch.compile finds no Python.h.* python3-dev") as why:
        convict.trial(function, like=TORCH, cases=20, isolate=isolate)
    assert is_one_line(str(why.value))


TORCH = "torch.conv2d"
CALLS = [
    # the function
    (three, {}, r"three\(x, w, b\) is not called like this: too many .* with like='torch.conv2d': f\(input, weight"),
    (torch_like_conv, {"like": None}, "valid without like=: f\\(problem, tensors\\), or like="),
    (of_the_problem, {}, "not called like this: too many positional"),
    (torch_like_conv, {"like": "onnx.Conv"}, r"got an unexpected keyword|missing a required argument: 'stride'"),
    (3, {}, "is an int; valid: a function"),
    (None, {}, "is a NoneType; valid: a function"),
    ("conv2d", {}, "is a str; valid: a function"),
    ([right], {}, "is a list; valid: a function"),
    (np.zeros(3), {}, "is a ndarray; valid: a function"),
    (np, {}, "numpy is a module; valid: a function of it"),
    (Method.conv2d, {}, "missing a required argument: 'groups'"),
    (Method, {}, "not called like this"),
    (awaited, {}, "awaited is async"),
    (yielding, {}, "yielding is a generator.* `return` instead of `yield`"),
    (lambda: None, {}, r"lambda\(\) is not called like this"),
    # what it returns
    (later, {}, r"later returns a generator; valid: it returns the output, an array of shape \(1, 2, 3, 3\)"),
    (promised, {}, "promised returns a coroutine"),
    (nothing, {}, "nothing returns None; valid: it returns the output"),
    (pair, {}, "pair returns a tuple of 2"),
    (by_name, {}, "by_name returns a dict"),
    (as_text, {}, "as_text returns a str"),
    (as_objects, {}, "returns an ndarray of object; valid: .* of float32|returns a ndarray of object"),
    (complex_numbers, {}, "ndarray of complex64; valid: .* of float32"),
    (ragged, {}, "ragged returns a list of 2"),
    (returns_instead, {"like": None}, r'writes nothing; valid: it writes into tensors\["dst"\]'),
    # what it cannot do at all
    (of_arrays, {"like": None}, r"of_arrays is called as f\(problem, tensors\), and fails: AttributeError: 'Problem' .*"
                                r"valid: like='torch.conv2d'"),
    (misspelt, {}, r"misspelt cannot be called: NameError: name 'nump' is not defined \(test_mistakes.py:\d+\)"),
    (not_installed, {}, "not_installed cannot be called: ModuleNotFoundError: No module named 'no_such_package'"),
    (of_tensors, {}, "given arrays of numpy, and fails: AttributeError.*permute.*--xp torch"),
    # options
    (right, {"like": "torch.conv4d"}, "like='torch.conv4d' is not known .did you mean 'torch.conv1d'|did you mean"),
    (right, {"like": right}, "is not known.*valid: torch.conv1d"),
    (right, {"dtypes": "float32"}, "'float32' is not known; valid: f32"),
    (right, {"dtypes": []}, "dtypes: .* is not known; valid: f32"),
    (right, {"xp": "cupyy"}, "xp='cupyy': No module named 'cupyy'; valid: numpy, torch"),
    (right, {"xp": "json"}, "xp='json' has no from_dlpack"),
    (right, {"contract": {"determinstic": True}}, "contract: 'determinstic' is not known; valid: accumulates"),
    (right, {"contract": {"operand_bits": 3}}, "operand_bits 3; valid: 8 to 53"),
    (right, {"contract": {"algorithm": "magic"}}, '"algorithm" is .magic.; valid: direct'),
    (right, {"built_on": "theano"}, "built_on='theano' is not known; valid: torch"),
    (right, {"case": 5}, "case= is not known; valid: like, cases"),
    (right, {"where": "foo=3"}, "foo"),
    (right, {"where": "k<="}, "k"),
    (right, {"cases": -1}, "--cases"),
    (right, {"seed": "x"}, "--seed"),
    (right, {"isolate": True, "timeout": "never"}, "--timeout"),
    (right, {"shrink": "soon"}, "--shrink"),
    (right, {"illegal": 2}, "--illegal"),
    (right, {"profile": "everything"}, "everything"),
    (convict.target(like=TORCH)(right), {}, "like= is given for right, which is a convict.target"),
]


@pytest.mark.parametrize("function, options, said", CALLS)
def test_a_wrong_call_is_told(function, options, said):
    with pytest.raises(convict.WrongUse, match=said) as caught:
        convict.trial(function, **{"like": TORCH, "cases": 20, "seed": 1, **options})
    assert is_one_line(str(caught.value)), str(caught.value)
    assert not os.path.exists(_trial.Settings.folder)


@pytest.mark.parametrize("function", [nothing, misspelt, pair])
def test_it_is_told_of_isolated_functions_too(function):
    with pytest.raises(convict.WrongUse, match=function.__name__):
        convict.trial(function, like=TORCH, isolate=True, cases=5)
    assert not os.path.exists(_trial.Settings.folder)


@convict.example("conv2d k=zero")
def test_a_wrong_example_is_told():
    with pytest.raises(convict.WrongUse, match="k: .*zero|zero"):
        convict.trial(right, like=TORCH, cases=5)


# ---- The command line -----------------------------------------------------------------------------------------------

FILES = {
    "blurs.py": "def blur(x, w, b, stride, padding, dilation, groups):\n    return x\n",
    "mine.py": "def conv2d(x, w, b, stride, padding, dilation, groups):\n    return x\nweights = [1, 2]\n",
    "broken.py": "def conv2d(:\n",
    "raises.py": "\nraise RuntimeError('not today')\n",
    "ends.py": "import sys\nsys.exit(3)\n",
}
COMMANDS = [
    ("fuzz mine.py", "'mine.py' is not valid; valid: mine.py:NAME, with NAME one of conv2d"),
    ("fuzz", "the following arguments are required: target; `python -m convict fuzz --help` shows what is valid"),
    ("fuzz conv2d", "'conv2d' is not valid; valid: FILE.py:NAME or MODULE:NAME"),
    ("fuzz missing.py:conv2d", "'missing.py' does not exist; valid: a file with Python code"),
    ("fuzz mine.py:conv3d", "'mine.py' has no 'conv3d' (did you mean 'conv2d'?); valid: conv2d"),
    ("fuzz mine.py:weights", "weights is a list; valid: a function"),
    ("fuzz blurs.py:blur", "valid without like=: f(problem, tensors), or like='torch.conv1d', which passes what"),
    ("fuzz mine.py:conv2d --like conv2d", "like='conv2d' is not known"),
    ("fuzz mine.py:conv2d --like torch.conv2d --where nonsense", "nonsense"),
    ("fuzz broken.py:conv2d", "'broken.py' cannot be imported: SyntaxError: "),
    ("fuzz raises.py:conv2d", "'raises.py' cannot be imported: RuntimeError: not today (line 2)"),
    ("fuzz ends.py:conv2d", "'ends.py' cannot be imported: SystemExit"),
    ("fuzz no_such_module:conv2d", "No module named 'no_such_module'"),
    ("grade mine", "'mine' is no file; valid: FILE.py with Model and ModelNew, or FILE.py:NAME"),
    ("grade mine.py", "mine.py lacks Model, ModelNew, get_inputs, get_init_inputs"),
    ("repro mine.py:conv2d --like torch.conv2d conv2d k=x", "'k=x': not a number"),
]


@pytest.mark.parametrize("words, said", COMMANDS)
def test_a_wrong_command_is_told(tmp_path, words, said):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    command = [sys.executable, "-m", "convict", *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "", done
    assert said in done.stderr.strip().splitlines()[-1], done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("convict: ")] == done.stderr.splitlines()[-1:]
    assert "Traceback" not in done.stderr and not (tmp_path / ".convict").exists()


# ---- What is no wrong use, but easily one's own fault ---------------------------------------------------------------


def changes_an_input(x, w, *rest):
    result = torch_like_conv(x, w, *rest)
    w *= 0
    return result


def cannot(x, w, b, stride, padding, dilation, groups):
    if groups > 1:
        raise NotImplementedError("groups")
    return torch_like_conv(x, w, b, stride, padding, dilation, groups)


def sometimes_nothing(x, w, b, stride, padding, dilation, groups):
    return None if groups > 1 else torch_like_conv(x, w, b, stride, padding, dilation, groups)


def flat(*words):
    return torch_like_conv(*words).reshape(-1)


def ends_the_process(*words):
    raise SystemExit(3)


@pytest.mark.parametrize("function, where, said", [
    (ends_the_process, "g=1", "it said: SystemExit: 3"),
    (changes_an_input, "n=1 ic=1 oc=1 g=1", "it changes an input: compute on a copy"),
    (cannot, "g>=2", "by `raise convict.Refused\\(why\\)`"),
    (sometimes_nothing, "g>=2", "it returns None, and no array"),
    (flat, "n=1", "it returns \\(\\d+,\\), and the output is \\(1, "),
])
def test_a_fault_says_what_to_do(function, where, said):
    with pytest.raises(convict.Falsified, match=said):
        convict.trial(function, like=TORCH, cases=6, seed=1, where=where, shrink="none")


def a_view(x, *rest):
    whole = torch_like_conv(x, *rest)
    return np.stack([whole, whole], -1)[..., 0]


def as_a_list(*words):
    return torch_like_conv(*words).tolist()


def in_double(*words):
    return torch_like_conv(*words).astype("float64")


@pytest.mark.parametrize("function", [a_view, as_a_list, in_double])
def test_what_is_fine(function):
    convict.trial(function, like=TORCH, cases=12, seed=1, where="n>=1 ic>=1 oc>=1 in>=1")
