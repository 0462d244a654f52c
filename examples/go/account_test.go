package reseller

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"testing"
)

// account is an account for each test, with its own credit, services, clock and faults, so tests can run in parallel.
type account struct {
	t               *testing.T
	Login, Password string
}

type object = map[string]any

// simulatorURL returns PROXYSIM_URL, which `proxysim exec` sets, or else the address of `proxysim`.
func simulatorURL() string {
	if url := os.Getenv("PROXYSIM_URL"); url != "" {
		return url
	}
	return "http://127.0.0.1:4010"
}

func newAccount(t *testing.T) (*account, *Client) {
	t.Helper()
	a := &account{t: t}
	a.admin("POST", "/accounts", object{"scenario": "default"}, a)
	t.Cleanup(func() { a.admin("DELETE", "/accounts/"+a.Login, nil, nil) })
	return a, New(simulatorURL(), a.Login, a.Password)
}

// patch changes the account's state with a JSON Merge Patch.
func (a *account) patch(changes object) { a.admin("PATCH", "/accounts/"+a.Login, changes, nil) }

func (a *account) fault(operation, phase, drop string) {
	fault := object{"operation": operation, "phase": phase, "drop": drop, "times": 1}
	a.admin("POST", "/faults?account="+a.Login, fault, nil)
}

func (a *account) setClock(now string) {
	a.admin("PUT", "/clock?account="+a.Login, object{"now": now}, nil)
}

func (a *account) countRequests(operation string) int {
	var journal struct{ Total int }
	a.admin("GET", "/requests?account="+a.Login+"&operation="+operation, nil, &journal)
	return journal.Total
}

func (a *account) requireNoFindings() {
	a.t.Helper()
	var findings []struct{ Finding, Message string }
	a.admin("GET", "/findings?account="+a.Login, nil, &findings)
	if len(findings) > 0 {
		a.t.Errorf("findings: %v", findings)
	}
}

func (a *account) admin(method, path string, body, target any) {
	a.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		a.t.Fatal(err)
	}
	if body == nil {
		text = nil
	}
	request, err := http.NewRequest(method, simulatorURL()+"/__admin"+path, bytes.NewReader(text))
	if err != nil {
		a.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		a.t.Fatalf("%s /__admin%s: %s", method, path, response.Status)
	}
	if target != nil {
		if err := json.NewDecoder(response.Body).Decode(target); err != nil {
			a.t.Fatal(err)
		}
	}
}
