# SPDX-License-Identifier: Apache-2.0
"""Prints the version of the first of these distributions that this Python has, "?" if none, and where this Python is. It
imports none of them.

    sh clients/shared/python.sh tensorflow clients/shared/version.py tensorflow-cpu tensorflow"""
import importlib.metadata
import sys


def version_of(distributions):
    for name in distributions:
        try:
            return importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    return "?"


print(version_of(sys.argv[1:]))
print(sys.executable)
