# SPDX-License-Identifier: Apache-2.0
# JAX on the CPU: in the weight gradient of a transposed convolution, an infinity in the gradient of the result is NaN at
# the taps that see it only from outside the image.
#     python3 jax-transposed-weight-gradient-special.py
# Exit code: 0 right, 1 wrong.
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp

image, weights = jnp.ones((1, 8, 1, 1)), jnp.ones((1, 3, 1, 1))  # of one column
transposed = lambda weights: jax.lax.conv_transpose(image, weights, (1, 1), "VALID")
result, derive = jax.vjp(transposed, weights)  # of three columns, one for each tap
got = derive(jnp.ones_like(result).at[0, 0, 0, 0].set(jnp.inf))[0].flatten().tolist()
print("JAX", jax.__version__, got, "must be an infinity, and 8 twice")
sys.exit(0 if sorted(got) == [8, 8, float("inf")] else 1)
