"""The server as a process: it tells its address once it listens, and ends when it is told to."""

import contextlib
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

pytest.importorskip("uvicorn")

from marriage_env.app.server import serve
from marriage_env.app.server.running import address_of

SERVE = """
import sys
from pathlib import Path
from marriage_env.app.server import serve
serve(port=0, folder=Path(sys.argv[1]))
"""


def test_it_tells_its_address_once_it_listens_and_ends_on_ctrl_c(tmp_path):
    command = [sys.executable, "-c", SERVE, str(tmp_path / "new" / "folder")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL) as process:
        address = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())[0]
        with urllib.request.urlopen(address) as response:
            assert response.status == 200 and b"Marriage" in response.read()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
    assert (tmp_path / "new" / "folder").is_dir()


def test_a_port_that_is_taken_is_an_error_by_name(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        serve(port=taken.getsockname()[1], folder=tmp_path)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "http://127.0.0.1:"),
        ("0.0.0.0", "http://127.0.0.1:"),
        ("::1", "http://[::1]:"),
        ("::", "http://[::1]:"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host, address):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.suppress(OSError), socket.create_server((host, 0), family=family) as listening:
        assert address_of(listening).startswith(address)
