import type { TracedCall } from './Injector.ts'

/*
 * How long a run with faults may take, and which faults aren't tried after several hangs.
 */

/** Milliseconds that a run may take where the last response of an operation was an injected failure */
const backoffLimit = 70_000

/**
 * Milliseconds by which the time limit of a run is extended. Clients wait before they try again after a failure, and
 * may send other requests in between.
 * @param passed milliseconds since the run began
 */
export function extension(calls: readonly TracedCall[], run: number, passed: number): number {
  const ended = calls.flatMap((call) => (call.run === run && call.record ? { ...call.record, ...call } : []))
  const inOrder = ended.toSorted((one, other) => one.at - other.at)
  const last = new Map(inOrder.map(({ operation, fault }) => [operation, fault]))
  return [...last.values()].some((fault) => fault?.isFailure) ? Math.max(0, backoffLimit - passed) : 0
}

/** Hangs with the same last request after which the rest of an operation is left out */
const maxHangs = 3

/** Counts hangs by operation and last request. */
export class Hangs {
  readonly #counts = new Map<string, Map<string, number>>()

  /** @param operation the operation of the fault @param calls the calls of the run that hung */
  add(operation: string, calls: readonly Pick<TracedCall, 'run' | 'request'>[]): void {
    const counts = this.#counts.get(operation) ?? new Map<string, number>()
    const last = calls.findLast(({ run }) => run === 1)?.request ?? ''
    this.#counts.set(operation, counts.set(last, (counts.get(last) ?? 0) + 1))
  }

  /** Whether further faults on an operation would only hang again. */
  isGivenUp(operation: string): boolean {
    return [...(this.#counts.get(operation)?.values() ?? [])].some((count) => count >= maxHangs)
  }

  /** The operations whose remaining faults are left out. */
  get givenUp(): string[] {
    return [...this.#counts.keys()].filter((operation) => this.isGivenUp(operation))
  }
}
