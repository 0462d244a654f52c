import type { Assumption, Contract } from '../../contract/Contract.ts'
import type { CallEffect } from './Calibration.ts'
import { decidingCalls, describeCall, type DecidingCall } from './needs.ts'
import { writeIdLookup, readBalanceCall, shellVariable } from './service/idLookup.ts'

const groups: CallEffect[] = ['reads', 'changes state', 'costs money']

/** A call of the script, with all assumptions that it settles. */
interface ProbeCall extends DecidingCall {
  settles: string[]
}

/** An assumption that a recording doesn't settle. */
export interface OpenAssumption {
  id: string
  /** Why no call settles it; undefined if one does */
  reason?: string
  /** The calls in its `needs`, possibly those of another assumption. @default its own */
  needs?: readonly string[]
}

/**
 * Creates a shell script with the calls that settle assumptions. Each call occurs once; they are grouped by effect, the
 * cheapest first. The script begins with harmless reads that find the ids for the calls.
 * @param open the assumptions to settle; all if missing
 */
export function probeScript(
  { assumptions }: Contract,
  open: readonly OpenAssumption[] = assumptions.map(({ id }) => ({ id })),
): string {
  const selected = assumptions.filter(({ id }) =>
    open.some((one) => one.id === id && one.reason === undefined),
  )
  const unsettled = open.filter(({ reason }) => reason !== undefined)
  const calls = collectCalls(assumptions, open, selected)
  const needed = new Set(
    calls.flatMap(({ call }) => [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)),
  )
  const finalCalls = findFinalCalls(calls)
  const lines = groups.flatMap((effect) => {
    const groupCalls = calls.filter((one) => one.effect === effect && !finalCalls.includes(one))
    return groupCalls.length === 0 ? [] : ['', `# ---- ${effect} ----`, ...groupCalls.flatMap(renderCall)]
  })
  return [
    ...scriptHead(selected, unsettled),
    ...writeIdLookup(needed),
    ...lines,
    ...finalReads(finalCalls),
    '',
  ].join('\n')
}

/** The calls that settle assumptions, without duplicates. */
function collectCalls(
  all: readonly Assumption[],
  open: readonly OpenAssumption[],
  selected: readonly Assumption[],
): ProbeCall[] {
  const calls = new Map<string, ProbeCall>()
  const known = new Map(all.flatMap(decidingCalls).map((one) => [describeCall(one), one]))
  for (const assumption of selected) {
    const { needs = [] } = open.find(({ id }) => id === assumption.id) ?? {}
    const needed = needs.flatMap((call) => known.get(call) ?? [])
    for (const one of needed.length > 0 ? needed : decidingCalls(assumption)) {
      const key = `${one.call} ${one.credentials ?? ''}`
      const earlier = calls.get(key)
      if (earlier) {
        earlier.settles.push(assumption.id)
        if (one.times !== undefined) earlier.times = one.times
        if (one.caution !== undefined && earlier.caution !== one.caution)
          earlier.caution = [earlier.caution, one.caution].filter(Boolean).join(' ')
      } else calls.set(key, { ...one, settles: [assumption.id] })
    }
  }
  return [...calls.values()]
}

function scriptHead(selected: readonly Assumption[], unsettled: readonly OpenAssumption[]): string[] {
  const rest = unsettled.length > 0 ? 'no call settles the rest' : 'all assumptions are settled'
  return [
    '#!/bin/sh',
    selected.length > 0
      ? `# Calls that settle ${selected.map(({ id }) => id).join(', ')}`
      : `# No calls: ${rest}`,
    ...unsettled.map(({ id, reason }) => `# Not settled: ${id} (${reason})`.replace(/\s+/g, ' ')),
    '# Run it through the recorder, then calibrate with the recording:',
    '#   proxysim record --target https://the.real.service --output real.har',
    '#   PROXYSIM_LOGIN=... PROXYSIM_PASSWORD=... sh probe.sh',
    '#   proxysim calibrate real.har',
    '# Each group is labeled with the effect of its calls. Delete the calls that you do not want. The script looks up the',
    '# ids that it needs. To choose them, set these variables, for example STATIC=5003 sh probe.sh:',
    '#   CLIENT, PRODUCT   ids of a client and of a product to order',
    '#   HIDDEN            a product that no list shows',
    '#   STATIC            an Active static service (fpr)',
    '#   ACTIVE            an Active static service to update; its client must exist',
    '#   ROTATING          an Active rotating service (ppr) that has sticky sessions',
    '#   INELIGIBLE        a service that is not Active or not rotating (ppr)',
    '#   INACTIVE_IP       the address of a service that is not Active',
    '',
    'url=${PROXYSIM_URL:-http://127.0.0.1:4011}',
    'login=${PROXYSIM_LOGIN:?is not set. Set it to the login of the real account}',
    'password=${PROXYSIM_PASSWORD:?is not set. Set it to the password or an API token of the real account}',
    '',
    '# curl reads the credentials from a file, so that they do not show up in the list of processes.',
    'config=$(mktemp) || exit 2',
    'trap \'rm -f "$config"\' EXIT INT TERM',
    'quoted() { printf %s "$1" | sed \'s/[\\\\"]/\\\\&/g\'; }',
    'printf \'user = "%s:%s"\\n\' "$(quoted "$login")" "$(quoted "$password")" > "$config"',
    '',
    '# call METHOD PATH [BODY]: prints the request and the status; the response body is in $response',
    'call() {',
    '  printf "%s %s" "$1" "$2" >&2',
    '  if [ -n "$3" ]; then set -- "$1" "$2" --data-binary "$3"; else set -- "$1" "$2"; fi',
    '  method=$1; path=$2; shift 2',
    '  response=$(curl -sS -K "$config" -X "$method" -H "Accept: application/json" -H "Content-Type: application/json" -w "\\n%{http_code}" "$@" "$url$path") || exit 1',
    '  printf " %s\\n" "$(printf %s "$response" | tail -n 1)" >&2',
    "  response=$(printf '%s\\n' \"$response\" | sed '$d')",
    '}',
    '# anonymous_call METHOD PATH [BODY]: like call, but without credentials',
    'anonymous_call() { (config=/dev/null; call "$@") || exit 1; }',
    '',
    '# values NAME: the field NAME of each record in $response, one per line',
    'values() { printf \'%s\' "$response" | tr \'{\' \'\\n\' | sed -n "s/.*\\"$1\\": *\\"\\{0,1\\}\\([^,\\"}]*\\).*/\\1/p"; }',
  ]
}

function renderCall({ call, effect, caution, times, credentials, settles }: ProbeCall): string[] {
  const [, method = 'GET', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/.exec(call) ?? []
  const names = [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => shellVariable(name))
  const quoted = (text: string): string => `"${filled(text.replaceAll('"', String.raw`\"`))}"`
  const command = `${credentials === 'none' ? 'anonymous_call' : 'call'} ${method} ${quoted(path)}${body === undefined ? '' : ` ${quoted(body)}`}`
  const count = typeof times === 'number' ? times : 1
  const guard = names.map((name) => `[ -z "${shellVariable(name)}" ] || `).join('')
  return [
    `# ${effect}: settles ${settles.join(', ')}${caution === undefined ? '' : `. ${caution}`}`,
    ...(times === 'each'
      ? ['for id in $listed; do', `  ${command}`, 'done']
      : Array.from({ length: count }, () => `${guard}${command}`)),
  ]
}

/** The calls that read the records that an order creates. */
function findFinalCalls(calls: readonly ProbeCall[]): ProbeCall[] {
  const created = calls.filter(({ effect }) => effect === 'costs money').flatMap(({ settles }) => settles)
  return calls.filter(
    ({ effect, settles }) => effect === 'reads' && settles.some((id) => created.includes(id)),
  )
}

function finalReads(finalCalls: readonly ProbeCall[]): string[] {
  if (finalCalls.length === 0) return []
  const reads = finalCalls.flatMap((one) => renderCall(one).slice(1))
  return ['# reads: the records that the order created', ...reads, readBalanceCall]
}
