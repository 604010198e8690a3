"""`python -m tests.hostile [N]`: all hostile files, N of them mutated (or 2000)."""

import sys
import traceback
from collections import Counter

from tests.hostile.check import outcome
from tests.hostile.files import files

n = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
found: Counter[str] = Counter()
for one in files(n):
    try:
        found[outcome(one)] += 1
    except Exception:
        found["fault"] += 1
        print(f"{one.name}: {one.raw[:200]!r}")
        traceback.print_exc(limit=-2)
print(dict(found))
sys.exit(1 if found["fault"] else 0)
