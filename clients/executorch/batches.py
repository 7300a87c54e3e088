# SPDX-License-Identifier: Apache-2.0
"""The problems of one question: as many in one program as work together."""
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.runtime import Runtime

import convict
import programs
import statuses

LEFT = "XNNPACK does not take it"


def run(calls, results, is_risky):
    """The statuses. One that fails ends the program that it is in: what is likely to has one of its own."""
    alone = [[call] for call in calls if is_risky(*call[:2])]
    together = [call for call in calls if not is_risky(*call[:2])]
    done = {id(call): status for group in (together, *alone) for call, status in zip(group, halved(group, results))}
    return [done[id(call)] for call in calls]


def halved(calls, results):
    """Where a program of all does not work, each half has one."""
    if not calls:
        return []
    try:
        made = results(calls)
    except Exception as error:  # pylint: disable=broad-except
        half = len(calls) // 2
        if half:
            return halved(calls[:half], results) + halved(calls[half:], results)
        return [statuses.refused(str(error)) if isinstance(error, convict.Refused) else statuses.failed(error)]
    return [finished(*call, result) for call, result in zip(calls, made)]


def finished(problem, arrays, outputs, results):
    if isinstance(results, str):
        return statuses.refused(results)
    names = sorted(outputs, reverse=True)
    return statuses.stored({name: programs.view(arrays[name], problem.dtypes[name]) for name in names},
                           {name: result + problem.dst_zero_point for name, result in zip(names, results)})


def lowered(model, images, to_xnnpack):
    """The program of a model, and which of its results XNNPACK leaves. Raises Refused if it leaves what others need."""
    edge = to_edge_transform_and_lower(torch.export.export(model, tuple(images), strict=False),
                                       partitioner=[XnnpackPartitioner()] if to_xnnpack else None)
    graph = edge.exported_program().graph
    left = {at for at, node in enumerate(graph.output_node().args[0]) if to_xnnpack and has_convolution(node)}
    if to_xnnpack and len(left) != sum("convolution" in str(node.target) for node in graph.nodes):
        raise convict.Refused(LEFT)
    return edge.to_executorch().buffer, left


def has_convolution(node):
    return "convolution" in str(node.target) or any(map(has_convolution, node.all_input_nodes))


def executed(program, inputs):
    return Runtime.get().load_program(program).load_method("forward").execute(inputs)
