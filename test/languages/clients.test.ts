/** Checks the verdicts of `sweep` on small clients whose first calls show one known weakness each, and on correct ones. */
import { expect, test } from 'vitest'
import type { SweepReport } from '../../src/lab/runs/sweepReport.ts'
import { cli } from '../cli/inProcess.ts'
import { createClient, hasLanguage, type Language } from '../support/clients.ts'

/** The verdict on each fault; `else` is that on the others */
type Verdicts = Record<string, string>

/** The faults that stand for all others */
const others = ['unauthenticated', '503', 'reset', 'error-200']

const carriedOut = (verdict: string): Verdicts => ({
  lost: verdict,
  cut: verdict,
  'gateway-timeout': verdict,
  'no-response': verdict,
})
const broken = (verdict: string): Verdicts => ({ reset: verdict, truncate: verdict })

const weak: [what: string, language: Language, program: string, flags: string[], verdicts: Verdicts][] = [
  [
    'gives up at the first error',
    'node',
    `const { status, body } = await order()
need(status === 200 && body.serviceId, status)`,
    [],
    { else: 'reported', ...carriedOut('order-lost') },
  ],
  [
    'orders again when the connection breaks',
    'python3',
    `try: status, body, _ = order()
except (OSError, http.client.HTTPException): status, body, _ = order()
need(status == 200 and 'serviceId' in body, status)`,
    [],
    { else: 'reported', ...broken('ok'), ...carriedOut('ordered-twice'), 'gateway-timeout': 'order-lost' },
  ],
  [
    'orders again after a 5xx',
    'php',
    `[$status, $body] = order();
if ($status >= 500) [$status, $body] = order();
need($status === 200 && isset($body['serviceId']), "$status");`,
    [],
    {
      else: 'reported',
      503: 'ok',
      ...carriedOut('order-lost'),
      'gateway-timeout': 'ordered-twice',
    },
  ],
  ['ignores all errors', 'php', 'order();', [], { else: 'wrong-result', ...carriedOut('order-lost') }],
  [
    'looks at the status alone',
    'php',
    '[$status] = order(); need($status === 200, "$status");',
    [],
    {
      else: 'reported',
      'not-json': 'wrong-result',
      'error-200': 'wrong-result',
      truncate: 'wrong-result',
      ...carriedOut('order-lost'),
    },
  ],
  [
    'calls again at once after a 429',
    'python3',
    `status, body, _ = ask('GET', '/api/services')
if status == 429: status, body, _ = ask('GET', '/api/services')
need(status == 200 and isinstance(body, list), status)`,
    [],
    { else: 'reported', 'too-many-requests': 'bad-habit', stale: 'not-tried' },
  ],
  [
    'does not read the time in a 429',
    'node',
    `const update = () => ask('PUT', '/api/service/5001', { update_list: 'true' })
let { status, body } = await update()
if (status === 429 && body.error.includes('possible')) ({ status, body } = await update())
need(status === 200 && body.update_list, status)`,
    [],
    { else: 'reported', 'update-list-throttled': 'bad-habit' },
  ],
  [
    'takes a failed update for done',
    'python3',
    `status, body, _ = ask('PUT', '/api/service/5001', {'setip': '203.0.113.9'})
if status == 422: sys.exit(0)
need(status == 200 and 'setip' in body, status)`,
    [],
    {
      else: 'reported',
      unprocessable: 'wrong-result',
      'incorrect-posted-data': 'wrong-result',
      'invalid-ipv4': 'wrong-result',
      'ip-already-bound': 'wrong-result',
    },
  ],
  [
    'waits an hour after a 503',
    'node',
    `let { status, body } = await ask('GET', '/api/services')
if (status === 503) await new Promise((done) => setTimeout(done, 3_600_000))
need(status === 200 && Array.isArray(body), status)`,
    ['--timeout', '8'],
    { else: 'reported', 503: 'stuck', stale: 'not-tried' },
  ],
  [
    'gives up waiting for a slow order',
    'node',
    `const { status, body } = await ask('POST', '/api/product/101', { clientid: 11 }, 1500)
need(status === 200 && body.serviceId, status)`,
    ['--faults', 'slow', 'reset'],
    { slow: 'order-lost', reset: 'reported' },
  ],
  [
    'always orders, and is run again',
    'node',
    `const { status, body } = await order()
need(status === 200 && body.serviceId, status)`,
    ['--rerun'],
    { else: 'ok', ...carriedOut('ordered-twice'), crash: 'ordered-twice' },
  ],
  [
    'orders with an address of its own, and is run again',
    'python3',
    `status, body, _ = order(setip='203.0.113.9')
need(status == 200 and 'serviceId' in body, body)`,
    ['--rerun'],
    { else: 'ok', ...carriedOut('stuck'), crash: 'stuck' },
  ],
  [
    'takes an order that it sent for one that was executed, and is run again',
    'php',
    `if (is_file($note)) exit(0);
file_put_contents($note, '');
[$status, $body] = order();
need($status === 200 && isset($body['serviceId']), "$status");`,
    ['--rerun'],
    { else: 'wrong-result', ...carriedOut('order-lost'), crash: 'order-lost' },
  ],
  [
    'forgets its order when the next call fails, and is run again',
    'php',
    `[$status, $body] = order();
need($status === 200 && isset($body['serviceId']), "order: $status");
[$status, $body] = ask('PUT', "/api/service/{$body['serviceId']}", ['password' => base64_encode('new')]);
need($status === 200 && isset($body['password']), "update: $status");`,
    ['--rerun', '--only', 'updateService'],
    { else: 'ordered-twice' },
  ],
]

/** Clients that look for an order before they repeat it, in the same run or in a second one */
const correct: Record<Language, string> = {
  node: `async function services() {
  const { status, body } = await ask('GET', '/api/services')
  need(status === 200 && Array.isArray(body), 'list: ' + status)
  return body.map(({ service_id }) => service_id)
}
const found = async (before) => (await services()).find((id) => !before.includes(id))
let before = existsSync(note) ? JSON.parse(readFileSync(note, 'utf8')) : undefined
let id = before && (await found(before))
if (!before) writeFileSync(note, JSON.stringify((before = await services())))
if (id === undefined) {
  const { status, body } = await order().catch(() => ({ status: 599 }))
  id = status < 500 ? body.serviceId : await found(before)
  need(id !== undefined, 'order: ' + status)
}
const { status, body } = await ask('PUT', '/api/service/' + id, { setip: '203.0.113.9' })
need(status === 200 && body.setip, 'update: ' + status)`,
  python3: `def services():
    status, body, _ = ask('GET', '/api/services')
    need(status == 200 and isinstance(body, list), status)
    return [one['service_id'] for one in body]
def found(before):
    return next((id for id in services() if id not in before), None)
if os.path.exists(note):
    before = json.load(open(note))
    id = found(before)
else:
    before, id = services(), None
    json.dump(before, open(note, 'w'))
if id is None:
    try: status, body, answered = order()
    except (OSError, ValueError, http.client.HTTPException): status = 599
    if status == 429 and 'Retry-After' in answered:
        time.sleep(int(answered['Retry-After']) + 0.2)
        status, body, _ = order()
    id = found(before) if status >= 500 else body.get('serviceId') if status == 200 else None
    need(id is not None, status)`,
  php: `function services(): array {
    [$status, $body] = ask('GET', '/api/services');
    need($status === 200 && array_is_list($body ?? ['x' => 1]), "list: $status");
    return array_column($body, 'service_id');
}
$before = is_file($note) ? json_decode(file_get_contents($note)) : null;
$new = $before === null ? [] : array_values(array_diff(services(), $before));
if ($before === null) file_put_contents($note, json_encode($before = services()));
if ($new === []) {
    [$status, $body] = order();
    $new = isset($body['serviceId']) ? [$body['serviceId']] : array_values(array_diff(services(), $before));
}
need($new !== [], "order: $status");`,
}

async function sweep(command: readonly string[], flags: readonly string[]) {
  const output = await cli(['sweep', '--json', ...flags, '--', ...command])
  expect(output.stdout, output.stderr).not.toBe('')
  const { runs } = JSON.parse(output.stdout) as SweepReport
  return { ...output, runs }
}

test.for(weak)(
  'sweeps a client that %s (%s)',
  { timeout: 240_000 },
  async ([, language, program, flags, verdicts], { skip }) => {
    if (!hasLanguage(language)) skip(`There is no ${language} on this machine.`)
    const named = Object.keys(verdicts).filter((name) => name !== 'else')
    const faults = flags.includes('--faults') ? [] : ['--faults', ...named, ...others]
    const { code, runs } = await sweep(createClient(language, program), ['--quick', ...flags, ...faults])
    const expected = runs.map(({ fault }) => `${fault}: ${verdicts[fault] ?? verdicts['else']}`)
    expect(runs.map(({ fault, verdict }) => `${fault}: ${verdict}`)).toEqual(expected)
    const tried = runs.map(({ fault }) => fault)
    expect(tried).toEqual(expect.arrayContaining(named))
    expect(code).toBe(1)
  },
)

test.for(Object.keys(correct) as Language[])(
  'reports nothing for a correct client (%s)',
  { timeout: 240_000 },
  async (language, { skip }) => {
    if (!hasLanguage(language)) skip(`There is no ${language} on this machine.`)
    const stages = language === 'php' ? ['--rerun'] : ['--rerun', '--quick']
    const { code, runs } = await sweep(createClient(language, correct[language]), stages)
    const wrong = runs.filter(({ verdict }) => !['ok', 'not-tried'].includes(verdict))
    expect(wrong.map(({ operation, fault, verdict }) => `${operation} ${fault}: ${verdict}`)).toEqual([])
    expect(code).toBe(0)
  },
)
