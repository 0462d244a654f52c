import type { Exchange } from './Exchange.ts'
import { listedIn, setBy, sightsOf } from './sights/sights.ts'
import { refusedUpdate } from './survey.ts'

/**
 * For each exchange, the paths whose values are in doubt: a call before it may have changed them, its outcome wasn't
 * recorded, and nothing since has shown or set them. A collection stands for new records in it.
 */
export function doubtsOf(exchanges: readonly Exchange[]): ReadonlySet<string>[] {
  let left: ReadonlySet<string> = new Set()
  return exchanges.map((exchange) => {
    const doubts = exchange.doubts ? new Set([...left, ...exchange.doubts]) : left
    if (doubts.size === 0) return doubts
    const settled = new Set(settledBy(exchange))
    left = new Set([...doubts].filter((path) => !settled.has(path)))
    return doubts
  })
}

function settledBy(exchange: Exchange): string[] {
  return [
    ...sightsOf(exchange).flatMap(({ path, implied }) => (implied ? [] : [path])),
    ...setBy(exchange).filter((path) => path !== 'credit'), // an order takes from it, whatever it was
    ...refusedUpdate(exchange).map(([id]) => `services/${id}/list_updated_at`),
    listedIn(exchange) ?? '',
  ]
}
