"""Ray, started on this machine or joined where it runs, with one line for what goes wrong."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from marriage_env import MarriageError

ROOT = Path(__file__).parent.parent
INSTALL = 'pip install -e ".[ray]"'
CONNECT_SECONDS = 5.0
QUIET: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
ADDRESSES = "allowed is auto, HOST:PORT or ray://HOST:PORT"


@contextlib.contextmanager
def connected(address: str | None, processors: int | None) -> Iterator[Any]:
    """The module `ray`, connected until the end of what is within.

    Args:
        address: of a cluster; None to start Ray on this machine.
        processors: how many it takes that there are on this machine; None for as many as there are. A cluster knows.

    Raises MarriageError if Ray is not installed, cannot be started, or is not where the address says.
    """
    ray = imported()
    try:
        if address is None:
            start(ray, processors)
        else:
            join(ray, address)
        yield ray
    finally:
        ray.shutdown()


def imported() -> Any:
    """The module `ray`; MarriageError if it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # it would warn of what is to change
    try:
        import ray
    except ImportError as error:
        raise MarriageError(f"--ray needs Ray ({error!s:.100}): allowed after {INSTALL}") from error
    return ray


def start(ray: Any, processors: int | None) -> None:
    """Start Ray on this machine; MarriageError if that cannot be."""
    try:
        ray.init(address="local", num_cpus=processors, include_dashboard=False, **QUIET)
    except Exception as error:  # of many kinds: no memory, no place for its files, no processes
        allowed = "allowed is a cluster that runs, by --address, or to do without Ray"
        raise MarriageError(f"Ray cannot be started on this machine ({why(error)}): {allowed}") from error


def join(ray: Any, address: str) -> None:
    """Join the cluster at an address; MarriageError if there is none."""
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address  # as Ray itself does
    if address != "auto":
        knock(address)
    # Where a process there speaks for this one, it would not find this project.
    found = {"runtime_env": {"env_vars": {"PYTHONPATH": str(ROOT)}}} if address.startswith("ray://") else {}
    try:
        ray.init(address=address, **QUIET, **found)
    except Exception as error:  # of many kinds: nobody there, another version, a token that is missing
        raise MarriageError(f"--address {address}: {why(error)}; {ADDRESSES}") from error


def knock(address: str) -> None:
    """See whether anybody is at home, since Ray itself goes on trying for minutes; MarriageError if nobody is."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise MarriageError(f"--address {address:.100}: {ADDRESSES}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, UnicodeError) as error:  # a name too long for the network raises the latter
        raise MarriageError(f"--address {address:.100}: no answer ({why(error)}); {ADDRESSES}") from error


def why(error: BaseException) -> str:
    """The first line of what an error says, or its kind if it says nothing."""
    return f"{str(error).strip().partition(chr(10))[0] or type(error).__name__:.200}"
