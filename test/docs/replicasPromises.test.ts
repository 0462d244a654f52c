import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ')

/** What docs/replicas.md says, and the test that holds it to that: its file, and words of its title. */
const promises: [words: string, file: string, title: string][] = [
  ['are one simulator', 'test/replicas/oneSimulator.test.ts', 'three replicas act as one simulator'],
  [
    'every later one joins the existing state and says so',
    'test/replicas/deploy.test.ts',
    'joins the existing state, and says so',
  ],
  ['apply to all of them, in one step', 'test/replicas/oneSimulator.test.ts', 'a load applies to all'],
  ['Redis 6.2 or later', 'test/replicas/engines.test.ts', 'is refused in one line, exit 2'],
  ['or a Cluster, is refused at the start', 'test/replicas/engines.test.ts', 'a Redis Cluster is refused'],
  [
    "Deletes accounts that haven't been used for this long",
    'test/storage/shared/consistency.test.ts',
    'delete idle ones',
  ],
  ['Refuses to create more', 'test/storage/shared/consistency.test.ts', 'limit the number of accounts'],
  [
    'one that differs refuses to join',
    'test/storage/shared/consistency.test.ts',
    'only join replicas with the same contract',
  ],
  [
    'A Redis user for one prefix needs no more',
    'test/storage/shared/failures.test.ts',
    'permissions that the guide names',
  ],
  [
    "doesn't count as an absence of Redis",
    'test/storage/shared/failures.test.ts',
    'however long this process was unable',
  ],
  ['A replica, however it ends', 'test/replicas/crash.test.ts', 'no acknowledged change is lost or doubled'],
  ['The start warns of it', 'test/storage/shared/failures.test.ts', 'about a store without `appendonly`'],
  [
    'as it then delays writes. Otherwise nothing',
    'test/storage/shared/failures.test.ts',
    'after a kill with appendfsync %s',
  ],
  [
    'Nothing if the replica has caught up',
    'test/storage/shared/failover.test.ts',
    'nothing that was answered is lost',
  ],
  ['Whatever was not replicated yet', 'test/storage/shared/failover.test.ts', 'which lacks the last changes'],
  [
    'When Redis is full, changes are refused',
    'test/storage/shared/failures.test.ts',
    'a full store still serves reads',
  ],
  ['If Redis comes back empty', 'test/storage/shared/failures.test.ts', 'an emptied store is reported'],
  [
    'If it comes back older than what was answered',
    'test/replicas/failover.test.ts',
    'without the last changes is told of in the health',
  ],
  ['no longer shows what is lost', 'test/storage/shared/failover.test.ts', 'nothing of them is shown'],
  ['within two seconds', 'test/storage/shared/failures.test.ts', 'is reported within 2 s'],
  [
    'a request is never carried out twice',
    'test/storage/shared/failures.test.ts',
    'broken connections neither lose nor double an order',
  ],
  [
    'work goes on as soon as it leads to the Redis that took over',
    'test/storage/shared/failover.test.ts',
    'which took over under load',
  ],
  [
    'everything is answered 503, reads included',
    'test/replicas/failover.test.ts',
    'leads to a read-only replica',
  ],
  ['loses no request in a rolling restart', 'test/replicas/deploy.test.ts', 'a rolling restart under load'],
  [
    'says so at the start and in its health',
    'test/replicas/clocks.test.ts',
    'each says that its clock is wrong',
  ],
  [
    "does not depend on the replicas' clocks",
    'test/replicas/clocks.test.ts',
    'replicas whose clocks are hours apart are one simulator',
  ],
  [
    'the clock of Redis may be set while everything runs',
    'test/storage/shared/clocks.test.ts',
    'under way answers as before',
  ],
  [
    'Accounts expire by that clock',
    'test/storage/shared/clocks.test.ts',
    'says when accounts end, and nobody else',
  ],
]

test.each(promises)('%s', (words, file, title) => {
  expect(read('docs/replicas.md')).toContain(words)
  expect(existsSync(join(root, file)), file).toBe(true)
  expect(read(file)).toContain(title)
})
