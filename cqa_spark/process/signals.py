"""SIGTERM, SIGINT and SIGHUP: the running job raises ``Stopped``, cleans up, and the process ends in time.

Kubernetes, systemd and Airflow send SIGTERM, and SIGKILL some seconds later; a terminal that closes sends SIGHUP.
Cleanup (Spark's jobs, the run log, the lease) is done in the ``except`` and ``finally`` clauses of the code that
acquired the resource.
"""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
CLEANUP_SECONDS = 9.0
"""Time limit of the cleanup; afterwards the process ends, and the next holder of the lease cleans up."""

HANDLING_SECONDS = 0.05
"""A signal that the main thread has not handled within this time is sent again."""

REPEAT_SECONDS = 1.0
"""A repeated signal within this time is the same request: systemd signals every process of a service, and
``spark-submit.sh`` forwards its own signal."""


class Stopped(KeyboardInterrupt):
    """The process received a stop signal; the notes describe the cleanup.

    It is a KeyboardInterrupt, because py4j then closes the connection of the interrupted call. After any other
    exception, the next call to Java would read the response to the interrupted one.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        self.signal = signal.Signals(number)
        super().__init__(self.signal.name)

    @property
    def exit_code(self) -> int:
        """128 plus the signal's number, as in a shell: 143 for SIGTERM, 130 for SIGINT, 129 for SIGHUP."""
        return 128 + self.signal


class _Handler:
    """Raises ``Stopped`` in the main thread, once: at the first signal, or at the end of an uninterrupted block."""

    def __init__(self) -> None:
        self.received: int | None = None
        self.uninterrupted = 0
        self._is_raised = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = number
            logging.disable()  # libraries log every interrupted call with a traceback, and warn of it with Java's
            warnings.simplefilter("ignore")
            self.raise_stopped()

    def raise_stopped(self) -> None:
        if self.received is not None and not self.uninterrupted and not self._is_raised:
            self._is_raised = True
            raise Stopped(self.received)


_handler = _Handler()
_java_pids: int | None = None
"""Where a child that is started as Java writes its process id, of four bytes; None while Java is not starting."""


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise ``Stopped`` in the block at SIGTERM, SIGINT or SIGHUP; under ``nohup``, SIGHUP stays ignored.

    The process ends at once at a second signal, and after ``CLEANUP_SECONDS``. Python handles signals only in the main
    thread; in another thread this does nothing.
    """
    global _handler
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _handler = _Handler()
    numbers, wakeup = socket.socketpair()
    wakeup.setblocking(False)
    under_nohup = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    handled = [number for number in SIGNALS if number != signal.SIGHUP or not under_nohup]
    before = {number: signal.signal(number, _handler) for number in handled}
    wakeup_before = signal.set_wakeup_fd(wakeup.fileno(), warn_on_full_buffer=False)
    watchdog = threading.Thread(target=_watch, args=(_handler, numbers, wakeup), name="stop-signals", daemon=True)
    watchdog.start()
    try:
        yield
    finally:
        if _handler.received is None:
            signal.set_wakeup_fd(wakeup_before)
            for number, handler in before.items():
                signal.signal(number, handler)
            wakeup.close()
            watchdog.join()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer ``Stopped`` until the block has ended."""
    handler = _handler
    handler.uninterrupted += 1
    try:
        yield
    finally:
        handler.uninterrupted -= 1
    if threading.current_thread() is threading.main_thread():
        handler.raise_stopped()


@contextmanager
def java_starts(is_up: Callable[[], bool]) -> Iterator[None]:
    """Start Java in the block, so that signals reach it only through this process.

    Airflow and systemd signal all processes at once, and without Java the end of a run cannot be logged; PySpark
    protects Java only from SIGINT. PySpark's own handler for SIGINT is removed, because it blocks forever while a call
    to Java is open.

    Java that is still starting when the job is stopped is killed: it would end by itself only later, with a stack
    trace, because PySpark has removed the folder that it answers in. Java that is up cleans up and ends with this
    process.

    Args:
        is_up: whether this process is connected to Java.
    """
    global _java_pids
    in_main_thread = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    started, _java_pids = os.pipe()
    os.set_blocking(started, False)
    try:
        yield
    except Stopped:
        with suppress(BlockingIOError, ProcessLookupError):  # it has not been started, or has ended
            if not is_up():
                os.kill(int.from_bytes(os.read(started, 4), sys.byteorder), signal.SIGKILL)
        raise
    finally:
        os.close(started)
        os.close(_java_pids)
        _java_pids = None
        for number, handler in before.items() if in_main_thread else ():
            signal.signal(number, handler)


def _watch(handler: _Handler, numbers: socket.socket, wakeup: socket.socket) -> None:
    """End the process at the second signal, or if the cleanup takes too long.

    Python's handler runs between two instructions of the main thread. A signal which another thread receives, or which
    arrives just before a blocking call, does not interrupt that call: it is sent again, to the main thread.

    Args:
        handler: of the main thread.
        numbers: socket from which the number of each signal is read, as a byte.
        wakeup: the other end, which must stay open.
    """
    first = numbers.recv(1)
    if not first:
        return
    now = time.monotonic()
    deadline, repeats_count_from = now + CLEANUP_SECONDS, now + REPEAT_SECONDS
    is_sent_again = False
    while (seconds_left := deadline - time.monotonic()) > 0:
        is_handled = handler.received is not None or is_sent_again
        if select.select([numbers], [], [], seconds_left if is_handled else HANDLING_SECONDS)[0]:
            numbers.recv(1)
            if is_sent_again:
                is_sent_again = False
            elif time.monotonic() >= repeats_count_from:
                break
        elif handler.received is None and not is_sent_again:
            signal.pthread_kill(threading.main_thread().ident or 0, first[0])
            is_sent_again = True
    else:
        message = f"cqa: the cleanup took more than {CLEANUP_SECONDS:.0f} s; the next job on the lake completes it\n"
        with suppress(OSError):  # the terminal has closed
            os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, message.encode())
    os._exit(128 + first[0])


def _become_java() -> None:
    if _java_pids is not None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.write(_java_pids, os.getpid().to_bytes(4, sys.byteorder))


os.register_at_fork(after_in_child=_become_java)
