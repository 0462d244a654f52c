import pytest

from reseller import Refused, Throttled


@pytest.fixture
def static10(api):
    return next(product for product in api.products() if product["productId"] == 101)


def test_an_order_becomes_a_service_and_costs_what_the_product_costs(api, account, static10):
    account.patch(credit=100)
    service = api.service(api.order(11, static10))
    assert service["product_name"] == "Static 10"
    assert service["price"] == static10["price"]
    # The documentation does not say whether a new service is Active, nor when it is paid.
    assert service["status"] in ("Active", "Pending")
    assert api.credit() in (80, 100)


def test_an_order_without_funds_is_refused(api, account, static10):
    account.patch(credit=0.5)
    with pytest.raises(Refused, match="^Unprocessed entity or not enough funds to order$") as refused:
        api.order(11, static10)
    assert refused.value.case == "insufficient-funds"


def test_an_order_of_an_unknown_product_is_refused(api):
    with pytest.raises(Refused) as refused:
        api.order(11, {"productId": 999, "productName": "Withdrawn"})
    assert (refused.value.status, refused.value.case) == (422, "product-not-found")


def test_an_address_of_another_service_is_refused(api):
    with pytest.raises(Refused, match="IP already binded") as refused:
        api.update(5001, setip="192.0.2.20")
    assert refused.value.case == "ip-already-bound"
    assert api.service(5001)["bindedip"] == "192.0.2.10"


def test_an_order_whose_response_is_lost_is_found_and_not_paid_twice(api, account, static10):
    account.fault("orderService", phase="after", drop="reset")
    service = api.service(api.order(11, static10))
    assert service["product_name"] == "Static 10"
    assert len(account.requests("orderService")) == 1
    assert account.findings() == []


def test_an_order_that_never_arrived_is_placed_again(api, account, static10):
    before = len(api.services())
    account.fault("orderService", phase="before", drop="reset")
    api.order(11, static10)
    assert len(account.requests("orderService")) == 2
    assert len(api.services()) == before + 1


def test_an_ip_list_can_be_updated_again_at_the_time_that_the_refusal_names(api, account):
    updated = {"success": "IP list updated successfully"}
    assert api.update(5001, update_list="true")["update_list"] == updated
    with pytest.raises(Throttled) as throttled:
        api.update(5001, update_list="true")
    account.set_clock(throttled.value.until.replace(" ", "T") + "Z")
    assert api.update(5001, update_list="true")["update_list"] == updated
    assert account.findings() == []
