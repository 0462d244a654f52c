import { setTimeout as sleep } from 'node:timers/promises'

/** Waits, in real time; ends early when the client or the simulator goes away. */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal, ref: true }).catch(() => {})
}
