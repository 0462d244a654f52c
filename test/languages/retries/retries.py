# Sends the requests that test/languages/retries.test.ts plans, with libraries for Python.
import sys

import httpx
import requests
import urllib3


def create_client(library):
    if library == 'httpx':
        return httpx.Client()
    if library == 'urllib3':
        return urllib3.PoolManager()
    session = requests.Session()
    if library == 'max_retries=3':
        session.mount('http://', requests.adapters.HTTPAdapter(max_retries=3))
    return session


url = sys.argv[1]
for line in sys.stdin:
    connection, credentials, method, path, library = line.split()
    headers = {
        'Authorization': f'Basic {credentials}',
        'Accept': 'application/json',
        'Content-Type': 'application/json',
    }
    client = create_client(library)
    if connection == 'reused':
        client.request('GET', url + '/api/billing/credit', headers=headers)
    field = {'httpx': 'content', 'urllib3': 'body'}.get(library, 'data')
    body = {field: '{"clientid": 11}'} if method == 'POST' else {}
    try:
        client.request(method, url + path, headers=headers, **body)
    except (httpx.HTTPError, requests.RequestException, urllib3.exceptions.HTTPError):
        pass
