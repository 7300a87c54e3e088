# SPDX-License-Identifier: Apache-2.0
"""How a run ends, as docs/process-targets.md has it."""
MOST = 400  # characters of an error


def refused(why):
    return {"status": "refused", "error": why}


def failed(error):
    """Of a text, or of an exception, which begins with its type."""
    said = f"{type(error).__name__}: {error}" if isinstance(error, Exception) else error
    return {"status": "failed", "error": " ".join(said.split())[:MOST]}


def stored(arrays, results):
    """Writes results, by name, into outputs of the same shapes."""
    for name, result in results.items():
        if result.shape != arrays[name].shape:
            return {"status": "wrong_shape", "error": f"{name} is {result.shape}, not {arrays[name].shape}"}
        arrays[name][...] = result
    return {"status": "ok"}
