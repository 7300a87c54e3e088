# SPDX-License-Identifier: Apache-2.0
"""What the program has found of a function: its causes, the most telling first, and what is no fault of it."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

_WHAT_TO_DO = {"input-written": "it changes an input: compute on a copy"}
_LABELS = {"text": "it said", "error": "error", "signal": "signal",
           "exit_code": "exit code", "operand": "operand", "overrun": "overrun"}  # of a certificate
_EMPTY = re.compile(r" (n|ic|oc)=0\b| in=(\d+x)*0\b")
_ONLY_EMPTY = re.compile(r"\b(n|ic|oc|ic/g|oc/g|in) (=|<=) 0\b")  # a condition


@dataclass
class Cause:
    """One fault, by the simplest case that shows it. `fails_if` and `place`, which elements are wrong, are empty where
    that was not found out."""

    case: str
    verdict: str
    certificate: dict = field(repr=False)
    fails_if: str = ""
    predicate: str = ""  # the same in the language of predicates
    place: str = ""
    hits: int = 1
    known: str = ""  # what is known to be wrong with the framework that the function is built on

    @staticmethod
    def of_row(row: dict, **more: Any) -> "Cause":
        words = {key: row.get(key, "") for key in ("fails_if", "predicate", "place")}  # a list of given cases has none
        return Cause(row["case"], row["verdict"], row["certificate"], **words, **more)

    def has_no_elements(self) -> bool:
        """Some operand of its case has none."""
        return bool(_EMPTY.search(self.case))

    def needs_no_elements(self) -> bool:
        """It fails only if some operand has none. A case that was simplified to one without says less."""
        return self.has_no_elements() and bool(_ONLY_EMPTY.search(self.predicate))

    def lines(self) -> list[str]:
        """The case, when it fails, and the evidence."""
        certificate = self.certificate
        lines = [f'Falsifying example: @convict.example("{self.case}")']
        lines.append(f"It fails if {self.fails_if}." if self.fails_if else "When it fails was not found out.")
        if "at" in certificate and "got" in certificate:
            at = ",".join(map(str, certificate["at"]))
            lines.append(f"{certificate['role']}[{at}] is {certificate['got']}, exact is {certificate['exact']}, "
                         f"allowed error {certificate['bound']} ({certificate['bound_name']})")
        if self.place:
            lines.append(f"wrong: {self.place}")
        lines += [f"{label}: {certificate[key]}" for key, label in _LABELS.items() if key in certificate]
        if self.verdict in _WHAT_TO_DO:
            lines.append(_WHAT_TO_DO[self.verdict])
        if "NotImplementedError" in str(certificate.get("text", "")):
            lines.append("What a function cannot compute, it tells by `raise convict.Refused(why)`.")
        return lines


def causes_in(report: dict, is_like_torch: bool) -> tuple[list[Cause], list[str]]:
    """Those of a campaign, in its order; and notes: what is known of a framework, and what a function like PyTorch's
    does wrong on empty operands only, where PyTorch itself is no model."""
    rows = {row["id"]: row for row in report["mismatches"]}
    causes = []
    for group in report["causes"]:
        if group["blame"] != "target":
            continue
        members = [rows[number] for number in group["mismatches"]]
        simplest = min((row for row in members if row["verdict"] == members[0]["verdict"]),
                       key=lambda row: len(row["case"]))
        known = f"{group['title']} ({group['name']})" if group["name"] else ""
        causes.append(Cause.of_row(simplest, hits=group["hits"], known=known))
    is_note = [bool(one.known or (is_like_torch and one.needs_no_elements())) for one in causes]
    notes = [_note(one) for one, noted in zip(causes, is_note) if noted]
    return [one for one, noted in zip(causes, is_note) if not noted], notes


def _note(cause: Cause) -> str:
    cases = f"{cause.hits} case{'s' if cause.hits > 1 else ''}, such as {cause.case}"
    if cause.known:
        return f"known of what it is built on: {cause.known}; {cases}"
    return f"with empty operands only, where {cause.fails_if}, the verdict is {cause.verdict}; {cases}"


def told(name: str, causes: list[Cause], notes: list[str], rest: list[str]) -> str:
    """What a person reads."""
    blocks = [[f"{name}: {cause.verdict}" if i == 0 else f"and besides: {cause.verdict}", *cause.lines()]
              for i, cause in enumerate(causes)]
    blocks[-1] += [*(f"note: {one}" for one in notes), *rest]
    return "\n".join("\n  ".join(block) for block in blocks)
