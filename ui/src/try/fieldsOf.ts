import { money } from '../lib/format.ts'
import type { WorldView } from '../lib/types.ts'

export interface Suggestion {
  value: string
  text: string
}

/** Names of a path's parameters, in order. */
export function parametersOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
}

/** Path with its parameters filled in. */
export function fill(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[name] ?? ''))
}

const fixed: Record<string, string[]> = {
  field: ['productId', 'productName', 'price', 'groupId', 'groupName', 'created_at'],
  typel: ['http-ip', 'socks-ip', 'http-auth', 'ppr-http', 'ppr-socks'],
  formatl: ['txt', 'csv', 'json'],
  ttl: ['1', '2', '3', '5', '10', '15'],
}

/** A list of ids is offered as far as it helps. */
const longest = 200

/** What can stand in a parameter, from what is in the world. */
export function suggestions(operation: string, name: string, world: WorldView | undefined): Suggestion[] {
  const listed = fixed[name]
  if (listed) return listed.map((value) => ({ value, text: value }))
  if (!world) return []
  if (name === 'pid')
    return Object.entries(world.products)
      .slice(0, longest)
      .map(([value, { productName, price }]) => ({ value, text: `${productName}, ${money(price)}` }))
  if (operation === 'getInvoice')
    return Object.entries(world.invoices)
      .slice(0, longest)
      .map(([value, { status, amount }]) => ({ value, text: `${status}, ${money(amount)}` }))
  const services = Object.entries(world.services)
  if (name === 'id')
    return services
      .filter(([, service]) => !isRotatingOnly(operation) || service.product_type === 'ppr')
      .slice(0, longest)
      .map(([value, { product_name, status }]) => ({ value, text: `${product_name}, ${status}` }))
  const sessions = services.flatMap(([, { sticky }]) => sticky?.sessions ?? []).slice(0, longest)
  if (name === 'server' || name === 'session')
    return [...new Set(sessions.map((session) => session[name]))].map((value) => ({ value, text: value }))
  return []
}

function isRotatingOnly(operation: string): boolean {
  return operation.includes('Sticky') || operation === 'getStats' || operation === 'getRate'
}

/** A body to begin with; undefined where the operation takes none. */
export function bodyOf(operation: string, world: WorldView | undefined): string | undefined {
  if (operation === 'orderService')
    return pretty({ clientid: Number(Object.keys(world?.clients ?? {})[0] ?? 11) })
  if (operation === 'updateService') return pretty({ setip: '192.0.2.77' })
  return undefined
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
