"""An account for each test, with its own credit, services, clock and faults, so tests can run in parallel."""

import os

import pytest
import requests

from reseller import Reseller

# `proxysim exec` sets PROXYSIM_URL; the default is the address of `proxysim`.
URL = os.environ.get("PROXYSIM_URL", "http://127.0.0.1:4010")


class Account:
    def __init__(self, scenario):
        created = self._admin("POST", "/accounts", {"scenario": scenario})
        self.login, self.password = created["login"], created["password"]

    def patch(self, **changes):
        """Changes the account's state with a JSON Merge Patch."""
        self._admin("PATCH", f"/accounts/{self.login}", changes)

    def fault(self, operation, **effect):
        self._admin("POST", f"/faults?account={self.login}", {"operation": operation, "times": 1, **effect})

    def set_clock(self, now):
        self._admin("PUT", f"/clock?account={self.login}", {"now": now})

    def requests(self, operation):
        return self._admin("GET", f"/requests?account={self.login}&operation={operation}")["requests"]

    def findings(self):
        return [f["finding"] for f in self._admin("GET", f"/findings?account={self.login}")]

    def delete(self):
        self._admin("DELETE", f"/accounts/{self.login}")

    def _admin(self, method, path, body=None):
        response = requests.request(method, f"{URL}/__admin{path}", json=body, timeout=10)
        assert response.ok, response.text
        return response.json() if response.content else None


@pytest.fixture
def account():
    created = Account("default")
    yield created
    created.delete()


@pytest.fixture
def api(account):
    return Reseller(URL, account.login, account.password)
