"""Checks ATIF documents: python check.py FILE... Exits with 77 where the package is missing."""

import json
import sys

try:
    from atif import Trajectory
except ImportError as error:
    print(error)
    sys.exit(77)

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        trajectory = Trajectory.model_validate(json.load(file))
    print(path, len(trajectory.steps))
