package reseller

import (
	"errors"
	"strings"
	"testing"
)

func TestAnOrderBecomesAServiceAndCostsWhatTheProductCosts(t *testing.T) {
	t.Parallel()
	account, api := newAccount(t)
	account.patch(object{"credit": 100})
	product := static10(t, api)
	id, err := api.Order(11, product)
	check(t, err)
	service, err := api.Service(id)
	check(t, err)
	if service.ProductName != "Static 10" || service.Price != product.Price {
		t.Errorf("service: %+v", service)
	}
	// The documentation does not say whether a new service is Active, nor when it is paid.
	if service.Status != "Active" && service.Status != "Pending" {
		t.Errorf("status: %s", service.Status)
	}
	credit, err := api.Credit()
	check(t, err)
	if credit != 100 && credit != 80 {
		t.Errorf("credit: %v", credit)
	}
}

func TestAnOrderWithoutFundsIsRefused(t *testing.T) {
	t.Parallel()
	account, api := newAccount(t)
	product := static10(t, api)
	account.patch(object{"credit": 0.5})
	_, err := api.Order(11, product)
	refused := refusal(t, err)
	if refused.Message != "Unprocessed entity or not enough funds to order" || refused.Case != "insufficient-funds" {
		t.Errorf("refused: %+v", refused)
	}
}

func TestAnOrderOfAnUnknownProductIsRefused(t *testing.T) {
	t.Parallel()
	_, api := newAccount(t)
	_, err := api.Order(11, Product{ID: 999, Name: "Withdrawn"})
	if refused := refusal(t, err); refused.Status != 422 || refused.Case != "product-not-found" {
		t.Errorf("refused: %+v", refused)
	}
}

func TestAnAddressOfAnotherServiceIsRefused(t *testing.T) {
	t.Parallel()
	_, api := newAccount(t)
	err := api.Update(5001, Update{SetIP: "192.0.2.20"})
	if refused := refusal(t, err); refused.Case != "ip-already-bound" {
		t.Errorf("refused: %+v", refused)
	}
	service, err := api.Service(5001)
	check(t, err)
	if service.BindedIP != "192.0.2.10" {
		t.Errorf("bound: %s", service.BindedIP)
	}
}

func TestAnOrderWhoseResponseIsLostIsFoundAndNotPaidTwice(t *testing.T) {
	t.Parallel()
	account, api := newAccount(t)
	product := static10(t, api)
	account.fault("orderService", "after", "reset")
	id, err := api.Order(11, product)
	check(t, err)
	service, err := api.Service(id)
	check(t, err)
	if service.ProductName != "Static 10" {
		t.Errorf("service: %+v", service)
	}
	if sent := account.countRequests("orderService"); sent != 1 {
		t.Errorf("ordered %d times", sent)
	}
	account.requireNoFindings()
}

func TestAnOrderThatNeverArrivedIsPlacedAgain(t *testing.T) {
	t.Parallel()
	account, api := newAccount(t)
	product := static10(t, api)
	before, err := api.Services()
	check(t, err)
	account.fault("orderService", "before", "reset")
	_, err = api.Order(11, product)
	check(t, err)
	if sent := account.countRequests("orderService"); sent != 2 {
		t.Errorf("ordered %d times", sent)
	}
	after, err := api.Services()
	check(t, err)
	if len(after) != len(before)+1 {
		t.Errorf("services: %d, then %d", len(before), len(after))
	}
}

func TestAnIPListCanBeUpdatedAgainAtTheTimeThatTheRefusalNames(t *testing.T) {
	t.Parallel()
	account, api := newAccount(t)
	update := func() error { return api.Update(5001, Update{UpdateList: "true"}) }
	check(t, update())
	throttled := refusal(t, update())
	if throttled.Status != 429 {
		t.Fatalf("refused: %+v", throttled)
	}
	account.setClock(strings.Replace(throttled.Until(), " ", "T", 1) + "Z")
	check(t, update())
	account.requireNoFindings()
}

func static10(t *testing.T, api *Client) Product {
	t.Helper()
	products, err := api.Products()
	check(t, err)
	for _, product := range products {
		if product.ID == 101 {
			return product
		}
	}
	t.Fatal("the catalogue lacks product 101")
	return Product{}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refusal(t *testing.T, err error) *Refused {
	t.Helper()
	var refused *Refused
	if !errors.As(err, &refused) {
		t.Fatalf("it should have been refused, not: %v", err)
	}
	return refused
}
