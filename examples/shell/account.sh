# shellcheck shell=sh
# An account for each test, with its own credit, services, clock and faults, so tests can run in parallel.

# `proxysim exec` sets PROXYSIM_URL; the default is the address of `proxysim`.
export RESELLER_URL="${PROXYSIM_URL:-http://127.0.0.1:4010}" RESELLER_LOGIN RESELLER_PASSWORD

account_create() {
  created=$(admin POST /accounts "{\"scenario\": \"$1\"}")
  RESELLER_LOGIN=$(printf '%s' "$created" | jq -r .login)
  RESELLER_PASSWORD=$(printf '%s' "$created" | jq -r .password)
}
account_delete() { admin DELETE "/accounts/$RESELLER_LOGIN"; }
account_patch() { admin PATCH "/accounts/$RESELLER_LOGIN" "$1" >/dev/null; } # a JSON Merge Patch on its state
fault() { admin POST "/faults?account=$RESELLER_LOGIN" "$1" >/dev/null; }
set_clock() { admin PUT "/clock?account=$RESELLER_LOGIN" "{\"now\": \"$1\"}" >/dev/null; }
findings() { admin GET "/findings?account=$RESELLER_LOGIN" | jq -c 'map(.finding)'; }
count_requests() { admin GET "/requests?account=$RESELLER_LOGIN&operation=$1" | jq .total; }
last_case() { admin GET "/requests?account=$RESELLER_LOGIN&limit=1" | jq -r '.requests[0].case'; }

# admin METHOD PATH [BODY]
admin() {
  curl --silent --show-error --fail --max-time 10 --request "$1" ${3:+--data "$3"} \
    --header 'Content-Type: application/json' "$RESELLER_URL/__admin$2"
}
