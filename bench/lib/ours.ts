import { fileURLToPath } from 'node:url'
import type { SimulatorOptions } from '../../src/SimulatorOptions.ts'
import { ServerProcess } from './ServerProcess.ts'

/**
 * Starts the built product in a process of its own.
 * @param services how many services its world is filled up to
 */
export function startOurs(
  product: string,
  options: SimulatorOptions,
  {
    name = 'ours',
    flags = [],
    services,
  }: { name?: string; flags?: readonly string[]; services?: number } = {},
): Promise<ServerProcess> {
  return ServerProcess.ofScript(name, fileURLToPath(new URL('ours.mjs', import.meta.url)), {
    env: {
      BENCH_PRODUCT: product,
      BENCH_OPTIONS: JSON.stringify(options),
      ...(services !== undefined && { BENCH_SERVICES: String(services) }),
    },
    flags,
  })
}
