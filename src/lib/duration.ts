const units: Record<string, string> = {
  s: 'PT#S',
  m: 'PT#M',
  min: 'PT#M',
  h: 'PT#H',
  d: 'P#D',
  w: 'P#W',
  mo: 'P#M',
  y: 'P#Y',
}

/**
 * Converts a common spelling of a duration to ISO 8601. Other texts are returned unchanged, so that the simulator rejects them.
 * @example
 * isoDuration('10m') // 'PT10M'
 */
export function isoDuration(text: string): string {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w|mo|y)$/i.exec(text.trim()) ?? []
  if (unit === 'M') return text.trim() // a minute or a month
  return count && unit ? (units[unit.toLowerCase()] as string).replace('#', count) : text.trim()
}
