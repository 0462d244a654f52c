import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../../src/simulator.ts'
import { ServerProcess } from './ServerProcess.ts'

/** Starts the built product in a process of its own. */
export function startOurs(
  product: string,
  options: SimulatorOptions,
  { name = 'ours', flags = [] }: { name?: string; flags?: readonly string[] } = {},
): Promise<ServerProcess> {
  return ServerProcess.ofScript(name, fileURLToPath(new URL('ours.mjs', import.meta.url)), {
    env: { BENCH_PRODUCT: product, BENCH_OPTIONS: JSON.stringify(options) },
    flags,
  })
}
