import { Counter, Histogram, Registry } from 'prom-client'
import type { Store, StoreStats } from '../state/Store.ts'
import type { Plane } from './handleRequest.ts'

/** Seconds. Most responses take well under a millisecond, delayed ones seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Metrics of this process for Prometheus (`--metrics`). */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Counter<'operation' | 'status'>
  readonly #durations: Histogram<'operation'>

  constructor(store: Store) {
    const registers = [this.#registry]
    this.#requests = new Counter({
      name: 'proxysim_requests_total',
      help: 'Requests by operation and status; the operation is empty if the path is not in the contract.',
      labelNames: ['operation', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'proxysim_request_duration_seconds',
      help: 'Time from request to response, including delays by faults.',
      labelNames: ['operation'],
      buckets,
      registers,
    })
    const stats = store.stats?.bind(store)
    if (!stats) return
    const counters: Record<keyof StoreStats, string> = {
      trips: 'Round trips to the shared store.',
      tripSeconds: 'Seconds spent on round trips to the shared store.',
      conflicts: 'Commits that lost to another replica.',
      reruns: 'Requests that ran again because of a conflict.',
      unrecorded: 'Requests that a full store could not add to its journal.',
    }
    for (const [name, help] of Object.entries(counters) as [keyof StoreStats, string][])
      this.#registry.registerMetric(
        new Counter({
          name: `proxysim_store_${name === 'tripSeconds' ? 'trip_seconds' : name}_total`,
          help,
          registers: [],
          collect() {
            this.reset()
            this.inc(stats()[name])
          },
        }),
      )
  }

  /** Wraps a plane to measure its requests. */
  measured(plane: Plane): Plane {
    return {
      ...plane,
      respond: async (context) => {
        const response = await plane.respond(context)
        const operation = context.operation?.operationId ?? ''
        this.#requests.inc({ operation, status: response.status })
        this.#durations.observe({ operation }, (performance.now() - context.started) / 1000)
        return response
      },
    }
  }

  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
