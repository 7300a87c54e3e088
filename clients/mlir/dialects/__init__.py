# SPDX-License-Identifier: Apache-2.0
def tensor_type(extents, kind):
    """As MLIR spells it."""
    return f"tensor<{'x'.join(map(str, [*extents, kind]))}>"
