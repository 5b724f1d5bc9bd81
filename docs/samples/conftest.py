"""pytest fixtures: `svc` is a service of its own for each test, offline. Needs Node, svc-mock and nothing of Python but pytest."""

import json
import os
import subprocess
import tempfile
import urllib.error
import urllib.request

import pytest


@pytest.fixture(scope="session")
def svc_mock_url():
    """The address of a mock on a free port, or of the one that already runs at SVC_MOCK_URL."""
    running = os.environ.get("SVC_MOCK_URL")
    if running:
        yield running.rstrip("/")
        return
    command = ["svc-mock", "--port", "0", "--now", "2026-01-15T12:00:00Z"]
    with tempfile.TemporaryFile("w+") as messages:
        try:
            mock = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=messages, text=True)
        except FileNotFoundError:
            pytest.fail("svc-mock is not on the PATH: npm install --global ./svc-mock-*.tgz", pytrace=False)
        try:
            line = mock.stdout.readline()  # svc-mock is ready on http://127.0.0.1:41234
            if "http://" not in line:
                mock.wait()
                messages.seek(0)
                pytest.fail(f"{' '.join(command)} did not start: {messages.read().strip()}", pytrace=False)
            yield line.split()[-1]
        finally:
            mock.terminate()
            mock.wait()


class World:
    """A service with its own data, clock and keys."""

    def __init__(self, base_url):
        self.base_url = base_url
        answer = self._call("POST", "/__svc/worlds", {})
        self.id = answer["id"]
        # Scope write; answer["keys"] has keys with other rights.
        self.api_key = answer["keys"]["osapi_demo_write"]

    def control(self, method, path, body=None):
        """Controls this world: control("POST", "/clock", {"advance": "24h"}). README of @svc/mock, "Control endpoints"."""
        return self._call(method, f"/__svc/worlds/{self.id}{path}", body)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Svc-Control-Token": os.environ.get("SVC_MOCK_CONTROL_TOKEN", "")}
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            # Says what is wrong with the call, or what `verify` found instead.
            raise AssertionError(f"{method} {path} answered {error.code}: {error.read().decode()}") from None
        except urllib.error.URLError as error:
            pytest.fail(f"No mock answers at {self.base_url}: {error.reason}", pytrace=False)


@pytest.fixture
def svc(svc_mock_url, monkeypatch):
    """A new world for this test. The code under test finds it by SVC_BASE_URL and SVC_API_KEY."""
    world = World(svc_mock_url)
    monkeypatch.setenv("SVC_BASE_URL", world.base_url)
    monkeypatch.setenv("SVC_API_KEY", world.api_key)
    yield world
    world.control("DELETE", "")
