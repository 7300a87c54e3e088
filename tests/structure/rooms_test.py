#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What docs/design.md says of the source tree is true: who may include whom, one namespace a room, no cycles, sizes,
typed evidence, types that are explained, and vectors that stand for AVX-512.

rooms_test.py SOURCE_DIR CHECK, with a CHECK of the functions below. Prints what is wrong, a line each."""
import re
import sys
from pathlib import Path

import declarations

LONGEST_FILE, LONGEST_FUNCTION = 800, 60  # lines
MOST = {"members": 12, "parameters": 6}
TOO_WIDE = "tests/structure/too_wide.txt"
TOPS = ("src", "lab", "kernels", "oracles", "reports")
CERTIFICATE_CODEC = "src/core/certificate.cpp"
MESSAGE_CODEC = ("src/workers/messages.h", "src/workers/messages.cpp")
# Documents that have keys of the same spelling: exported cases, SARIF, explanations.
EXPLANATION_CODEC = "src/store/rows.cpp"
OTHER_DOCUMENTS = {("src/exports/json.cpp", "exact"), ("reports/sarif.cpp", "text"), (EXPLANATION_CODEC, "text")}


def sources(root):
    """All C++ files of the program, by their path from the root."""
    for top in TOPS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path.relative_to(root).as_posix(), path.read_text()


def without_text(code):
    """The code without comments and with empty strings; lines stay where they are."""
    token = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|//[^\n]*|/\*.*?\*/', re.S)

    def blank(match):
        return ('""' if match[0][0] in 'R"' else "") + "\n" * match[0].count("\n")

    return token.sub(blank, code)


def room_of(path):
    """src/judge/x.h is in judge; kernels/gemm/x.h in kernels/gemm; reports/html/x.h in reports/html."""
    parts = path.split("/")
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else parts[1].split(".")[0]
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def includes(root):
    """(including path, included path) of all files of ours."""
    for path, code in sources(root):
        for name in re.findall(r'^#include "([^"]+)"', code, re.M):
            for found in ("src/" + name, name):
                if (root / found).is_file():
                    yield path, found


def allowed(root):
    """From the table "Rooms" of docs/design.md: room -> the rooms it may include."""
    text = (root / "docs/design.md").read_text()
    rooms, order = {}, []
    for line in text[text.index("## Rooms") :].split("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        names = re.findall(r"`(?:src/)?([\w/]+?)/?(?:\.cpp)?`", cells[0])
        if len(cells) != 3 or not names:
            continue
        for name in names:
            if cells[2].startswith("all above"):
                rooms[name] = set(order)
            else:
                rooms[name] = set(re.findall(r"[\w/]+", re.sub(r"\(.*?\)", "", cells[2]))) - {"nothing"}
        order += names
    return rooms


def check_includes(root):
    """A room includes only what the table of docs/design.md allows, and the table has no cycle."""
    may = allowed(root)
    for path, found in includes(root):
        room, other = room_of(path), room_of(found)
        # Folders of kernels/ have a table of their own (check_kernel_families), those of oracles/ are parts of one.
        room, other = (re.sub("^(kernels|oracles)/.*", r"\1", one) for one in (room, other))
        if other != room and other not in may.get(room, ()):
            yield f"{path} includes {found}: docs/design.md does not let {room} include {other}"
    for room in {room_of(path) for path, _ in sources(root)}:
        if room.split("/")[0] not in ("kernels", "oracles") and room not in may:
            yield f"{room} has no line in the table of docs/design.md"
    yield from (f"rooms include each other: {' '.join(cycle)}" for cycle in cycles(may))


def check_kernel_families(root):
    """Folders of kernels/ include what the table of docs/background/kernels.md allows."""
    text = (root / "docs/background/kernels.md").read_text()
    may = {}
    for name, others in re.findall(r"^\| \[`(\w+)/`\][^|]*\|[^|]*\|([^|]*)\|$", text, re.M):
        may["kernels/" + name] = {"kernels/" + one for one in re.findall(r"\w+", others)}
    if not may:
        yield "docs/background/kernels.md has no table of folders"
    for path, found in includes(root):
        room, other = room_of(path), room_of(found)
        if room.startswith("kernels/") and other.startswith("kernels/") and room != other and other not in may.get(room, ()):
            yield f"{path} includes {found}: docs/background/kernels.md does not let {room} include {other}"
    yield from (f"folders include each other: {' '.join(cycle)}" for cycle in cycles(may))


def check_cycles(root):
    """Units, which are a header with its source, do not include each other."""
    graph = {}
    for path, found in includes(root):
        unit, other = path.rsplit(".", 1)[0], found.rsplit(".", 1)[0]
        if unit != other:
            graph.setdefault(unit, set()).add(other)
    yield from (f"units include each other: {' '.join(cycle)}" for cycle in cycles(graph))


def cycles(graph):
    """The strongly connected components of more than one node (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def namespace_of(room):
    """kernels/gemm -> convict::kernels::gemm, lab/bench -> convict::bench; files of oracles/ have the oracle's name."""
    room = {"reports/html": "html", "reports/shared": "reports"}.get(room, re.sub("^(oracles|lab)/", "", room))
    return "convict::" + room.replace("/", "::")


def check_namespaces(root):
    """Each room has a namespace of its name; only src/main.cpp stands in the hall."""
    for path, code in sources(root):
        room = room_of(path)
        if path.startswith("src/") and path.count("/") == 1 and path != "src/main.cpp":
            yield f"{path} stands in no room"
        if path in ("src/main.cpp", "src/abi/convict.h") or re.match(r"oracles/\w+\.cpp", path):
            continue
        code = re.sub(r"^namespace [\w:]+ \{\n(?:(?:struct|class) \w+;\n)+\}\n", "", code, flags=re.M)  # declared only
        opened = {name.replace("inline ", "") for name in re.findall(r"^namespace (convict[\w: ]*) \{", code, re.M)}
        for name in opened:
            if name != namespace_of(room) and not name.startswith(namespace_of(room) + "::"):
                yield f"{path} opens {name}, not {namespace_of(room)}"


def check_namesakes(root):
    """No room has a function that one of an inline namespace could be taken for: these are seen from all rooms, and files
    of several rooms are compiled together."""
    declared = re.compile(r"^(?!return|else)[\w:][\w:<>,&* ]*[ &*](\w+)\(([^()]*)\)(?: const)?(?: \{|;)", re.M)

    def functions_of(code):
        for name, parameters in declared.findall(without_text(code)):
            types = [re.sub(r" *\b\w+$", "", one.split("=")[0].strip()) for one in parameters.split(",")]
            yield name, tuple(re.sub(r"const std::string&|std::string_view|const char\*", "text", one) for one in types)

    everywhere = {}
    for path, code in sources(root):
        if path.endswith(".h") and re.search(r"^namespace convict::inline", code, re.M):
            everywhere.update((function, path) for function in functions_of(code))
    for path, code in sources(root):
        for function in functions_of(code):
            home = everywhere.get(function)
            if home and room_of(home) != room_of(path):
                yield f"{path}: {function[0]}({', '.join(function[1])}) has a namesake in {home}"
    if len(everywhere) < 100:
        yield f"inline namespaces have {len(everywhere)} functions: this check sees too little"


def check_sizes(root):
    """Files and functions stay readable."""
    for path, code in sources(root):
        lines = code.count("\n")
        if lines > LONGEST_FILE:
            yield f"{path} has {lines} lines, more than {LONGEST_FILE}"
        for start, length in functions(without_text(code).splitlines()):
            if length > LONGEST_FUNCTION:
                yield f"{path}:{start}: a function of {length} lines, more than {LONGEST_FUNCTION}"


def check_widths(root):
    """No class has more data members, and no function more parameters, than it may; but for those of a table, which have
    the number that stands there and no more."""
    allowed = {}
    for kind, number, name in re.findall(r"^(\w+) +(\d+) (\S+)$", (root / TOO_WIDE).read_text(), re.M):
        allowed[kind, name] = int(number)
    found = {}
    for path, code in sources(root):
        tokens = declarations.tokens_of(without_text(code))
        for kind, counts in (("members", declarations.members(tokens)), ("parameters", declarations.parameters(tokens))):
            for name, number in counts.items():
                key = kind, f"{room_of(path)}/{name}"
                found[key] = max(found.get(key, 0), number)
    for (kind, name), number in sorted(found.items()):
        most = allowed.pop((kind, name), MOST[kind])
        if number > most:
            yield f"{name} has {number} {kind}, more than {most}"
        elif most > MOST[kind] and number <= MOST[kind]:
            yield f"{name} has {number} {kind}: it needs no line in {TOO_WIDE} any more"
        elif most > MOST[kind] and number < most:
            yield f"{name} has {number} {kind}: lower its {most} in {TOO_WIDE}"
    yield from (f"{name} of {TOO_WIDE} is not there: {kind}" for kind, name in sorted(allowed))
    if len(found) < 2000:
        yield f"only {len(found)} classes and functions were read: this check sees too little"


def check_type_names(root):
    """The name of a type in a namespace of src/ or lab/ means one thing: no other file defines a type of that name, in a
    namespace or a class. Two types in classes may share one, as Rule::Kind and Outcome::Kind do: where both could be
    meant, the name is said with its class. What `using` names counts in a header; in a source file it is a shorthand."""
    homes, outside = {}, set()
    for path, code in sources(root):
        if not path.startswith(("src/", "lab/")) or path == "src/abi/convict.h":
            continue
        for scope, name in declarations.types(declarations.tokens_of(without_text(code)), path.endswith(".h")):
            homes.setdefault(name, set()).add(path)
            if not scope:
                outside.add(name)
    for name in sorted(outside):
        if len(homes[name]) > 1:
            yield f"{name} is defined in {' and '.join(sorted(homes[name]))}"
    if len(outside) < 500:
        yield f"only {len(outside)} types were seen: this check sees too little"


def functions(lines):
    """(first line, length) of what looks like a function body: a line with ')' before its last '{', to the matching '}'."""
    for i, line in enumerate(lines):
        if not re.match(r".*\)[^;()]*\{$", line) or re.match(r" *(\}|if|for|while|switch|else|do|return|namespace)\b", line):
            continue
        depth = 0
        for j in range(i, len(lines)):
            depth += lines[j].count("{") - lines[j].count("}")
            if depth <= 0:
                yield i + 1, j - i + 1
                break


def check_json_keys(root):
    """Keys of certificates and explanations are spelt in their codecs only, and workers know JSON in messages.cpp only."""
    keys = {key: codec for codec in (EXPLANATION_CODEC, CERTIFICATE_CODEC)
            for key in re.findall(r'"([a-z_]+)"', (root / codec).read_text()) if key != "case"}  # many have one
    looked_up = re.compile(r'(?:\[|\.(?:value|contains|at|find)\()"([a-z_]+)"')
    for path, code in sources(root):
        if path == CERTIFICATE_CODEC or path in MESSAGE_CODEC:
            continue
        for number, line in enumerate(code.splitlines(), 1):
            for key in set(looked_up.findall(line)) & set(keys):
                if (path, key) not in OTHER_DOCUMENTS and path != keys[key]:
                    yield f'{path}:{number}: the key "{key}" belongs into {keys[key]}'
        if path.startswith("src/workers/") and "nlohmann" in without_text(code):
            yield f"{path}: messages are written and read in src/workers/messages.cpp"
    for codec, least in ((CERTIFICATE_CODEC, 20), (EXPLANATION_CODEC, 8)):
        if sum(one == codec for one in keys.values()) < least:
            yield f"{codec} has lost its keys: this check sees nothing"


def check_glossary(root):
    """A type in a header is explained: docs/background/glossary.md has its last noun, or there is a comment above it, or it is the
    first one of a header that says at its top what it is for."""
    text = (root / "docs/background/glossary.md").read_text()
    defined, plain = text.split("## Plain words")
    words = " ".join(re.findall(r"^\| ([^|]*) \|", defined, re.M)) + plain
    known = set(re.findall(r"[a-z0-9]+", words.lower()))
    for path, code in sources(root):
        if not path.endswith(".h") or path.startswith("kernels") or "/shared/" in path or path == "src/abi/convict.h":
            continue
        explained = code.split("\n")[1] == "//"
        types = re.finditer(r"^(?:template <.*>\n)?(?:struct|class|enum class|enum) ([A-Z]\w+)[^;]*?\{", code, re.M)
        for type_ in types:
            noun = re.findall(r"[A-Z]+(?=[A-Z][a-z]|$)|[A-Z][a-z0-9]+|[A-Z]", type_[1])[-1].lower()
            known_as = {noun, noun.rstrip("s"), re.sub("ies$", "y", noun), re.sub("ed$", "", noun), noun + "s"}
            explained |= code[: type_.start()].splitlines()[-1].startswith("//") or bool(known_as & known)
            if not explained:
                yield f"{path}: say in a comment what {type_[1]} is, or in docs/background/glossary.md what a {noun} is"
            explained = False
    for word in re.findall(r"\b(?:testimon\w*|inquest\w*|courtroom|muster\w*|interrogat\w*|casualt\w*|culprit\w*)\b",
                           " ".join(code for _, code in sources(root)), re.I):
        yield f"'{word}' is no word of this project any more: docs/background/glossary.md"


def check_soft_vectors(root):
    """tests/soft_vectors has every operation of Highway that kernels use: compiling it takes ten minutes."""
    written = (root / "tests/soft_vectors/hwy/ops/x86_512-inl.h").read_text()
    there = set(re.findall(r"^(?:HWY_API [^=;]*?\b|using )(\w+)(?:\(| =)", written, re.M))
    of_all_targets = {"CappedTag", "FixedTag", "Half", "Lanes", "MaxLanes", "Rebind", "RebindToSigned", "RebindToUnsigned",
                      "Repartition", "RepartitionToWide", "ScalableTag", "TFromD"}
    for path, code in sources(root):
        for name in sorted(set(re.findall(r"\bhn::(\w+)", without_text(code))) - there - of_all_targets):
            yield f"{path}: {name} is not in tests/soft_vectors/hwy/ops/x86_512-inl.h, which stands for AVX-512"


def main():
    root = Path(sys.argv[1])
    wrong = list(globals()["check_" + sys.argv[2]](root))
    print("\n".join(wrong) if wrong else f"{sys.argv[2]}: fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
