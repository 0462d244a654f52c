import type { Language } from '../state/preference.ts'

/** A test of a client, and how to run it. `proxysim exec` starts a simulator for it and says where it is. */
interface FirstTest {
  file: string
  run: string
  code: string
}

/** The same test in each language: an order that cannot be paid is refused. */
export const firstTests: Record<Language, FirstTest> = {
  Node: {
    file: 'orders.test.js',
    run: 'npx proxysim exec -- npx vitest run',
    code: `import { expect, test } from 'vitest'
import { openSimulator } from 'proxysim'

test('an order that cannot be paid is refused', async () => {
  const sim = await openSimulator()
  const scenario = 'low-funds'
  const { authorization } = await sim.createAccount({ scenario })
  const response = await fetch(sim.url + '/api/product/101', {
    method: 'POST',
    headers: {
      authorization,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ clientid: 11 }),
  })
  expect(response.status).toBe(422)
  const name = response.headers.get('sim-case')
  expect(name).toBe('insufficient-funds')
  await sim.close()
})`,
  },
  Python: {
    file: 'test_orders.py',
    run: 'npx proxysim exec -- pytest',
    code: `import os
import requests

URL = os.environ["PROXYSIM_URL"]

def test_an_order_that_cannot_be_paid_is_refused():
    account = requests.post(URL + "/__admin/accounts", json={"scenario": "low-funds"}).json()
    response = requests.post(
        URL + "/api/product/101",
        auth=(account["login"], account["password"]),
        headers={"Accept": "application/json"},
        json={"clientid": 11},
    )
    assert response.status_code == 422
    assert response.headers["Sim-Case"] == "insufficient-funds"`,
  },
  PHP: {
    file: 'OrdersTest.php',
    run: 'npx proxysim exec -- phpunit OrdersTest.php',
    code: `<?php
use PHPUnit\\Framework\\TestCase;

final class OrdersTest extends TestCase
{
    public function testAnOrderThatCannotBePaidIsRefused(): void
    {
        [, $made] = $this->post('/__admin/accounts', '{"scenario": "low-funds"}');
        $account = json_decode($made, true);
        [$status, $body] = $this->post('/api/product/101', '{"clientid": 11}', $account['authorization']);
        $this->assertSame(422, $status);
        $this->assertStringContainsString('not enough funds', $body);
    }

    private function post(string $path, string $body, string $authorization = ''): array
    {
        $curl = curl_init(getenv('PROXYSIM_URL') . $path);
        curl_setopt_array($curl, [
            CURLOPT_HTTPHEADER => ['Accept: application/json', 'Content-Type: application/json',
                "Authorization: $authorization"],
            CURLOPT_POSTFIELDS => $body,
            CURLOPT_RETURNTRANSFER => true,
        ]);
        $answer = curl_exec($curl);
        return [curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $answer];
    }
}`,
  },
  Go: {
    file: 'orders_test.go',
    run: 'npx proxysim exec -- go test ./...',
    code: `package orders

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

func post(t *testing.T, path, body, authorization string) *http.Response {
	request, _ := http.NewRequest("POST", os.Getenv("PROXYSIM_URL")+path, strings.NewReader(body))
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", authorization)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response
}

func TestAnOrderThatCannotBePaidIsRefused(t *testing.T) {
	var account struct{ Authorization string }
	made := post(t, "/__admin/accounts", \`{"scenario": "low-funds"}\`, "")
	if err := json.NewDecoder(made.Body).Decode(&account); err != nil {
		t.Fatal(err)
	}
	response := post(t, "/api/product/101", \`{"clientid": 11}\`, account.Authorization)
	if response.StatusCode != 422 || response.Header.Get("Sim-Case") != "insufficient-funds" {
		t.Error(response.Status, response.Header.Get("Sim-Reason"))
	}
}`,
  },
  curl: {
    file: 'orders.sh',
    run: 'npx proxysim exec -- sh orders.sh',
    code: `post() { curl -sS -H 'Accept: application/json' -H 'Content-Type: application/json' "$@"; }

account=$(post -d '{"scenario": "low-funds"}' "$PROXYSIM_URL/__admin/accounts")
authorization=$(printf '%s' "$account" | sed 's/.*"authorization":"\\([^"]*\\)".*/\\1/')
status=$(post -o /dev/null -w '%{http_code}' -H "Authorization: $authorization" \\
  -d '{"clientid": 11}' "$PROXYSIM_URL/api/product/101")
[ "$status" = 422 ] || { echo "expected 422, not $status"; exit 1; }`,
  },
}
