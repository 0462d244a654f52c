# shellcheck shell=sh
# A small client of the Proxy Reselling Service API: six of its operations, with curl and jq. Source it, and set
# RESELLER_URL, RESELLER_LOGIN and RESELLER_PASSWORD.
#
# Each function prints JSON (order: an id) and returns 0. It returns 1 if the service refused the request; standard error
# says why. It returns 2 if there was no response, or none that can be read: the request may have been executed or not.

credit() { call GET /billing/credit; }
products() { call GET /products; }
services() { call GET /services; }
service() { call GET "/service/$1"; }         # ID
update() { call PUT "/service/$1" "$2"; }     # ID JSON: setip, update_list ("true"), password (in base64)

# order CLIENT PRODUCT: orders a product, as `products` prints it, and prints the id of the new service.
#
# The API has no idempotency key: an order that is sent twice is paid twice. So if there was no response, this checks
# whether the order was executed before it orders again. (A slow service may still be executing it: then wait before
# you check. If several programs order the same product at the same time, a new service may belong to another program.)
order() (
  product_id=$(printf '%s' "$2" | jq .productId)
  known=$(ids_of "$2") || return
  for _ in 1 2 3; do
    placed=$(call POST "/product/$product_id" "{\"clientid\": $1}") && printf '%s' "$placed" | jq .serviceId && return
    code=$?
    [ "$code" -eq 2 ] || return "$code"
    for pause in 0 1; do # the list may lag behind the order
      sleep "$pause"
      now=$(ids_of "$2") || return
      for id in $now; do
        case " $known " in
          *" $id "*) ;;
          *) echo "$id" && return ;;
        esac
      done
    done
  done
  return 2
)

ids_of() (
  all=$(services) || return
  name=$(printf '%s' "$1" | jq .productName)
  printf '%s' "$all" | jq -r "map(select(.product_name == $name).service_id | tostring) | join(\" \")"
)

newline='
'
# call METHOD PATH [BODY]
call() (
  # curl reads the credentials from standard input, because everyone on the machine can read a program's arguments.
  response=$(printf '%s' "$RESELLER_LOGIN:$RESELLER_PASSWORD" | sed 's/[\\"]/\\&/g; s/.*/user = "&"/' |
    curl --config - --silent --show-error --max-time 10 --request "$1" ${3:+--data "$3"} \
      --header 'Accept: application/json' --header 'Content-Type: application/json' \
      --write-out '\n%{http_code}' "$RESELLER_URL/api$2") || return 2
  status=${response##*"$newline"} body=${response%"$newline"*}
  error=$(printf '%s' "$body" | jq -r '.error? // empty' 2>/dev/null) || error=
  case $status$error in
    2??) printf '%s' "$body" | jq -ce . || return 2 ;;
    5*) echo "$1 $2: $status" >&2 && return 2 ;;
    *) echo "$status ${error:-$body}" >&2 && return 1 ;; # an error with status 200 is a refusal, too
  esac
)
