import { responseShapes } from './responseShapes.gen.ts'
import type { Shape } from './Shape.ts'

/**
 * Returns where a response differs from the contract of the control plane; undefined if it doesn't.
 * @param path may contain ids: `/requests/17/repro`
 * @param value undefined if the body is empty
 * @returns a path such as `requests.0.id`; empty for the response itself
 */
export function findMismatch(method: string, path: string, value: unknown): string | undefined {
  const segments = `${method} ${path}`.split('/')
  const template = Object.keys(responseShapes).find((one) => {
    const names = one.split('/')
    return (
      names.length === segments.length &&
      names.every((name, i) => name.startsWith('{') || name === segments[i])
    )
  })
  const shape = template && responseShapes[template]
  return shape ? mismatch(value, shape, '') : undefined
}

function mismatch(value: unknown, shape: Shape, path: string): string | undefined {
  if (shape === 'any') return value === undefined ? path : undefined
  if (shape === 'none') return value === undefined ? undefined : path
  const isNull = value === null
  if (typeof shape === 'string') return typeof value === shape && !isNull ? undefined : path
  if (typeof value !== 'object' || isNull || Array.isArray(value) !== Array.isArray(shape)) return path
  const parts = Array.isArray(value)
    ? value.map((item: unknown, i) => [String(i), item, (shape as readonly [Shape])[0]] as const)
    : Object.entries(shape).map(
        ([name, part]) => [name, (value as Record<string, unknown>)[name], part] as const,
      )
  for (const [name, part, expected] of parts) {
    const found = mismatch(part, expected, path === '' ? name : `${path}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
