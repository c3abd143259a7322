"""How a process ends that is asked to stop; each test signals a process of its own."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

BEGIN = """
import signal, sys, time
from cqa_spark.process.signals import Stopped, java_starts, stop_on_signals, uninterrupted
def say(what): print(what, flush=True)
"""


@contextmanager
def process(code: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", BEGIN + code]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as started:
        try:
            assert read(started) == "begun"
            yield started
        finally:
            started.kill()


def read(started: subprocess.Popen[str]) -> str:
    assert started.stdout is not None
    return started.stdout.readline().rstrip("\n")


def go_on(started: subprocess.Popen[str]) -> None:
    assert started.stdin is not None
    started.stdin.write("\n")
    started.stdin.flush()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_the_block_cleans_up_and_the_exception_has_the_exit_code(number: signal.Signals, code: int) -> None:
    with process("""
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # the tests may run under nohup
try:
    with stop_on_signals():
        try:
            say("begun")
            time.sleep(600)
        finally:
            say("cleaned up")
except Stopped as stopped:
    sys.exit(stopped.exit_code)
""") as started:
        started.send_signal(number)
        assert read(started) == "cleaned up"
        assert started.wait() == code


def test_a_job_under_nohup_goes_on_without_its_terminal() -> None:
    with process("""
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with stop_on_signals():
    say("begun")
    sys.stdin.readline()
    say("whole")
""") as started:
        started.send_signal(signal.SIGHUP)
        go_on(started)
        assert (read(started), started.wait()) == ("whole", 0)


def test_a_signal_that_another_thread_receives_interrupts_the_main_thread() -> None:
    with process("""
import threading
import cqa_spark.process.signals as module
module.CLEANUP_SECONDS = 60
def receive():
    sys.stdin.readline()
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
try:
    with stop_on_signals():
        threading.Thread(target=receive).start()
        say("begun")
        time.sleep(600)
except Stopped as stopped:
    sys.exit(stopped.exit_code)
""") as started:
        go_on(started)
        assert started.wait(timeout=30) == 143


def test_what_must_not_be_interrupted_is_done_whole() -> None:
    with process("""
try:
    with stop_on_signals():
        with uninterrupted():
            say("begun")
            sys.stdin.readline()
            say("whole")
        say("never")
except Stopped as stopped:
    sys.exit(stopped.exit_code)
""") as started:
        started.send_signal(signal.SIGTERM)
        go_on(started)
        assert [read(started), read(started)] == ["whole", ""]
        assert started.wait() == 143


def test_a_second_signal_ends_the_process_while_it_cleans_up() -> None:
    with process("""
import cqa_spark.process.signals as module
module.REPEAT_SECONDS, module.CLEANUP_SECONDS = 0, 3600
with stop_on_signals():
    try:
        say("begun")
        time.sleep(600)
    finally:
        say("cleaning up")
        time.sleep(600)
""") as started:
        started.send_signal(signal.SIGTERM)
        assert read(started) == "cleaning up"
        started.send_signal(signal.SIGINT)
        assert started.wait() == 143


def test_the_same_signal_for_every_process_of_a_service_is_one_request() -> None:
    with process("""
import cqa_spark.process.signals as module
module.REPEAT_SECONDS = 3600
try:
    with stop_on_signals():
        try:
            say("begun")
            time.sleep(600)
        finally:
            say("cleaning up")
            sys.stdin.readline()
            say("cleaned up")
except Stopped as stopped:
    sys.exit(stopped.exit_code)
""") as started:
        started.send_signal(signal.SIGTERM)
        assert read(started) == "cleaning up"
        started.send_signal(signal.SIGTERM)
        go_on(started)
        assert read(started) == "cleaned up"
        assert started.wait() == 143


def test_cleaning_up_that_takes_too_long_ends_with_a_message() -> None:
    with process("""
import cqa_spark.process.signals as module
module.CLEANUP_SECONDS = 0
with stop_on_signals():
    try:
        say("begun")
        time.sleep(600)
    finally:
        time.sleep(600)
""") as started:
        started.send_signal(signal.SIGTERM)
        assert started.wait() == 143
        assert started.stderr is not None
        assert started.stderr.read() == "cqa: the cleanup took more than 0 s; the next job on the lake completes it\n"


def test_java_ignores_what_reaches_all_processes_and_others_do_not() -> None:
    code = """
import subprocess
say("begun")
signal.signal(signal.SIGHUP, signal.SIG_DFL)
ignored = "all(signal.getsignal(each) == signal.SIG_IGN for each in (signal.SIGTERM, signal.SIGHUP))"
show = [sys.executable, "-c", f"import signal; print({ignored}, flush=True)"]
with stop_on_signals():
    before = signal.getsignal(signal.SIGINT)
    with java_starts(lambda: False):
        subprocess.run(show, preexec_fn=lambda: None)
        signal.signal(signal.SIGINT, signal.default_int_handler)
    subprocess.run(show, preexec_fn=lambda: None)
    say(signal.getsignal(signal.SIGINT) is before)
"""
    with process(code) as started:
        assert [read(started), read(started), read(started)] == ["True", "False", "True"]


@pytest.mark.parametrize(("is_up", "ended"), [(False, "-9"), (True, "0")])
def test_java_that_is_starting_is_killed_and_java_that_is_up_ends_by_itself(is_up: bool, ended: str) -> None:
    code = f"""
import subprocess
try:
    with stop_on_signals(), java_starts(lambda: {is_up}):
        java = subprocess.Popen(["cat"], stdin=subprocess.PIPE, preexec_fn=lambda: None)
        say("begun")
        time.sleep(600)
except Stopped:
    if {is_up}:
        java.stdin.close()
    say(java.wait())
"""
    with process(code) as started:
        started.send_signal(signal.SIGTERM)
        assert read(started) == ended
        assert started.wait() == 0
