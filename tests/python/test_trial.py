# SPDX-License-Identifier: Apache-2.0
"""Functions on trial, in this process and isolated."""
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import convict
from convict import _trial
from kernels import conv, onnx_like_conv_transpose, torch_like_conv, torch_like_conv_transpose
from thorough import thorough

np.seterr(all="ignore")  # special values are part of the trial


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(_trial.Settings, "folder", str(tmp_path / "convict"))
    monkeypatch.chdir(tmp_path)


SOON = "200ms"  # to simplify a case in, where a test looks at something else


def falsified(function, like, **options):
    with pytest.raises(convict.Falsified) as caught:
        convict.trial(function, like, **{"cases": 60, "seed": 1, "shrink": SOON, **options})
    return caught.value


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_honest_convolution_is_right(rank):
    convict.trial(torch_like_conv, like=f"torch.conv{rank}d", cases=60, seed=1)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_an_honest_transposed_convolution_is_right(rank):
    convict.trial(torch_like_conv_transpose, like=f"torch.conv_transpose{rank}d", cases=60, seed=1)


def test_one_sided_padding_is_found_and_shrunk():
    def mine(x, w, b, strides, pads, dilations, group, output_padding):
        rank = x.ndim - 2
        return onnx_like_conv_transpose(x, w, b, strides, pads[:rank] * 2, dilations, group, output_padding)

    def of_the_right_shape(x, w, b, strides, pads, dilations, group, output_padding):
        right = onnx_like_conv_transpose(x, w, b, strides, pads, dilations, group, output_padding)
        wrong = mine(x, w, b, strides, pads, dilations, group, output_padding)
        return wrong if wrong.shape == right.shape else np.resize(wrong, right.shape)

    assert falsified(mine, "onnx.ConvTranspose", where="conv_transpose1d").verdict == "shape"
    wrong = falsified(of_the_right_shape, "onnx.ConvTranspose", shrink="1h",
                      where="conv_transpose1d n=1 ic<=2 oc<=2 in>=1 in<=9")  # less to leave out
    assert wrong.verdict in ("wrong-exact", "wrong-proven") and "It fails if" in str(wrong)
    assert ":" in wrong.case and len(wrong.case) < 80  # padding as begin:end
    assert f'@convict.example("{wrong.case}")' in str(wrong)


def test_an_exception_is_a_finding_with_its_traceback():
    def mine(x, w, b, stride, padding, dilation, groups):
        if groups > 1:
            raise IndexError("no such group")
        return torch_like_conv(x, w, b, stride, padding, dilation, groups)

    wrong = falsified(mine, "torch.conv2d")
    assert wrong.verdict == "refuses-valid"
    assert isinstance(wrong.__cause__, IndexError)
    assert wrong.__cause__.__traceback__ is not None


def test_refused_is_no_finding():
    def mine(x, w, b, stride, padding, dilation, groups):
        if groups > 1:
            raise convict.Refused("no groups")
        return torch_like_conv(x, w, b, stride, padding, dilation, groups)

    convict.trial(mine, like="torch.conv2d", cases=100, seed=1)


@thorough
def test_who_refuses_everything_is_not_acquitted():
    def mine(*_):
        raise convict.Refused("not today")

    with pytest.raises(convict.Refused, match="not today"):
        convict.trial(mine, like="torch.conv2d", cases=20, seed=1)


def test_what_it_prints_disturbs_nobody(capfd):
    def mine(*words):
        print("computing")
        return torch_like_conv(*words)

    convict.trial(mine, like="torch.conv2d", cases=20, seed=1)
    assert "computing" in capfd.readouterr().out


def test_a_changed_input_is_named():
    def mine(x, w, *rest):
        result = torch_like_conv(x, w, *rest)
        w *= 0
        return result

    assert falsified(mine, "torch.conv2d", cases=12).verdict == "input-written"  # each one ends a process of convict's


def test_isolated_it_may_die():
    def mine(x, *rest):
        if x.shape[0] > 1:
            os.kill(os.getpid(), signal.SIGUSR1)
        return torch_like_conv(x, *rest)

    wrong = falsified(mine, "torch.conv2d", isolate=True, cases=12, shrink="1s")
    assert wrong.verdict == "crash"
    assert "SIGUSR1" in str(wrong)


def test_isolated_it_may_hang():
    def mine(x, *rest):
        if x.shape[0] > 1:
            signal.pause()
        return torch_like_conv(x, *rest)

    wrong = falsified(mine, "torch.conv2d", isolate=True, timeout="200ms", cases=12, shrink="1s")
    assert wrong.verdict == "hang"


@convict.example("conv2d g=2 ic=2 oc=2 in=5 k=3")
def test_an_example_that_is_refused_is_a_note():
    def ungrouped(*words):
        if words[-1] > 1:
            raise convict.Refused("no groups")
        return torch_like_conv(*words)

    note = "ungrouped: --example 'conv2d g=2 .*': ungrouped refused: no groups; valid: a case"
    with pytest.warns(convict.Note, match=note):
        convict.trial(ungrouped, like="torch.conv2d", cases=20, seed=1)


@convict.example("conv2d in=3 k=3 p=2 seed=5")
def test_an_example_is_judged_first():
    seen = []

    def mine(x, w, *rest):
        seen.append((x.shape, w.shape))
        return torch_like_conv(x, w, *rest)

    convict.trial(mine, like="torch.conv2d", cases=5, seed=1)
    assert seen[1] == ((1, 1, 3, 3), (1, 1, 3, 3))  # behind the plain problem that tells wrong use


def test_a_falsifying_case_is_remembered_until_it_is_right():
    wrong_now = True

    def mine(*words):
        return torch_like_conv(*words) * (0 if wrong_now else 1)

    case = falsified(mine, "torch.conv2d").case
    name = "test_a_falsifying_case_is_remembered_until_it_is_right.<locals>.mine.cases"
    [file] = [os.path.join(folder, name) for folder, _, files in os.walk(_trial.Settings.folder) if name in files]
    assert open(file).read() == case + "\n"
    assert falsified(mine, "torch.conv2d", cases=1).case == case  # at once
    wrong_now = False
    convict.trial(mine, like="torch.conv2d", cases=20, seed=1)
    assert not os.path.exists(file)


@pytest.mark.parametrize("dtypes", ["f64", "f16"])
def test_types_of_numpy(dtypes):
    def mine(x, w, b, *rest):
        wide = [None if one is None else one.astype("float64") for one in (x, w, b)]
        with np.errstate(all="ignore"):
            return torch_like_conv(*wide, *rest).astype(x.dtype)

    convict.trial(mine, like="torch.conv2d", dtypes=dtypes, cases=60, seed=1)


@thorough
def test_bf16_comes_as_bits():
    def to_f32(bits):
        return (bits.astype("uint32") << 16).view("float32")

    def to_bf16(numbers):
        bits = numbers.astype("float32").view("uint32").astype("uint64")
        rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
        return np.where(np.isnan(numbers), 0x7FC0, rounded).astype("uint16")

    def mine(x, w, b, *rest):
        with np.errstate(all="ignore"):
            return to_bf16(torch_like_conv(to_f32(x), to_f32(w), None if b is None else to_f32(b), *rest))

    convict.trial(mine, like="torch.conv2d", dtypes="bf16", cases=60, seed=1)


def test_integers_through_the_plain_interface():
    def mine(p, tensors):
        if p.name != "conv2d" or p.src_zero_point or p.beta or p.relu:
            raise convict.Refused("only conv2d, plain")
        src, wei, dst = (tensors[name] for name in ("src", "wei", "dst"))
        bias = tensors["bias"].astype("int64") if p.bias else None
        pads = list(zip(p.pad_begin, p.pad_end))
        exact = conv(src.astype("int64"), wei.astype("int64"), bias, p.stride, pads, p.dilation, p.groups)
        limits = np.iinfo(dst.dtype)
        dst[...] = (exact + p.dst_zero_point).clip(limits.min, limits.max)

    convict.trial(mine, dtypes=["s8", "s32"], where="conv2d.forward", cases=60, seed=1, profile="int8")


def moved_winograd(p, tensors):
    """F(4, 3) in f32; the last tile of a row is moved back until it ends with it."""
    if p.name != "conv1d" or p.kernel[0] != 3 or p.stride[0] != 1 or p.dilation[0] != 1 or p.relu or p.beta:
        raise convict.Refused("only conv1d with kernels of 3")
    bt = np.array([[4, 0, -5, 0, 1, 0], [0, -4, -4, 1, 1, 0], [0, 4, -4, -1, 1, 0], [0, -2, -1, 2, 1, 0],
                   [0, 2, -1, -2, 1, 0], [0, 4, 0, -5, 0, 1]], "float32")
    g = np.array([[1 / 4, 0, 0], [-1 / 6] * 3, [-1 / 6, 1 / 6, -1 / 6], [1 / 24, 1 / 12, 1 / 6],
                  [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]], "float32")
    at = np.array([[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]], "float32")
    src, wei, dst, length = tensors["src"], tensors["wei"], tensors["dst"], p.out[0]
    padded = np.zeros((p.batch, p.ic, length + 8), "float32")  # as much of the image as the windows reach
    first = p.pad_begin[0]
    for i in range(max(0, -first), min(p.in_[0], length + 2 - first)):
        padded[:, :, i + first] = src[:, :, i]
    inputs, outputs = p.ic // p.groups, p.oc // p.groups
    origins = [min(o, length - 4) if length > 4 else 0 for o in range(0, length, 4)]
    for n, k, o in np.ndindex(p.batch, p.oc, len(origins)):
        group, total = k // outputs, np.zeros(6, "float32")
        for c in range(inputs):
            tile = padded[n, group * inputs + c, origins[o]:origins[o] + 6]
            total += (g @ wei[k, c]).astype("float32") * (bt @ tile).astype("float32")
        row = dst[n, k, origins[o]:origins[o] + 4]
        row[...] = (at @ total)[:len(row)] + (tensors["bias"][k] if p.bias else np.float32(0))


@thorough
def test_moved_tiles_are_for_who_announces_them():
    tiles = {"algorithm": "winograd", "winograd_m": 4, "winograd_r": 3}
    options = dict(where="conv1d.forward k=3 s=1 d=1 n=1 ic<=2 oc<=2", cases=300, seed=1)
    convict.trial(moved_winograd, contract={**tiles, "moves_tiles": True}, **options)
    with pytest.raises(convict.Falsified) as caught:
        convict.trial(moved_winograd, contract=tiles, shrink=SOON, **options)
    assert caught.value.verdict == "wrong-proven"


def test_operands_of_fewer_bits_are_for_who_announces_them():
    def tf32(x, w, *others):
        return torch_like_conv(*((np.array(a).view("uint32") & 0xffffe000).view("float32") for a in (x, w)), *others)

    convict.trial(tf32, like="torch.conv2d", contract={"operand_bits": 11}, cases=60, seed=1)
    assert falsified(tf32, "torch.conv2d").verdict in ("wrong-proven", "wrong-exact", "contract")


def test_points_that_no_tile_has_are_named():
    tiles = {"algorithm": "winograd", "winograd_m": 4, "winograd_r": 3}
    for points, valid in [([0, 1], "= 5"), ([0, 1, 2, 3, 1], "distinct"), (["0"] * 5, "hello"), (3, "hello")]:
        with pytest.raises(Exception, match=valid):
            convict.trial(moved_winograd, contract={**tiles, "points": points}, cases=10, seed=1)


def requantized(p, tensors, half):
    if p.name != "conv2d" or p.requantization != "single" or p.relu:
        raise convict.Refused("only conv2d with one rounding")
    src, wei, dst = tensors["src"].astype("int64") - p.src_zero_point, tensors["wei"].astype("int64"), tensors["dst"]
    bias = tensors["bias"].astype("int64") if p.bias else None
    total = conv(src, wei, bias, p.stride, list(zip(p.pad_begin, p.pad_end)), p.dilation, p.groups)
    factor, shift = (tensors[name].astype("int64").reshape(1, -1, 1, 1) for name in ("multiplier", "shift"))
    result = (total * factor + (half << (30 - shift))) >> (31 - shift)
    dst[...] = (result + p.dst_zero_point).clip(p.clamp_low, p.clamp_high)


@thorough
def test_requantized_sums_are_for_who_announces_them():
    def right(p, tensors):
        requantized(p, tensors, 1)

    def truncating(p, tensors):
        requantized(p, tensors, 0)

    options = dict(dtypes=["s8", "u8", "s32"], where="conv2d.forward", cases=60, seed=1, profile="int8")
    convict.trial(right, contract={"requantizes": True}, **options)
    with pytest.raises(convict.Falsified):
        convict.trial(truncating, contract={"requantizes": True}, shrink=SOON, **options)
    with pytest.raises(convict.Refused):
        convict.trial(right, **options)


def test_the_seed_repeats_a_trial():
    def mine(x, *rest):
        shapes.append(x.shape)
        return torch_like_conv(x, *rest)

    runs = []
    for _ in range(2):
        shapes = []
        convict.trial(mine, like="torch.conv2d", cases=10, seed=3)
        runs.append(sorted(shapes))  # how many are computed ahead, and so the order, depends on the speed
    assert runs[0] == runs[1]


def test_pytest_options(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "import convict\n"
        "from kernels import torch_like_conv\n"
        "asked = []\n"
        "def mine(x, *rest):\n"
        "    asked.append(x.shape)\n"
        "    return torch_like_conv(x, *rest)\n"
        "def test_mine():\n"
        "    convict.trial(mine, like='torch.conv1d', cases=30, where='conv1d.forward')\n"
        "    print('asked', len(asked), asked[1:4])\n"
    )

    def asked_with(*words):
        plugin = [] if _is_installed() else ["-p", "convict.pytest_plugin"]
        told = subprocess.run([sys.executable, "-m", "pytest", "-q", "-s", *plugin, *words, str(tmp_path / "test_mine.py")],
                              capture_output=True, text=True, cwd=tmp_path).stdout
        count, shapes = re.search(r"asked (\d+) (.*)", told).groups()
        return int(count), shapes

    many, first = asked_with("--convict-seed=5")
    few, as_before = asked_with("--convict-seed=5", "--convict-cases=3")
    assert few < many and as_before == first
    assert asked_with("--convict-seed=6", "--convict-cases=3")[1] != first
    assert set(re.findall(r"\((.*?)\)", asked_with("--convict-repro=conv1d in=3")[1])) == {"1, 1, 3"}


def test_a_failure_shows_the_test_and_no_line_of_the_package(tmp_path):
    (tmp_path / "test_mine.py").write_text(
        "import convict\n"
        "import numpy\n"
        "def test_mine():\n"
        "    convict.trial(lambda x, *rest: numpy.zeros((1,)), like='torch.conv2d', cases=20, seed=1, shrink='200ms')\n"
    )
    told = subprocess.run([sys.executable, "-m", "pytest", "-q", str(tmp_path / "test_mine.py")],
                          capture_output=True, text=True, cwd=tmp_path).stdout
    assert "convict.trial(lambda" in told and "Falsified" in told
    assert "_trial.py" not in told


def _is_installed():
    from importlib.metadata import entry_points

    found = entry_points()
    plugins = found.select(group="pytest11") if hasattr(found, "select") else found.get("pytest11", [])
    return any(one.name == "convict" for one in plugins)


def test_without_the_program_it_says_what_to_do(monkeypatch):
    monkeypatch.setenv("CONVICT", "/no/such/program")
    with pytest.raises(convict.ProgramMissing, match="CONVICT=/no/such/program is not a program"):
        convict.trial(torch_like_conv, like="torch.conv2d")


def test_an_unknown_signature_names_the_valid_ones():
    with pytest.raises(ValueError, match="'torch.conv4d' is not known.*valid: torch.conv1d"):
        convict.trial(torch_like_conv, like="torch.conv4d")
    with pytest.raises(ValueError, match="'f8' is not known; valid: f32"):
        convict.trial(torch_like_conv, like="torch.conv2d", dtypes="f8")
