"""Runs a ``cqa`` command that kills itself, as the kernel would, when a function is entered or has returned.

    python kill_at.py MODULE:NAME before|after CALL COMMAND ...

NAME is a function or Class.method where MODULE looks it up, and CALL says at which of its calls, from 1.
``MODULE:NAME in MODULE:NAME`` counts the calls of the first from when the second is entered. Where the
environment names a gateway (``gateway_of``), the command uses the Spark that runs there, which saves starting one for
every kill. That Spark survives the kill, so that whatever it had begun is still written; a Spark that dies as well
writes less.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from pyspark import SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from cqa_spark.cli import main

_GATEWAY = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")


def gateway_of(spark: SparkSession) -> dict[str, str]:
    """The variables that let another process use the Spark of this one."""
    parameters = spark.sparkContext._gateway.gateway_parameters
    return dict(zip(_GATEWAY, (str(parameters.port), parameters.auth_token), strict=True))


def use_gateway() -> None:
    """Make the Spark behind the gateway this process's."""
    gateway = launch_gateway()
    for name in _GATEWAY:
        del os.environ[name]  # to us they would mean that spark-submit runs the command
    jvm = gateway.jvm
    running = jvm.org.apache.spark.api.java.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate())
    SparkSession(SparkContext(gateway=gateway, jsc=running, conf=None))


def kill_at(place: str, when: str, call: int) -> None:
    place, _, within = place.partition(" in ")
    if within:
        owner, name = found(within)
        setattr(owner, name, arming(getattr(owner, name), partial(kill_at, place, when, call)))
    else:
        owner, name = found(place)
        setattr(owner, name, deadly(getattr(owner, name), when, call))


def found(place: str) -> tuple[Any, str]:
    """What holds the function of a ``MODULE:NAME``, and its name there."""
    module, names = place.split(":")
    owner: Any = importlib.import_module(module)
    *above, name = names.split(".")
    for each in above:
        owner = getattr(owner, each)
    return owner, name


def arming(function: Callable[..., Any], arm: Callable[[], None]) -> Callable[..., Any]:
    @wraps(function)
    def called(*arguments: Any, **named: Any) -> Any:
        arm()
        return function(*arguments, **named)

    return called


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
    if _GATEWAY[0] in os.environ:
        use_gateway()
    kill_at(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    sys.exit(main(sys.argv[4:]))
