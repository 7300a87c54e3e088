#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/my-kernel.md says of each kind of kernel is right: the project of `new-plugin`, changed as the page says
and with its code, accepts cases of that kind and is right on all of them; its cases are lines.

my_kernel_test.py CONVICT SOURCE_DIR"""
import pathlib
import re
import subprocess
import sys
import tempfile

CONVICT, ROOT = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PAGE = (ROOT / "docs/my-kernel.md").read_text()
SUM, _, DENSE, LEGAL = re.findall(r"```c\n(.*?)```", PAGE, re.S)  # the second one is about abilities
TYPES = "t->src.dtype != CONVICT_F32 || t->wei.dtype != CONVICT_F32 || t->dst.dtype != CONVICT_F32"


def changed(code, *edits):
    for old, new in edits:
        assert old in code, f"the project has no '{old}'"
        code = code.replace(old, new)
    return code


def int8(code):
    """The types, and indices in place of pointers to float."""
    return changed(code, (TYPES, TYPES.replace("CONVICT_F32", "CONVICT_U8", 1).replace("CONVICT_F32", "CONVICT_S8", 1)
                          .replace("CONVICT_F32", "CONVICT_S32", 1)),
                   ("static float* at(", "static int64_t at("), ("return (float*)t->data +", "return"),
                   ("static float sum_of", "static int32_t sum_of"),
                   ("float sum = 0;", "const uint8_t* src = t->src.data;\n  const int8_t* wei = t->wei.data;\n"
                    "  int32_t sum = 0;"),
                   ("sum += *at(&t->src, n, first + c, y, x) * *at(&t->wei, k, c, r, s);\n", SUM),
                   ("const float* bias = (const float*)t->bias.data;", "const int32_t* bias = t->bias.data;"),
                   ("*at(&t->dst, n, k, y, x) =", "((int32_t*)t->dst.data)[at(&t->dst, n, k, y, x)] ="))


def channels_last(code):
    function, use = DENSE.split("...\n")
    return changed(code, ("static float* at(", f"{function}\nstatic float* at("),
                   ("static const char* unsupported",
                    "static int is_dense(const convict_tensor*, const int order[4]);\nstatic const char* unsupported"),
                   ("  if (p->groups < 1", f"{use}  if (p->groups < 1"))


def depthwise(code):
    loop = "  for (int i = 0; i < p->rank"
    return changed(code, (loop, '  if (!(p->groups == p->ic && p->groups == p->oc)) return "no";\n' + loop))


def transposed(code):
    body = code[code.index("    if (p->kernel[i] < 1"):code.index("  }\n  return NULL;")]
    sum_of = code[code.index("  const int64_t channels"):code.index("static convict_status run")]
    return changed(code, (body, LEGAL), ("p->op != CONVICT_CONV", "p->op != CONVICT_CONV_TRANSPOSE"), (sum_of, """\
  const int64_t outputs = p->oc / p->groups, inputs = p->ic / p->groups, first = k / outputs * inputs;
  float sum = 0;
  for (int64_t r = 0; r < p->kernel[0]; ++r)
    for (int64_t s = 0; s < p->kernel[1]; ++s) {
      const int64_t y = oy + p->pad_begin[0] - r * p->dilation[0], x = ox + p->pad_begin[1] - s * p->dilation[1];
      if (y < 0 || y % p->stride[0] != 0 || y / p->stride[0] >= p->in[0]) continue;
      if (x < 0 || x % p->stride[1] != 0 || x / p->stride[1] >= p->in[1]) continue;
      for (int64_t c = 0; c < inputs; ++c)
        sum += *at(&t->src, n, first + c, y / p->stride[0], x / p->stride[1]) *
               *at(&t->wei, first + c, k % outputs, r, s);
    }
  return sum;
}

"""))


KINDS = {"int8 with s32 sums": int8, "channels-last": channels_last, "depthwise": depthwise, "transposed": transposed}


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return done.returncode, done.stdout


def main():
    lines = dict(re.findall(r"^\| ([^|]+) \|.*\| `([^`]+)` \|$", PAGE, re.M))
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "convict").symlink_to(ROOT / "src/abi")  # has convict.h
        run(CONVICT, "new-plugin", "--lang", "c", "mine", cwd=folder)
        project = (folder / "mine/mine.c").read_text()
        for kind, change in KINDS.items():
            (folder / "mine.c").write_text(change(project))
            tries = [("cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-I.", "-o", "mine.so", "mine.c"),
                     (CONVICT, "repro", "--plugin", "./mine.so", "--oracle", "none", lines[kind]),
                     (CONVICT, "fuzz", "--plugin", "./mine.so", "--oracle", "none", "--cases", "600", "-q")]
            for command in tries:
                code, output = run(*command, cwd=folder)
                if code != 0:
                    wrong.append(f"{kind}: {command[0]}: exit code {code}\n{output}")
                    break
        for line in lines.values():
            code, output = run(CONVICT, "repro", "--target", "native", "--oracle", "none", line)
            if code != 0:
                wrong.append(f"{line}: {output}")
    print("\n".join(wrong) if wrong else f"{len(KINDS)} kinds, {len(lines)} lines: fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
