#!/usr/bin/env bats

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_DIRNAME" || return
  # shellcheck source=reseller.sh
  . ./reseller.sh
  # shellcheck source=account.sh
  . ./account.sh
  account_create default
  static10=$(products | jq -c '.[] | select(.productId == 101)')
}

teardown() { account_delete; }

@test 'an order becomes a service and costs what the product costs' {
  account_patch '{"credit": 100}'
  service=$(service "$(order 11 "$static10")")
  # The documentation does not say whether a new service is Active, nor when it is paid.
  jq -e '.product_name == "Static 10" and .price == 20 and (.status == "Active" or .status == "Pending")' <<<"$service"
  credit | jq -e '.credit == 80 or .credit == 100'
}

@test 'an order without funds is refused' {
  account_patch '{"credit": 0.5}'
  run -1 order 11 "$static10"
  [ "$output" = '422 Unprocessed entity or not enough funds to order' ]
  [ "$(last_case)" = insufficient-funds ]
}

@test 'an order of an unknown product is refused' {
  run -1 order 11 '{"productId": 999, "productName": "Withdrawn"}'
  [ "$(last_case)" = product-not-found ]
}

@test 'an address of another service is refused' {
  run -1 update 5001 '{"setip": "192.0.2.20"}'
  [ "$(last_case)" = ip-already-bound ]
  service 5001 | jq -e '.bindedip == "192.0.2.10"'
}

@test 'an order whose response is lost is found and not paid twice' {
  fault '{"operation": "orderService", "phase": "after", "drop": "reset", "times": 1}'
  service=$(service "$(order 11 "$static10")")
  jq -e '.product_name == "Static 10"' <<<"$service"
  [ "$(count_requests orderService)" = 1 ]
  [ "$(findings)" = '[]' ]
}

@test 'an order that never arrived is placed again' {
  before=$(services | jq length)
  fault '{"operation": "orderService", "phase": "before", "drop": "reset", "times": 1}'
  order 11 "$static10"
  [ "$(count_requests orderService)" = 2 ]
  [ "$(services | jq length)" = $((before + 1)) ]
}

@test 'an IP list can be updated again at the time that the refusal names' {
  update 5001 '{"update_list": "true"}' | jq -e '.update_list.success == "IP list updated successfully"'
  run -1 update 5001 '{"update_list": "true"}'
  until=${output#*'Next update possible: '}
  set_clock "${until/ /T}Z"
  update 5001 '{"update_list": "true"}'
  [ "$(findings)" = '[]' ]
}
