"""Runs a ``cqa`` command that kills itself, as the kernel would, when a function is entered or has returned.

    python kill_at.py MODULE:NAME before|after CALL COMMAND ...

NAME is a function or Class.method where MODULE looks it up, and CALL says at which of its calls, from 1.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from cqa_spark.cli import main


def kill_at(place: str, when: str, call: int) -> None:
    module, names = place.split(":")
    owner: Any = importlib.import_module(module)
    *above, name = names.split(".")
    for each in above:
        owner = getattr(owner, each)
    setattr(owner, name, deadly(getattr(owner, name), when, call))


def deadly(function: Callable[..., Any], when: str, call: int) -> Callable[..., Any]:
    calls = 0

    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*arguments, **named)
        if calls == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called


if __name__ == "__main__":
    kill_at(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    sys.exit(main(sys.argv[4:]))
