"""A small client of the Proxy Reselling Service API: six of its operations, on requests alone."""

import time

import requests


class Refused(Exception):
    """The service refused the request. Only the simulator sends `case` and `reason`."""

    def __init__(self, response):
        super().__init__(_message(response))
        self.status = response.status_code
        self.case = response.headers.get("Sim-Case")
        self.reason = response.headers.get("Sim-Reason")


class Throttled(Refused):
    """The IP list was updated too recently. `until` is the UTC time (YYYY-MM-DD HH:MM:SS) of the next possible update."""

    def __init__(self, response):
        super().__init__(response)
        self.until = str(self).partition("Next update possible: ")[2]


class NoResponse(Exception):
    """There was no response, or none that can be read: the request may have been executed or not."""


class Reseller:
    def __init__(self, url, login, password):
        self._url = url
        self._session = requests.Session()
        self._session.trust_env = False  # ~/.netrc would replace the credentials
        self._session.auth = (login, password)
        self._session.headers.update({"Accept": "application/json", "Content-Type": "application/json"})

    def credit(self):
        return self._call("GET", "/billing/credit")["credit"]

    def products(self):
        return self._call("GET", "/products")

    def services(self):
        return self._call("GET", "/services")

    def service(self, service_id):
        return self._call("GET", f"/service/{service_id}")

    def update(self, service_id, **fields):
        """Fields: setip, update_list ("true"), password (in base64)."""
        return self._call("PUT", f"/service/{service_id}", fields)

    def order(self, client_id, product):
        """Orders a product of `products()` and returns the id of the new service.

        The API has no idempotency key: an order that is sent twice is paid twice. So if there was no response, this
        checks whether the order was executed before it orders again. (A slow service may still be executing it:
        then wait before you check. If several programs order the same product at the same time, a new service may
        belong to another program.)
        """
        known = self._ids_of(product)
        for _ in range(3):
            try:
                return self._call("POST", f"/product/{product['productId']}", {"clientid": client_id})["serviceId"]
            except NoResponse as error:
                lost = error
                for pause in (0, 1):  # the list may lag behind the order
                    time.sleep(pause)
                    ordered = self._ids_of(product) - known
                    if ordered:
                        return ordered.pop()
        raise lost

    def _ids_of(self, product):
        return {s["service_id"] for s in self.services() if s["product_name"] == product["productName"]}

    def _call(self, method, path, body=None):
        try:
            response = self._session.request(method, f"{self._url}/api{path}", json=body, timeout=10)
            if response.ok:
                return response.json()
        except requests.RequestException as error:
            raise NoResponse(f"{method} {path}: {error}") from error
        if response.status_code >= 500:
            raise NoResponse(f"{method} {path}: {response.status_code}")
        raise (Throttled if response.status_code == 429 else Refused)(response)


def _message(response):
    try:
        return response.json()["error"]
    except ValueError:
        return response.text
