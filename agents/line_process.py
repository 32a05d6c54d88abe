"""A process that answers each line on its standard input with a line on its standard output, in time."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections.abc import Mapping, Sequence

from marriage_env.errors import AgentAnswerError, AgentCrashError, AgentTimeoutError

LONGEST_LINE = 65_536  # bytes of an answer; one without end is given up there
CHUNK = 65_536  # bytes read at once
KEPT = 2000  # bytes of what it last said on standard error
QUOTED_LINES, QUOTED = 3, 300  # of those, what an error quotes: lines, and characters at most
LONGEST_WAIT = 3600.0  # seconds at once: more than some weeks of them do not fit what the system counts in
GRACE = 1.0  # seconds to end by itself once nobody will ask any more


class LineProcess:
    """A process of its own, in a session of its own, that is asked line by line.

    It is ended, with all that it has started in that session, by `close`, and when the object or the interpreter goes.
    A fork of the interpreter must not use it: see `owned`.

    Args:
        name: what errors call it.
        command: the program and its arguments.
        environment: the environment variables that it has beside those of this process, or instead of them.

    Raises AgentCrashError if it cannot be started.
    """

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.name = name
        try:
            process = subprocess.Popen(
                command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, **(environment or {})},
                start_new_session=True,  # Ctrl-C is for who asks; and what it has started ends with it
            )
        except (OSError, ValueError) as error:
            raise AgentCrashError(f"{name} cannot be started: {error}") from error
        assert process.stdin and process.stdout and process.stderr
        self._process, self._owner = process, os.getpid()
        self._stdin, self._stdout, self._stderr = (
            stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
        )
        self._said = b""  # on standard output, and not yet taken for an answer
        self._complaints = b""  # the last of what it said on standard error
        self._selector = selectors.PollSelector()  # not epoll, which a fork would share
        for stream in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(stream, False)
        for stream in (self._stdout, self._stderr):
            self._selector.register(stream, selectors.EVENT_READ)
        self._end = weakref.finalize(self, end, process, self._owner)

    @property
    def owned(self) -> bool:
        """Whether this interpreter has started the process, not one that it was forked from."""
        return self._owner == os.getpid()

    def ask(self, line: bytes, seconds: float) -> bytes:
        """The line that answers a line, without its end.

        Raises:
            AgentCrashError: the process has ended, or closed its standard output.
            AgentTimeoutError: no answer in so many seconds.
            AgentAnswerError: an answer without end, or something said that was not asked for.
        """
        deadline = time.monotonic() + seconds
        self._exchange(b"", time.monotonic())
        if self._said:
            raise AgentAnswerError(f"{self.name} said {quoted(self._said)} unasked: allowed is one line for each line")
        unsent = line + b"\n"
        while b"\n" not in self._said:
            if len(self._said) > LONGEST_LINE:
                raise AgentAnswerError(
                    f"{self.name} answered with a line of more than {LONGEST_LINE} bytes{self.last_words()}"
                )
            if time.monotonic() > deadline:
                raise AgentTimeoutError(f"{self.name} did not answer in {seconds:g} s{self.last_words()}")
            unsent = self._exchange(unsent, deadline)
        answer, _, self._said = self._said.partition(b"\n")
        return answer

    def last_words(self) -> str:
        """What it last said on standard error, as the end of a sentence."""
        lines = self._complaints.decode(errors="replace").strip().splitlines()[-QUOTED_LINES:]
        return f"; on standard error: {printable(' | '.join(lines))[-QUOTED:]}" if lines else ""

    def close(self, grace: float = GRACE) -> None:
        """End the process, which has so many seconds to end by itself."""
        if self._end.detach():
            end(self._process, self._owner, grace)
        self._selector.close()

    # Within

    def _exchange(self, unsent: bytes, deadline: float) -> bytes:
        """Wait for something to be read or written, till `deadline` at most, and do so; what is still to be written."""
        if unsent:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        try:
            events = self._selector.select(min(max(deadline - time.monotonic(), 0), LONGEST_WAIT))
        finally:
            if unsent:
                self._selector.unregister(self._stdin)
        for key, _ in events:
            if key.fd == self._stdin:
                unsent = self._send(unsent)
            elif key.fd == self._stdout:
                self._hear()
            else:
                self._hear_complaints()
        return unsent

    def _send(self, unsent: bytes) -> bytes:
        try:
            return unsent[os.write(self._stdin, unsent) :]
        except BrokenPipeError:  # it reads no more; whether it has ended, its standard output will tell
            return b""

    def _hear(self) -> None:
        data = os.read(self._stdout, CHUNK)
        if not data:
            raise AgentCrashError(f"{self.name} {self._ended()}{self.last_words()}")
        self._said += data

    def _hear_complaints(self) -> None:
        data = os.read(self._stderr, CHUNK)
        self._complaints = (self._complaints + data)[-KEPT:]
        if not data:
            self._selector.unregister(self._stderr)

    def _ended(self) -> str:
        """How it has ended, once its standard output is closed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        with contextlib.suppress(BlockingIOError):
            while data := os.read(self._stderr, CHUNK):
                self._complaints = (self._complaints + data)[-KEPT:]
        status = self._process.poll()
        if status is None:
            return "closed its standard output"
        return f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"


def end(process: subprocess.Popen[bytes], owner: int, grace: float = GRACE) -> None:
    """End a process and all of its session, and close its pipes; a fork of its owner closes its own copies alone."""
    streams = [stream for stream in (process.stdin, process.stdout, process.stderr) if stream]
    if os.getpid() == owner:
        streams.pop(0).close()  # a process that reads to the end of its input ends by itself
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for stream in streams:
        stream.close()


def quoted(said: bytes) -> str:
    """The beginning of what was said, fit for a message of one line."""
    return repr(printable(said[:100].decode(errors="replace")))


def printable(text: str) -> str:
    """A text whose control characters do nothing to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
