import { fits } from '../journal/shownCase.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlPlane } from '../client/ControlPlane.ts'
import type { RequestFilter } from '../client/SimulatorHandle.ts'
import { SimulatorError } from '../client/SimulatorError.ts'
import type { JournalEntry } from '../admin/shapes.ts'
import { untilSignal } from './untilSignal.ts'

/** Milliseconds between attempts to reconnect */
const pause = 500

/**
 * Reports each request as it comes, until a signal or until nobody reads them. If the simulator stops, waits for it to come back.
 * @throws UserError if there is none at the start, or it refuses
 */
export async function followRequests(
  plane: ControlPlane,
  filter: RequestFilter,
  tell: (entry: JournalEntry) => void,
): Promise<void> {
  await plane.json('GET', '/requests', { query: { ...filter, limit: 1 } }) // reports invalid names right away
  const ending = new AbortController()
  const { signal } = ending
  void untilSignal().then(() => ending.abort())
  process.stdout.once('error', () => ending.abort()) // nobody reads any more
  const say = (text: string): void => void process.stderr.write(`proxysim: ${text}\n`)
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      for await (const { type, data } of plane.events({ account: filter.account }, signal)) {
        if (type === 'connected' && !isFirst) say('the simulator is back')
        if (type === 'request' && fits(filter, data as JournalEntry)) tell(data as JournalEntry)
      }
      if (!signal.aborted) say(`the simulator at ${plane.url} has stopped; waiting for it to start again`)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof SimulatorError) throw error
    }
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}
