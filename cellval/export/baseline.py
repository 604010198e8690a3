"""The baseline file: findings that are known, so that only new ones are told."""

import json
import os
from collections.abc import Iterable
from typing import Any

from cellval.detect.finding import Finding
from cellval.errors import InputError
from cellval.limits import refuse_unfolded
from cellval.table.decoding import bytes_of
from cellval.text import harmless

FORMAT, VERSION = "cellval-baseline", 1  # `baseline.schema.json` says what it holds
AGAIN = "Write it again with --write-baseline."


def baseline_bytes(found: Iterable[Finding]) -> bytes:
    """The file that makes findings known; the same ones give the same file."""
    lines = {
        one.key: {
            "key": one.key,
            "kind": one.kind,
            "column": one.column,
            "title": harmless(one.title),
        }
        for one in found
    }
    content = {
        "format": FORMAT,
        "version": VERSION,
        "findings": [lines[key] for key in sorted(lines)],
    }
    return json.dumps(content, indent=1).encode() + b"\n"


def read_baseline(path: str | os.PathLike[str]) -> frozenset[str]:
    """The keys of the findings that are known."""
    raw, name = bytes_of(path)
    refuse_unfolded(name, raw, "make another baseline")
    try:
        content = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not UTF-8, no JSON, or absurdly nested
        raise InputError(
            f"{name} is no baseline file: it holds no JSON. It may be damaged. {AGAIN}"
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            f"{name} is no baseline file of cellval: it does not say "
            f'"format": "{FORMAT}". Choose another one. {AGAIN}'
        )
    if content.get("version") != VERSION:
        raise InputError(
            f"{name} is a baseline file of version "
            f"{harmless(content.get('version'), 20)}, but this cellval reads version "
            f"{VERSION}. {AGAIN}"
        )
    return frozenset(_keys(content.get("findings"), name))


def _keys(lines: Any, name: str) -> Iterable[str]:
    if not isinstance(lines, list):
        raise InputError(f'{name} is damaged: it has no list "findings". {AGAIN}')
    for k, line in enumerate(lines, 1):
        key = line.get("key") if isinstance(line, dict) else None
        if not isinstance(key, str):
            raise InputError(
                f'{name} is damaged: finding {k:,} in it has no "key". {AGAIN}'
            )
        yield key
