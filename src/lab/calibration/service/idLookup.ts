/** The call in a probe script that reads the credit */
export const readBalanceCall = 'call GET /api/billing/credit'

/** Writes the lines of a probe script that find ids of existing records. @param needed placeholders in the calls */
export function writeIdLookup(needed: ReadonlySet<string>): string[] {
  const lines: string[] = ['', '# ---- reads: find the ids ----']
  const searched = ['static', 'active', 'rotating', 'ineligible', 'inactive_ip'].filter(
    (name) => needed.has(name) || (name === 'active' && needed.has('bound')),
  )
  if (needed.has('client')) lines.push('call GET /api/clients', 'client=${CLIENT:-$(values id | head -n 1)}')
  if (needed.has('product') || needed.has('listed'))
    lines.push(
      'call GET /api/products',
      'listed=$(values productId)',
      '# order the cheapest product',
      'product=${PRODUCT:-$(values price | paste -d" " - /dev/fd/3 3<<END | sort -n | head -n 1 | cut -d" " -f2\n$listed\nEND\n)}',
    )
  else if (needed.has('hidden')) lines.push('call GET /api/products')
  if (needed.has('product')) lines.push(readBalanceCall)
  if (searched.length > 0)
    lines.push(
      'static=$STATIC active=$ACTIVE rotating=$ROTATING ineligible=$INELIGIBLE inactive_ip=$INACTIVE_IP',
      'call GET /api/services',
      'for id in $(values service_id | head -n 200); do',
      `  ${searched.map((name) => `[ -n "$${name}" ]`).join(' && ')} && break`,
      '  call GET "/api/service/$id"',
      '  status=$(values status) type=$(values product_type)',
      '  if [ "$status" = Active ] && [ "$type" = fpr ]; then',
      '    : "${static:=$id}"',
      '    # a service can only be changed if its client exists',
      '    [ -n "$active" ] || call GET "/api/networkstatus/errors/$id"',
      '    case $response in \'[\'*) : "${active:=$id}" ;; esac',
      '  fi',
      '  if [ "$status" = Active ] && [ "$type" = ppr ]; then : "${rotating:=$id}"; fi',
      '  if [ "$status" != Active ]; then : "${inactive_ip:=$(values bindedip)}"; fi',
      '  if [ "$status" != Active ] || [ "$type" = fpr ]; then : "${ineligible:=$id}"; fi',
      'done',
    )
  if (needed.has('bound'))
    lines.push('[ -z "$active" ] || { call GET "/api/service/$active"; bound=$(values bindedip); }')
  return lines.length === 2 ? [] : lines
}

/** The shell variable for a placeholder in a call. The call with `{listed}` runs once per listed product. */
export function shellVariable(name: string): string {
  return { listed: '$id', hidden: '$HIDDEN' }[name] ?? `$${name}`
}
