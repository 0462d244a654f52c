// Package reseller is a small client of the Proxy Reselling Service API: six of its operations, on the standard
// library alone.
package reseller

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Refused says that the service refused the request. Only the simulator sends Case and Reason.
type Refused struct {
	Status                int
	Message, Case, Reason string
}

func (r *Refused) Error() string { return fmt.Sprintf("%d %s", r.Status, r.Message) }

// Until is the UTC time (YYYY-MM-DD HH:MM:SS) when an IP list that was updated too recently can be updated again. It is
// empty for other refusals.
func (r *Refused) Until() string {
	_, until, _ := strings.Cut(r.Message, "Next update possible: ")
	return until
}

// ErrNoResponse says that there was no response, or none that can be read: the request may have been executed or not.
var ErrNoResponse = errors.New("no response")

type Product struct {
	ID    int     `json:"productId"`
	Name  string  `json:"productName"`
	Price float64 `json:"price"`
}

type Service struct {
	ID          int     `json:"service_id"`
	ProductName string  `json:"product_name"`
	Status      string  `json:"status"`
	Price       float64 `json:"price"`
	BindedIP    string  `json:"bindedip"`
}

// Update names what is to change; empty fields are not sent. The password is base64.
type Update struct {
	SetIP      string `json:"setip,omitempty"`
	UpdateList string `json:"update_list,omitempty"`
	Password   string `json:"password,omitempty"`
}

type Client struct {
	url, login, password string
	http                 *http.Client
}

// New makes a client. It opens a connection for each request: if a reused one breaks, net/http silently repeats a GET, and
// three GETs of this API (rotate, changettl, resetall) change state.
func New(url, login, password string) *Client {
	transport := &http.Transport{DisableKeepAlives: true}
	return &Client{url, login, password, &http.Client{Timeout: 10 * time.Second, Transport: transport}}
}

func (c *Client) Credit() (float64, error) {
	var response struct{ Credit float64 }
	err := c.call("GET", "/billing/credit", nil, &response)
	return response.Credit, err
}

func (c *Client) Products() (products []Product, err error) {
	err = c.call("GET", "/products", nil, &products)
	return products, err
}

func (c *Client) Services() (services []Service, err error) {
	err = c.call("GET", "/services", nil, &services)
	return services, err
}

func (c *Client) Service(id int) (service Service, err error) {
	err = c.call("GET", fmt.Sprintf("/service/%d", id), nil, &service)
	return service, err
}

func (c *Client) Update(id int, update Update) error {
	return c.call("PUT", fmt.Sprintf("/service/%d", id), update, &map[string]any{})
}

// Order orders a product and returns the id of the new service.
//
// The API has no idempotency key: an order that is sent twice is paid twice. So if there was no response, Order checks
// whether the order was executed before it orders again. (A slow service may still be executing it: then wait before
// you check. If several programs order the same product at the same time, a new service may belong to another program.)
func (c *Client) Order(clientID int, product Product) (int, error) {
	known, err := c.idsOf(product)
	for attempt := 1; err == nil; attempt++ {
		var placed struct{ ServiceID int }
		body := map[string]int{"clientid": clientID}
		lost := c.call("POST", fmt.Sprintf("/product/%d", product.ID), body, &placed)
		if !errors.Is(lost, ErrNoResponse) || attempt == 3 {
			return placed.ServiceID, lost
		}
		// The list may lag behind the order.
		for look := 0; look < 2 && err == nil; look++ {
			time.Sleep(time.Duration(look) * time.Second)
			var now map[int]bool
			now, err = c.idsOf(product)
			for id := range now {
				if !known[id] {
					return id, nil
				}
			}
		}
	}
	return 0, err
}

func (c *Client) idsOf(product Product) (map[int]bool, error) {
	services, err := c.Services()
	ids := map[int]bool{}
	for _, service := range services {
		if service.ProductName == product.Name {
			ids[service.ID] = true
		}
	}
	return ids, err
}

func (c *Client) call(method, path string, body, target any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, c.url+"/api"+path, sent)
	if err != nil {
		return err
	}
	request.SetBasicAuth(c.login, c.password)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrNoResponse, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 500 {
		return fmt.Errorf("%w: %s %s: %s %v", ErrNoResponse, method, path, response.Status, err)
	}
	if response.StatusCode >= 400 || errorIn(text) != "" {
		return refused(response, text)
	}
	if err := json.Unmarshal(text, target); err != nil {
		return fmt.Errorf("%w: %s %s: %v", ErrNoResponse, method, path, err)
	}
	return nil
}

func refused(response *http.Response, text []byte) error {
	message := errorIn(text)
	if message == "" {
		message = string(text)
	}
	header := response.Header
	return &Refused{response.StatusCode, message, header.Get("Sim-Case"), header.Get("Sim-Reason")}
}

// errorIn returns the message of an error, which may also come with status 200, or "".
func errorIn(text []byte) string {
	var body struct{ Error string }
	if json.Unmarshal(text, &body) != nil {
		return ""
	}
	return body.Error
}
