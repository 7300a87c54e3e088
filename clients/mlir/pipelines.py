# SPDX-License-Identifier: Apache-2.0
"""The ways from a dialect to code of the machine."""
import dataclasses

from dialects import linalg, tosa

LOWERING = ("expand-strided-metadata,lower-affine,convert-scf-to-cf,canonicalize,convert-to-llvm,"
            "reconcile-unrealized-casts")
BUFFERS = ("one-shot-bufferize{bufferize-function-boundaries=1 "
           "function-boundary-type-conversion=identity-layout-map},")
LOOPS = BUFFERS + "convert-linalg-to-loops," + LOWERING


@dataclasses.dataclass(frozen=True)
class Pipeline:
    description: str
    passes: str
    script: str = ""  # in the transform dialect; the pass transform-interpreter runs it
    level: str = "-O0"
    dialect: object = linalg
    plain_2d: bool = False  # rank 2 only, without groups
    dense: bool = False  # no dilation
    transform: int = 0  # the tile of a Winograd transform
    longest_vector: int = 0
    contract: dict = dataclasses.field(default_factory=dict)


ANY = "!transform.any_op"


def script(operation, lines, after=""):
    """Applies the lines to each operation %op of this name."""
    return f"""transform.named_sequence private @__transform_main(%module: {ANY} {{transform.readonly}}) {{
  %all = transform.structured.match ops{{["{operation}"]}} in %module : ({ANY}) -> {ANY}
  transform.foreach %all : {ANY} {{
  ^bb0(%op: {ANY}):
    {lines}
  }}
  {after}
  transform.yield
}}
"""


IM2COL = script("linalg.conv_2d_nhwc_hwcf",
                f"%a, %b = transform.structured.convert_conv2d_to_img2col %op : ({ANY}) -> ({ANY}, {ANY})")
# A loop over the rows of the output and of the kernel, and vectors in it.
VECTORS = script(
    "linalg.conv_2d_nhwc_hwcf",
    f"%tile, %loops:3 = transform.structured.tile_using_for %op tile_sizes [1, 1, 0, 0, 1, 0, 0] : ({ANY}) -> "
    f"({ANY}, {ANY}, {ANY}, {ANY})\n    %row = transform.structured.decompose %tile : ({ANY}) -> {ANY}",
    f'%functions = transform.structured.match ops{{["func.func"]}} in %module : ({ANY}) -> {ANY}\n'
    f"  %vectors = transform.structured.vectorize_children_and_apply_patterns %functions : ({ANY}) -> {ANY}")
VECTOR_LOWERING = ("func.func(lower-vector-multi-reduction),convert-vector-to-scf{full-unroll=1},"
                   "convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
                   "convert-vector-to-llvm,canonicalize,convert-to-llvm,reconcile-unrealized-casts")


def winograd(kind):
    return script(
        "linalg.conv_2d_nhwc_fhwc",
        f"%new = transform.structured.winograd_conv2d %op {{ fmr = {kind} : i32 }} : ({ANY}) -> ({ANY})",
        '%parts = transform.structured.match ops{["linalg.winograd_filter_transform", '
        '"linalg.winograd_input_transform", "linalg.winograd_output_transform"]} '
        f'in %module : ({ANY}) -> {ANY}\n'
        f"  transform.foreach %parts : {ANY} {{\n  ^bb0(%part: {ANY}):\n"
        f"    %loops = transform.structured.decompose_winograd_op %part : ({ANY}) -> ({ANY})\n  }}")


AFFINE = BUFFERS + "convert-linalg-to-affine-loops,func.func("
TILED = ("affine-loop-tile{tile-size=4},affine-loop-unroll-jam{unroll-jam-factor=3},affine-scalrep,"
         "affine-loop-invariant-code-motion),")
TOSA = "func.func(tosa-optional-decompositions,tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),"
TRANSFORMED = "transform-interpreter,symbol-dce,canonicalize,"


def winograd_pipeline(tile, kind):
    return Pipeline(f"linalg, Winograd's F({tile}, 3)", TRANSFORMED + LOOPS, winograd(kind), "-O2", plain_2d=True,
                    transform=tile, dense=True,
                    contract={"algorithm": "winograd", "winograd_m": tile, "winograd_r": 3})


PIPELINES = {
    "mlir:loops": Pipeline("linalg, plain loops", LOOPS),
    "mlir:affine": Pipeline("linalg, affine loops: tiled, unrolled and jammed", AFFINE + TILED + LOWERING),
    "mlir:fused": Pipeline("linalg, affine loops: fused", AFFINE + "affine-loop-fusion)," + LOWERING),
    "mlir:im2col": Pipeline("linalg, im2col and a multiplication of matrices",
                            TRANSFORMED + "linalg-fold-unit-extent-dims,linalg-fuse-elementwise-ops," + LOOPS, IM2COL,
                            "-O3", plain_2d=True, dense=True),
    "mlir:vectors": Pipeline("linalg, tiled and vectorized", TRANSFORMED + BUFFERS + VECTOR_LOWERING, VECTORS, "-O3",
                             plain_2d=True, longest_vector=256),
    "mlir:winograd2": winograd_pipeline(2, kind=0),
    "mlir:winograd4": winograd_pipeline(4, kind=1),
    "mlir:tosa": Pipeline("TOSA, through linalg to loops", TOSA + LOOPS, dialect=tosa),
}
