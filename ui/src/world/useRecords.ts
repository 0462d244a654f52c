import { useMemo, useState } from 'preact/hooks'

export type Row<T> = [id: string, record: T]

/** The records of a map, the highest id first, of which a text is looked for; with the text and how to set it. */
export function useRecords<T extends object>(records: Record<string, T>) {
  const [search, setSearch] = useState('')
  const all = useMemo(
    () => Object.entries(records).toSorted(([a], [b]) => Number(b) - Number(a)) as Row<T>[],
    [records],
  )
  const rows = useMemo(() => {
    const wanted = search.trim().toLowerCase()
    if (wanted === '') return all
    return all.filter(([id, record]) => id.includes(wanted) || textOf(record).includes(wanted))
  }, [all, search])
  return { rows, search, setSearch }
}

const texts = new WeakMap<object, string>()

function textOf(record: object): string {
  const known = texts.get(record)
  if (known !== undefined) return known
  const text = Object.entries(record)
    .filter(([key, value]) => key !== 'password' && (typeof value === 'string' || typeof value === 'number'))
    .map(([, value]) => String(value))
    .join('\n')
    .toLowerCase()
  texts.set(record, text)
  return text
}
