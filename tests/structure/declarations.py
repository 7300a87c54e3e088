# SPDX-License-Identifier: Apache-2.0
"""Data members of classes and parameters of functions, read from C++ sources in the style of this tree. What a macro
makes up and classes inside functions are not seen."""
import re

TOKEN = re.compile(r'""|[A-Za-z_]\w*|\d[\w.\']*|::|->|<<|<=|>=|==|&&|\|\||[^\s\w]')
CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}
CLASS = ("class", "struct", "union")
NO_MEMBERS = {"using", "typedef", "friend", "static", "static_assert", "enum", "template"}


def tokens_of(code):
    """`code` is without comments and text. Lines of the preprocessor are left out."""
    return TOKEN.findall(re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", code, flags=re.M))


def behind(tokens, i):
    """The index behind the bracket that closes tokens[i]."""
    opening, closing, depth = tokens[i], CLOSING[tokens[i]], 0
    while i < len(tokens):
        depth += (tokens[i] == opening) - (tokens[i] == closing)
        i += 1
        if not depth:
            break
    return i


def is_word(token):
    return bool(re.match(r"[A-Za-z_]", token))


def opens_arguments(tokens, i):
    """Whether tokens[i] opens the arguments of a template, rather than being less."""
    return tokens[i] == "<" and i > 0 and is_word(tokens[i - 1]) and tokens[i - 1] != "operator"


def outline(tokens):
    """`tokens`, with brackets as empty pairs, and without arguments of templates, attributes and alignment."""
    kept, i = [], 0
    while i < len(tokens):
        token = tokens[i]
        if opens_arguments(tokens, i):
            i = behind(tokens, i)
        elif token in ("(", "{", "["):
            end = behind(tokens, i)
            if kept and kept[-1] in ("alignas", "decltype"):
                kept[-1] = "auto"
            elif tokens[i : i + 2] != ["[", "["]:
                kept += [token, CLOSING[token]]
            i = end
        else:
            kept.append(token)
            i += 1
    return kept


def head_of(words):
    """What of an outline stands before the value of a member, or the body of a function."""
    ends = [i for i, word in enumerate(words) if word in ("=", "{", ";") and words[i - 1 : i] != ["operator"]]
    return words[: ends[0]] if ends else words


def is_function(declaration):
    words = outline(declaration)
    head = head_of(words)
    return "operator" in words or ("(" in head and head[head.index("(") + 2 : head.index("(") + 3] != ["("])


def end_of_declaration(tokens, start):
    """The index behind the ';' of a declaration, or the body of its function."""
    i, initialisers = start, False
    while i < len(tokens) and tokens[i] != ";":
        if tokens[i] == "{":
            member = initialisers and (is_word(tokens[i - 1]) or tokens[i - 1] == ">")
            body = not member and is_function(tokens[start:i])
            i = behind(tokens, i)
            if body:
                return i
        elif tokens[i] in ("(", "[") or opens_arguments(tokens, i):
            i = behind(tokens, i)
        else:
            initialisers |= tokens[i] == ":" and is_function(tokens[start:i])
            i += 1
    return i + 1


def declarations(tokens, scope=""):
    """(class or "", tokens of a declaration) of all that stands in namespaces and classes. Of a class that is defined,
    its name in front of empty braces comes before its members."""
    i = 0
    while i < len(tokens):
        if tokens[i] in ("public", "private", "protected") and tokens[i + 1] == ":":
            i += 2
        elif tokens[i : i + 2] == ["template", "<"]:
            i = behind(tokens, i + 1)
        elif tokens[i] in (";", "inline", "extern", '""') or tokens[i : i + 2] == ["typedef", "struct"]:
            i += 1
        elif tokens[i] in ("namespace", "class", "struct", "union", "{"):
            brace = next(j for j in range(i, len(tokens)) if tokens[j] in ("{", ";", "(", "="))
            if tokens[brace] != "{":
                yield scope, tokens[i : (i := end_of_declaration(tokens, i))]
                continue
            end = behind(tokens, brace)
            words = [word for word in outline(tokens[i:brace]) if is_word(word) and word != "auto"]
            is_class, has_variable = tokens[i] not in ("namespace", "{"), tokens[end : end + 1] != [";"]
            inner = words[1] if is_class and len(words) > 1 else "" if has_variable else scope
            if is_class and inner and tokens[i + 2] != "::":
                yield scope, [tokens[i], inner, "{", "}"]
            yield from declarations(tokens[brace + 1 : end - 1], inner)
            i = end
            if is_class and has_variable:
                yield scope, tokens[i : (i := end_of_declaration(tokens, i))]
        else:
            yield scope, tokens[i : (i := end_of_declaration(tokens, i))]


def members(tokens):
    """class -> its data members."""
    counts = {}
    for scope, declaration in declarations(tokens):
        if scope and declaration[0] not in NO_MEMBERS and not is_function(declaration):
            if declaration[0] not in CLASS or len(declaration) > 3 and declaration[-1] != "}":
                counts[scope] = counts.get(scope, 0) + 1 + outline(declaration).count(",")
    return counts


def parameters(tokens):
    """function -> its parameters; the most of those with one name."""
    counts = {}
    for scope, declaration in declarations(tokens):
        if not is_function(declaration) or declaration[0] in NO_MEMBERS - {"static", "friend"}:
            continue
        start = next(i for i, token in enumerate(declaration) if token == "(" and declaration[i - 1] != "operator"
                     and declaration[i - 1] not in ("alignas", "decltype"))
        name = declaration[start - 1]
        between = outline(declaration[start + 1 : behind(declaration, start) - 1])
        if between:
            counts[name] = max(counts.get(name, 0), 1 + between.count(","))
    return counts


def types(tokens, aliases):
    """(class or "", name) of the types that are defined; with `aliases`, of those that `using` gives a name, too."""
    for scope, declaration in declarations(tokens):
        if declaration[0] in CLASS and declaration[2:3] == ["{"]:
            yield scope, declaration[1]
        elif declaration[0] == "enum" and "{" in declaration:
            yield scope, declaration[1 + (declaration[1] in CLASS)]
        elif aliases and declaration[0] == "using" and declaration[2] == "=":
            yield scope, declaration[1]
