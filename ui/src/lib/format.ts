const usd = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** US dollars: `1,013.67` */
export function formatMoney(amount: unknown): string {
  return typeof amount === 'number' ? usd.format(amount) : String(amount)
}

/** `2026-01-15 12:00:05`, UTC */
export function formatDateTime(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 19).replace('T', ' ') : '–'
}

/** Time of day in the browser's zone: `14:03:21` */
export function formatLocalTime(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8)
}

export function formatDuration(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** `in 2 s`, `in 5 min`, `in 2 h 5 min`, `in 3 days` */
export function formatTimeUntil(ms: number): string {
  if (ms <= 0) return 'now'
  if (ms < 60_000) return `in ${Math.ceil(ms / 1000)} s`
  const minutes = Math.ceil(ms / 60_000)
  if (minutes < 60) return `in ${minutes} min`
  if (minutes < 48 * 60)
    return `in ${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
  return `in ${pluralize(Math.round(minutes / (24 * 60)), 'day')}`
}

export function pluralize(count: number, singular: string, pluralForm = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : pluralForm}`
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Parses a number with a decimal point or comma. Returns undefined for other text, and for `1,000`, which is ambiguous. */
export function parseNumber(text: string): number | undefined {
  const isAmbiguous = /,\d{3}$/.test(text)
  const number = text.trim() === '' || isAmbiguous ? NaN : Number(text.replace(',', '.'))
  return Number.isFinite(number) ? number : undefined
}
