# SPDX-License-Identifier: Apache-2.0
"""Options of pytest for trials. Without them every test has its own; in CI (the variable CI is set) seeds are fixed."""
from __future__ import annotations

import os
from typing import Any

from ._trial import Settings

Settings.terminal = os.dup(2)  # before pytest captures what is written there


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("convict")
    group.addoption("--convict-cases", type=int, help="problems of each trial")
    group.addoption("--convict-seed", type=int, help="of each trial")
    group.addoption("--convict-repro", metavar="CASE", help="judge this case only, instead of a trial")


def pytest_configure(config: Any) -> None:
    Settings.cases = config.getoption("--convict-cases")
    Settings.seed = config.getoption("--convict-seed")
    Settings.repro = config.getoption("--convict-repro")
    Settings.folder = str(config.rootpath / ".convict")
