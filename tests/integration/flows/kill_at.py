"""Runs ``cqa`` commands that kill themselves, as the kernel would, when a function is entered or has returned.

A command uses the Spark of the tests, and its process is forked from one that has imported the package: starting Spark
and importing would take most of the time of a kill. Spark survives the kill, so that whatever it had begun is still
written; a Spark that dies as well writes less.
"""

import importlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from multiprocessing import get_context
from typing import Any

from pyspark import SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from cqa_spark.cli import main

_GATEWAY = ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET")
_PROCESSES = get_context("forkserver")
_PROCESSES.set_forkserver_preload(["pyspark.sql", "cqa_spark.cli", "cqa_spark.commands.night_plan"])


def exit_code_at(place: tuple[str, str, int], command: Sequence[str], spark: SparkSession) -> int | None:
    """Run a command that kills itself; the negative number of the signal that ended it, or else its exit code.

    Args:
        place: MODULE:NAME, "before" or "after", and at which call, from 1. NAME is a function or Class.method where
            MODULE looks it up. ``MODULE:NAME in MODULE:NAME`` counts the calls of the first from when the second is
            entered.
        command: of ``cqa``.
        spark: the session that it uses.
    """
    parameters = spark.sparkContext._gateway.gateway_parameters
    gateway = dict(zip(_GATEWAY, (str(parameters.port), parameters.auth_token), strict=True))
    process = _PROCESSES.Process(target=_run, args=(place, list(command), gateway))
    process.start()
    process.join()
    return process.exitcode


def _run(place: tuple[str, str, int], command: list[str], gateway: Mapping[str, str]) -> None:
    os.environ.update(gateway)
    use_gateway()
    kill_at(*place)
    sys.exit(main(command))


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
        is_last = calls == call  # steps run at the same time: while this call runs, another one may begin
        if is_last and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = function(*arguments, **named)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return called
