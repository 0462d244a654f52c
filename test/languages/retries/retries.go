// Sends the requests that test/languages/retries.test.ts plans, with Go's net/http.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var connection, credentials, method, path, library string
		fmt.Sscan(lines.Text(), &connection, &credentials, &method, &path, &library)
		client := http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
		send := func(method, path, body string) {
			request, _ := http.NewRequest(method, os.Args[1]+path, strings.NewReader(body))
			request.Header.Set("Authorization", "Basic "+credentials)
			request.Header.Set("Accept", "application/json")
			request.Header.Set("Content-Type", "application/json")
			if library == "Idempotency-Key" {
				request.Header.Set("Idempotency-Key", "order-1")
			}
			if response, err := client.Do(request); err == nil {
				io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		}
		if connection == "reused" {
			send("GET", "/api/billing/credit", "")
		}
		body := ""
		if method == "POST" {
			body = `{"clientid": 11}`
		}
		send(method, path, body)
	}
}
