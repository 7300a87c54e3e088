# SPDX-License-Identifier: Apache-2.0
# TVM: Schedule.rfactor drops the condition of a loop that was split by a factor which does not divide its extent. The
# last block then writes six elements of a result that has five.
#     python3 tvm-rfactor-predicate.py
# Exit code 0: right. 1: wrong.
import sys

import tvm
from tvm import s_tir, te

a = te.placeholder((5, 4), "float32", "a")
k = te.reduce_axis((0, 4), "k")
schedule = s_tir.Schedule(te.create_prim_func([a, te.compute((5,), lambda i: te.sum(a[i, k], axis=k), name="b")]))
rows, sums = schedule.get_loops(schedule.get_sblock("b"))
schedule.split(rows, [None, 2])
schedule.rfactor(sums, 0)
print(schedule.mod.script())
last = schedule.mod.script().split('T.sblock("b")')[1]
print("T.where in the last block:", "T.where" in last, "- must be True")
sys.exit(0 if "T.where" in last else 1)
