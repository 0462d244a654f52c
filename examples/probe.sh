#!/bin/sh
# Makes the calls that settle what the documentation of the API leaves open. Run it through the recorder, then calibrate:
#
#   proxysim record --target https://the.real.service --output real.har
#   PROXYSIM_LOGIN=... PROXYSIM_PASSWORD=... sh probe.sh                all calls that only read
#   PROXYSIM_LOGIN=... PROXYSIM_PASSWORD=... sh probe.sh geo numbers    the calls for these assumptions, whatever they do
#   proxysim calibrate real.har
#
# Each group of calls says whether it `reads`, `changes state` or `costs money`. The script looks up the ids that it needs.
# To choose them, set these variables:
#   CLIENT, PRODUCT   ids of a client and of a product to order (otherwise the first client and the cheapest product)
#   HIDDEN            a product that no list shows: hiddenProducts needs it
#   STATIC            an Active static service (fpr); for emptyBind, one without a bound address
#   ACTIVE            an Active static service to update; its client must exist
#   ROTATING          an Active rotating service (ppr) that has sticky sessions
#   INELIGIBLE        a service that is not Active or not rotating (ppr)
#   INACTIVE_IP       the address of a service that is not Active

url=${PROXYSIM_URL:-http://127.0.0.1:4011}
login=${PROXYSIM_LOGIN:?is not set. Set it to the login of the real account}
password=${PROXYSIM_PASSWORD:?is not set. Set it to the password or an API token of the real account}
wanted=" $* "
settled=' '

# curl reads the credentials from a file, so that they do not show up in the list of processes.
config=$(mktemp) || exit 2
trap 'rm -f "$config"' EXIT INT TERM
quoted() { printf %s "$1" | sed 's/[\\"]/\\&/g'; }
printf 'user = "%s:%s"\n' "$(quoted "$login")" "$(quoted "$password")" > "$config"

# call METHOD PATH [BODY]: prints the request and the status; the response body is in $response
call() {
  printf '%s %s' "$1" "$2" >&2
  if [ -n "$3" ]; then set -- "$1" "$2" --data-binary "$3"; else set -- "$1" "$2"; fi
  method=$1; path=$2; shift 2
  response=$(curl -sS -K "$config" -X "$method" -H 'Accept: application/json' -H 'Content-Type: application/json' -w '\n%{http_code}' "$@" "$url$path") || exit 1
  printf ' %s\n' "$(printf %s "$response" | tail -n 1)" >&2
  response=$(printf '%s\n' "$response" | sed '$d')
}

# values NAME: the field NAME of each record in $response, one per line
values() { printf '%s' "$response" | tr '{' '\n' | sed -n "s/.*\"$1\": *\"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# settles EFFECT ASSUMPTION...: whether the calls that follow are wanted; prints what they do
settles() {
  effect=$1; shift; settled="$settled$* "; is_wanted=
  [ "$wanted$effect" = '  reads' ] && is_wanted=yes
  for name; do case $wanted in *" $name "*) is_wanted=yes ;; esac; done
  [ -z "$is_wanted" ] || printf '# %s: settles %s\n' "$effect" "$*" >&2
  [ -n "$is_wanted" ]
}

# has VARIABLE: whether the id was found
has() {
  eval "[ -n \"\$$1\" ]" || { printf 'skipped: no %s was found\n' "$1" >&2; return 1; }
}

# ---- The ids that the calls need. These calls only read. ----

find_order() {
  [ -z "$client" ] || return 0
  call GET /api/clients
  client=${CLIENT:-$(values id | head -n 1)}
  call GET /api/products
  cheapest=$(printf '%s\n' "$response" | tr '{' '\n' | while read -r response; do
    printf '%s %s\n' "$(values price)" "$(values productId)"
  done | grep '[0-9] [0-9]' | sort -n | head -n 1)
  product=${PRODUCT:-${cheapest#* }}
  call GET /api/billing/credit
}

find_services() {
  [ -z "$has_services" ] || return 0
  static=$STATIC active=$ACTIVE rotating=$ROTATING ineligible=$INELIGIBLE inactive_ip=$INACTIVE_IP
  call GET /api/services
  has_services=yes
  for id in $(values service_id | head -n 200); do
    [ -n "$static" ] && [ -n "$active" ] && [ -n "$rotating" ] && [ -n "$ineligible" ] && [ -n "$inactive_ip" ] && break
    call GET "/api/service/$id"
    status=$(values status) type=$(values product_type)
    if [ "$status" = Active ] && [ "$type" = fpr ]; then
      : "${static:=$id}"
      # A service can only be changed if its client exists.
      [ -n "$active" ] || call GET "/api/networkstatus/errors/$id"
      case $response in '['*) : "${active:=$id}" ;; esac
    fi
    if [ "$status" = Active ] && [ "$type" = ppr ]; then : "${rotating:=$id}"; fi
    if [ "$status" != Active ]; then : "${inactive_ip:=$(values bindedip)}"; fi
    if [ "$status" != Active ] || [ "$type" = fpr ]; then : "${ineligible:=$id}"; fi
  done
  [ -z "$active" ] || { call GET "/api/service/$active"; bound=$(values bindedip); }
}

# ---- Calls that only read ----

if settles reads numbers; then
  call GET "/api/products"
fi
if settles reads productSort; then
  call GET "/api/products/orderby/price"
fi
if settles reads unknownSortField; then
  call GET "/api/products/orderby/unknown"
fi
if settles reads unknownInvoice; then
  call GET "/api/billing/invoice/9999999999"
fi
if settles reads unknownService; then
  call GET "/api/service/9999999999"
fi
if settles reads unsetDates; then
  call GET "/api/billing/invoices"
fi
if settles reads geo; then # only fpr products have the list
  call GET /api/products
  for listed in $(values productId); do
    call GET "/api/product/$listed"
  done
fi
if settles reads hiddenProducts; then
  call GET /api/products
  hidden=$HIDDEN
  has hidden && call GET "/api/product/$hidden"
fi
if settles reads ipListJson ipListType; then
  find_services
  has static && call GET "/api/iplist/http-ip/json/$static"
fi
if settles reads ipListLayout; then
  find_services
  has static && call GET "/api/iplist/http-ip/txt/$static"
fi
if settles reads emptyBind; then
  find_services
  has static && call GET "/api/service/$static"
fi
if settles reads usageOfFpr; then
  find_services
  has static && call GET "/api/stats/$static"
fi
if settles reads timeZone; then # the end of a session shows the zone
  find_services
  has rotating && call GET "/api/sticky/list/$rotating"
fi

# ---- Calls that change state ----

if settles 'changes state' inactiveTtlBody; then # nothing changes for a service that is not Active or not ppr
  find_services
  has ineligible && call GET "/api/sticky/changettl/$ineligible/10"
fi
if settles 'changes state' updateResult updateListInterval; then # the second call is refused with the next possible time
  find_services
  has active && call PUT "/api/service/$active" "{\"update_list\": \"true\"}"
  has active && call PUT "/api/service/$active" "{\"update_list\": \"true\"}"
fi
if settles 'changes state' rebindOwn; then
  find_services
  has active && has bound && call PUT "/api/service/$active" "{\"setip\": \"$bound\"}"
fi
if settles 'changes state' heldAddress; then
  find_services
  has active && has inactive_ip && call PUT "/api/service/$active" "{\"setip\": \"$inactive_ip\"}"
fi

# ---- Calls that cost money ----

if settles 'costs money' orderedService orderedInvoice; then
  find_order
  has client && has product && call POST "/api/product/$product" "{\"clientid\": $client}"
  call GET "/api/services"
  call GET "/api/billing/invoices"
  call GET /api/billing/credit
fi
if settles 'costs money' looseNumbers; then
  find_order
  has client && has product && call POST "/api/product/$product" "{\"clientid\": \"$client\"}"
fi

for name; do
  case $settled in *" $name "*) ;; *) printf 'No call settles %s.\n' "$name" >&2; unknown=2 ;; esac
done
exit "${unknown:-0}"
