# SPDX-License-Identifier: Apache-2.0
"""What takes long and guards what few commits touch: only `make test-all` runs it (tests/thorough.h)."""
import os

import pytest

thorough = pytest.mark.skipif(not os.environ.get("CONVICT_THOROUGH"), reason="only `make test-all` runs it")
