import type { Assumption, Contract } from '../contract/Contract.ts'
import type { Effect } from './Calibration.ts'
import { decidingCalls, type DecidingCall } from './needs.ts'
import { idLookup, readBalance, variableOf } from '../service/calibration/idLookup.ts'

const groups: Effect[] = ['reads', 'changes state', 'costs money']

/** A call of the script, with all assumptions that it settles. */
interface Call extends DecidingCall {
  settles: string[]
}

/**
 * A shell script with the calls that settle assumptions: each once, grouped by effect, the cheapest first. It begins with
 * harmless reads that find the ids for the calls.
 */
export function probeScript(contract: Contract, undecided: readonly string[] | undefined): string {
  const wanted = contract.assumptions.filter(({ id }) => undecided === undefined || undecided.includes(id))
  const calls = callsOf(wanted)
  const needed = new Set(
    calls.flatMap(({ call }) => [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)),
  )
  const late = readAfterwards(calls)
  const lines = groups.flatMap((effect) => {
    const own = calls.filter((one) => one.effect === effect && !late.includes(one))
    return own.length === 0 ? [] : ['', `# ---- ${effect} ----`, ...own.flatMap(linesOf)]
  })
  return [...head(wanted), ...idLookup(needed), ...lines, ...after(late), ''].join('\n')
}

/** Each call once. */
function callsOf(assumptions: readonly Assumption[]): Call[] {
  const calls = new Map<string, Call>()
  for (const assumption of assumptions)
    for (const one of decidingCalls(assumption)) {
      const key = `${one.call} ${one.credentials ?? ''}`
      const known = calls.get(key)
      if (known) {
        known.settles.push(assumption.id)
        if (one.times !== undefined) known.times = one.times
        if (one.caution !== undefined && known.caution !== one.caution)
          known.caution = [known.caution, one.caution].filter(Boolean).join(' ')
      } else calls.set(key, { ...one, settles: [assumption.id] })
    }
  return [...calls.values()]
}

function head(wanted: readonly Assumption[]): string[] {
  return [
    '#!/bin/sh',
    `# Calls that settle ${wanted.map(({ id }) => id).join(', ') || 'nothing: nothing is left'}`,
    '# Run it through the recorder, then calibrate with the recording:',
    '#   proxysim record --target https://the.real.service --output real.har',
    '#   PROXYSIM_LOGIN=... PROXYSIM_PASSWORD=... sh probe.sh',
    '#   proxysim calibrate real.har',
    '# Each group is labelled with what its calls do; delete any that you do not want. The script looks up the ids that it',
    '# needs. To choose them, set CLIENT, PRODUCT, HIDDEN (a product that no list shows), STATIC, ACTIVE or DEAD',
    '# (services), or HELD (the address of a service that is not Active): DEAD=5003 sh probe.sh',
    '',
    'url=${PROXYSIM_URL:-http://127.0.0.1:4011}',
    'login=${PROXYSIM_LOGIN:?is not set: the login of the real account}',
    'password=${PROXYSIM_PASSWORD:?is not set: its password or token}',
    '',
    '# curl reads the credentials from a file, so that they do not show up in the list of processes.',
    'config=$(mktemp) || exit 2',
    'trap \'rm -f "$config"\' EXIT INT TERM',
    'quoted() { printf %s "$1" | sed \'s/[\\\\"]/\\\\&/g\'; }',
    'printf \'user = "%s:%s"\\n\' "$(quoted "$login")" "$(quoted "$password")" > "$config"',
    '',
    '# call METHOD PATH [BODY]: prints the request and the status; the response is in $answer',
    'call() {',
    '  printf "%s %s" "$1" "$2" >&2',
    '  if [ -n "$3" ]; then set -- "$1" "$2" --data-binary "$3"; else set -- "$1" "$2"; fi',
    '  method=$1; path=$2; shift 2',
    '  answer=$(curl -sS -K "$config" -X "$method" -H "Accept: application/json" -H "Content-Type: application/json" -w "\\n%{http_code}" "$@" "$url$path") || exit 1',
    '  printf " %s\\n" "$(printf %s "$answer" | tail -n 1)" >&2',
    "  answer=$(printf '%s\\n' \"$answer\" | sed '$d')",
    '}',
    '# The same without credentials',
    'open_call() { (config=/dev/null; call "$@") || exit 1; }',
    '',
    '# values NAME: the field NAME of each record in $answer, one per line',
    'values() { printf \'%s\' "$answer" | tr \'{\' \'\\n\' | sed -n "s/.*\\"$1\\": *\\"\\{0,1\\}\\([^,\\"}]*\\).*/\\1/p"; }',
  ]
}

function linesOf({ call, effect, caution, times, credentials, settles }: Call): string[] {
  const [, method = 'GET', path = '', body] = /^(\S+) (\S+)(?: (.*))?$/.exec(call) ?? []
  const names = [...call.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_, name: string) => variableOf(name))
  const quoted = (text: string): string => `"${filled(text.replaceAll('"', String.raw`\"`))}"`
  const command = `${credentials === 'none' ? 'open_call' : 'call'} ${method} ${quoted(path)}${body === undefined ? '' : ` ${quoted(body)}`}`
  const count = typeof times === 'number' ? times : 1
  const guard = names.map((name) => `[ -z "${variableOf(name)}" ] || `).join('')
  return [
    `# ${effect}: settles ${settles.join(', ')}${caution === undefined ? '' : `. ${caution}`}`,
    ...(times === 'each'
      ? ['for id in $listed; do', `  ${command}`, 'done']
      : Array.from({ length: count }, () => `${guard}${command}`)),
  ]
}

/** The reads of the records that an order creates. */
function readAfterwards(calls: readonly Call[]): Call[] {
  const made = calls.filter(({ effect }) => effect === 'costs money').flatMap(({ settles }) => settles)
  return calls.filter(({ effect, settles }) => effect === 'reads' && settles.some((id) => made.includes(id)))
}

function after(late: readonly Call[]): string[] {
  if (late.length === 0) return []
  const reads = late.flatMap((one) => linesOf(one).slice(1))
  return ['# reads: what the order created', ...reads, readBalance]
}
