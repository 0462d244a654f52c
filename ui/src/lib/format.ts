/** Made once: `toLocaleString` would make one for each of a thousand services. */
const usd = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** USD with its cents, to be read: `1,013.67`. In a field it is without the comma, as it can be entered. */
export function money(amount: unknown): string {
  return typeof amount === 'number' ? usd.format(amount) : String(amount)
}

/** Time of day, in UTC as everything in the API: `12:00:05`. */
export function timeOfDay(instant: string): string {
  return instant.slice(11, 19)
}

/** `2026-01-15 12:00:05`, UTC. */
export function dateTime(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 19).replace('T', ' ') : '–'
}

export function duration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** What is left of a time: `4 min 05 s`. */
export function timeLeft(ms: number): string {
  if (ms <= 0) return 'gone'
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60
    ? `${seconds} s`
    : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** `in 3 days`, `in 2 h 5 min`. */
export function timeUntil(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  if (minutes < 60) return `in ${minutes} min`
  if (minutes < 48 * 60)
    return `in ${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
  return `in ${plural(Math.round(minutes / (24 * 60)), 'day')}`
}
