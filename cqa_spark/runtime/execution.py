"""Runs the steps of a flow: timed, counted, recorded, and concurrently if independent."""

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from importlib import import_module
from threading import Thread

from pyspark import inheritable_thread_target

from cqa_spark.lake.run import Run
from cqa_spark.lake.run_record import StepRecord
from cqa_spark.process.stop_signals import Stopped
from cqa_spark.runtime.flow import Flow
from cqa_spark.runtime.step import Step
from cqa_spark.spark.concurrency import cancel
from cqa_spark.spark.persistence import persistence_scope

CONCURRENT_STEPS = 2
"""Maximum number of concurrent steps: each may cache tables, and runs Spark jobs concurrently itself."""


def execute_steps(flow: Flow, run: Run) -> None:
    """Run the steps that make the run's tables, each as soon as its dependencies have finished.

    Args:
        flow: the flow.
        run: what the steps read and write.

    Raises:
        the error of the first step that failed, after the running steps have ended.
    """
    Thread(target=_import_modules, args=(flow,)).start()  # no daemon: Python may not end within an import in C++
    assert run.lake.spark is not None  # started here, so that the threads inherit its properties
    waiting, finished = flow.waits_for(), set[int]()
    running: dict[Future[None], int] = {}
    with ThreadPoolExecutor(CONCURRENT_STEPS, thread_name_prefix="step") as threads:
        try:
            while waiting or running:
                for number in [number for number, others in waiting.items() if others <= finished]:
                    del waiting[number]
                    target = inheritable_thread_target(execute_step)
                    running[threads.submit(target, flow.making[number], run)] = number
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    future.result()
                    finished.add(running.pop(future))
        except Stopped:
            cancel(running)
            raise
        finally:
            for future in running:
                future.cancel()


def _import_modules(flow: Flow) -> None:
    """Import the slow modules of steps; a step that needs one that is missing says so itself."""
    for module in dict.fromkeys(module for step in flow.making for module in step.imports):
        with suppress(ImportError):
            import_module(module)


def execute_step(step: Step, run: Run) -> None:
    """Run one step with the products that it declares, record it, and release the rows that it persisted."""
    reads = {product.name for product in (*step.reads(), *step.reads_if_present())}
    seen = run.seen_by(step.name, reads, {product.name for product in step.writes()})
    recorded = nullcontext(StepRecord(step.name)) if step.records_parts else run.step(step.name)
    with persistence_scope(), recorded as counts:
        step.execute(seen, counts)
