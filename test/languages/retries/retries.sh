# Sends the requests that test/languages/retries.test.ts plans, with curl.
transfer() {
  echo "url = \"$url$2\""
  echo 'output = "/dev/null"'
  echo "header = \"Authorization: Basic $credentials\""
  echo 'header = "Accept: application/json"'
  echo 'header = "Content-Type: application/json"'
  if [ "$1" = POST ]; then echo 'data = "{\"clientid\": 11}"'; fi
  if [ "$library" = 'curl --retry 2' ]; then echo 'retry = 2'; fi
}

url=$1
while read -r connection credentials method path library; do
  {
    if [ "$connection" = reused ]; then
      transfer GET /api/billing/credit
      echo next
    fi
    transfer "$method" "$path"
  } | curl --silent --config - || true &
done
wait
