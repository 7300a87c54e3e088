# SPDX-License-Identifier: Apache-2.0
"""Compiles functions of TVM, many in a module, and keeps them."""
import os
import tempfile
from collections import OrderedDict

import tvm
from tvm import relax

KEPT = 2000  # functions; a small one takes some 100 KiB
# Checks of the parameters of a function: a third of all time, and nothing of the arithmetic.
CONFIGURATION = {"tirx.disable_assert": True}


class Compiler:
    """`passes` are applied to the module before TVM's own pipeline; `mode` is that of relax.build."""

    def __init__(self, passes=None, target="llvm", mode="bytecode"):
        self.passes, self.mode, self.target = passes, mode, target
        self.kept = OrderedDict()  # by key: what was compiled, or the exception instead

    def compiled(self, wanted):
        """`wanted` has functions that build functions of TVM, by key. Returns what can be called, or exceptions."""
        built, new = {}, {key: build for key, build in wanted.items() if key not in self.kept}
        for key, build in new.items():
            try:
                with tvm.target.Target(self.target):  # conv2d_NCHWc asks for it
                    built[key] = build()
            except Exception as error:  # of any kind: what TVM raises is a finding
                self.kept[key] = error
        self._compile(built)
        for key in wanted:
            self.kept.move_to_end(key)
        while len(self.kept) > max(KEPT, len(wanted)):
            self.kept.popitem(last=False)
        return {key: self.kept[key] for key in wanted}

    def _compile(self, built):
        """If a module fails, each half gets one of its own, so that in the end one function is to blame."""
        if not built:
            return
        names = {f"f{place}": key for place, key in enumerate(built)}
        try:
            with tvm.transform.PassContext(config=CONFIGURATION):
                callables = self._module({name: built[key] for name, key in names.items()})
            self.kept.update({key: callables[name] for name, key in names.items()})
        except Exception as error:
            if len(built) == 1:
                self.kept[names["f0"]] = error
                return
            pairs = list(built.items())
            self._compile(dict(pairs[:len(pairs) // 2]))
            self._compile(dict(pairs[len(pairs) // 2:]))

    def _module(self, functions):
        if not isinstance(functions["f0"], (tvm.ir.BaseFunc, tvm.IRModule)):
            return functions  # of Python
        module = tvm.IRModule(dict(pair for name, one in functions.items() for pair in renamed(name, one)))
        target = tvm.target.Target(self.target)
        if isinstance(functions["f0"], tvm.tirx.PrimFunc):
            library = tvm.compile(module, target)
            library = by_compiler(library) if target.kind.name == "c" else library
            return {name: primitive(library[name]) for name in functions}
        with target:
            module = self.passes(module) if self.passes else module
        machine = relax.VirtualMachine(relax.build(module, target, exec_mode=self.mode), tvm.cpu())
        return {name: high_level(machine, name) for name in functions}


def by_compiler(library):
    """What TVM has written in C, compiled by the machine's C++ compiler."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "library.so")
        library.export_library(path)
        return tvm.runtime.load_module(path)


def renamed(name, function):
    """The function as one of a module, or the functions of a module of its own, of which the main one gets the name."""
    if not isinstance(function, tvm.IRModule):
        return [(tvm.ir.GlobalVar(name), function.with_attr("global_symbol", name))]
    names = Names({variable.name_hint: tvm.ir.GlobalVar(f"{name}_{variable.name_hint}")
                   for variable in function.get_global_vars() if variable.name_hint != "main"})
    helpers = [(one, function[old]) for old, one in names.new.items()]
    for one, helper in helpers:
        relax.expr._update_type(one, helper.ty)  # which a variable of a module has
    return [(tvm.ir.GlobalVar(name), names.visit_expr(function["main"]).with_attr("global_symbol", name)), *helpers]


@relax.expr_functor.mutator
class Names(relax.PyExprMutator):
    """Replaces the functions that one calls by those of other names."""

    def __init__(self, new):
        super().__init__()
        self.new = new

    def visit_global_var_(self, variable):
        return self.new[variable.name_hint]


def primitive(function):
    """A function that writes into its last parameters, as one that returns results; those come with old contents."""
    def call(inputs, outputs):
        tensors = [tvm.runtime.tensor(array) for array in outputs]
        function(*map(tvm.runtime.tensor, inputs), *tensors)
        return [tensor.numpy() for tensor in tensors]
    return call


def high_level(machine, name):
    def call(inputs, _):
        results = machine[name](*map(tvm.runtime.tensor, inputs))
        return [one.numpy() for one in ([results] if hasattr(results, "numpy") else results)]
    return call


def reason(error):
    """The last line of an error, which has the message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1] if lines else ''}"[:200]
