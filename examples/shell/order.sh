# shellcheck shell=sh
# Orders one proxy: the program that `proxysim sweep` runs once per failure.
set -eu
. ./reseller.sh
# shellcheck disable=SC2034,SC2154 # read by reseller.sh; set by proxysim
RESELLER_URL=$PROXYSIM_URL RESELLER_LOGIN=$PROXYSIM_LOGIN RESELLER_PASSWORD=$PROXYSIM_PASSWORD
found=$(products)
product=$(printf '%s' "$found" | jq -c '.[] | select(.productId == 101)')
id=$(order 11 "$product")
echo "Service $id"
