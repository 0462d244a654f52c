import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseJson } from '../../lib/json.ts'
import { matchesGlob } from '../../lib/glob.ts'
import { idField, type Effect, type Field } from './ClientChanges.ts'

/** Files whose content says nothing about the result */
const ignoredNames = /\.(?:log|pid|lock|tmp)$/

/** The subject of the ids in all files together */
export const allFiles = 'file *'

/** Maximum number of bytes of a file that is compared */
const maxBytes = 1024 * 1024

/** Times in a text: ISO 8601, dates, times of the day, and seconds or milliseconds since 1970 in this century. */
const times =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b|\b1\d{9}(?:\d{3})?(?:\.\d+)?\b/g

/**
 * The files that a client wrote in a folder: JSON by path, other text by line, without times and without the values that the service
 * assigned in this run. Binary files have no fields; `*.log`, `*.pid`, `*.lock` and `*.tmp` are left out.
 * @param assigned ids and other values that differ per run
 * @param ignored patterns of names or paths of files to leave out
 */
export async function readRunFiles(
  folder: string,
  assigned: ReadonlySet<string>,
  ignored: readonly string[] = [],
): Promise<Effect[]> {
  const entries = await listEntries(folder)
  const texts: string[] = []
  const effects = entries.map(async ({ path, entry }): Promise<Effect | undefined> => {
    const name = relative(folder, path)
    const isIgnored = ignored.some((one) => matchesGlob(one, name) || matchesGlob(one, entry.name))
    const bytes = entry.isFile() && !isIgnored && !ignoredNames.test(path) ? await readBytes(path) : undefined
    if (!bytes) return undefined
    const effect = { subject: `file ${withoutAssigned(name, assigned)}`, isNew: false }
    if (!isText(bytes)) return { ...effect, fields: [] }
    const text = bytes.toString()
    texts.push(name, text)
    return { ...effect, fields: [...readFields(name, text, assigned), ...countIds(text, assigned)] }
  })
  const files = (await Promise.all(effects)).filter((one) => one !== undefined)
  return [...files, { subject: allFiles, isNew: false, fields: countIds(texts.join('\n'), assigned) }]
}

/**
 * What `readRunFiles` leaves out, and the next run may depend on all the same: the names of all files and folders, and the content of
 * files that aren't compared. A log or a pid says little by its content.
 */
export async function readOtherFiles(folder: string, assigned: ReadonlySet<string>): Promise<string[]> {
  const entries = await listEntries(folder)
  const lines = entries.map(async ({ path, entry }) => {
    const name = withoutAssigned(relative(folder, path), assigned)
    const bytes = entry.isFile() && !/\.(?:log|pid)$/.test(path) ? await readBytes(path) : undefined
    return bytes && (ignoredNames.test(path) || !isText(bytes))
      ? `${name} ${createHash('sha256').update(bytes).digest('hex')}`
      : name
  })
  return Promise.all(lines)
}

function readBytes(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined)
}

function isText(bytes: Buffer): boolean {
  return bytes.length <= maxBytes && !bytes.includes(0) && isUtf8(bytes)
}

/** The names of the files in a folder. */
export async function listFiles(folder: string): Promise<string[]> {
  const entries = await listEntries(folder)
  return entries.filter(({ entry }) => entry.isFile()).map(({ path }) => relative(folder, path))
}

/** All files and folders below a folder, except those in folders that can't be read. */
async function listEntries(folder: string): Promise<{ path: string; entry: Dirent }[]> {
  const children = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const entries = children
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map(async (entry) => {
      const path = join(folder, entry.name)
      return [{ path, entry }, ...(entry.isDirectory() ? await listEntries(path) : [])]
    })
  return (await Promise.all(entries)).flat()
}

/** Files that are read by line, even if a line alone is JSON */
const linedNames = /\.(?:jsonl|ndjson|csv|txt)$/

function readFields(fileName: string, text: string, assigned: ReadonlySet<string>): Field[] {
  const value = linedNames.test(fileName) ? undefined : parseJson(text)
  const fields =
    typeof value === 'object' && value !== null
      ? flatten(value, '')
      : text
          .split(/\r\n|[\r\n]/)
          .filter((line) => line.trim() !== '')
          .map((line): Field => ['line', line])
  return [['exists', 'yes'], ...fields].map(
    ([name = '', line = '']): Field => [withoutAssigned(name, assigned), withoutAssigned(line, assigned)],
  )
}

/** Ids are put aside, but not their number, or two names could share one record. */
function countIds(text: string, assigned: ReadonlySet<string>): Field[] {
  const numbers = text.match(/[a-zA-Z0-9]+/g) ?? []
  const ids = new Set(numbers.filter((word) => /^\d+$/.test(word) && assigned.has(word)))
  return [...ids].map((_, i): Field => [idField, String(i + 1)])
}

/** `orders[].service` → its values. The position in a list doesn't count. */
function flatten(value: unknown, path: string): Field[] {
  if (Array.isArray(value)) return value.flatMap((one) => flatten(one, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, one]) => flatten(one, path === '' ? name : `${path}.${name}`))
}

/** Puts aside times and assigned values: ids, also within words such as `5104.txt`, and addresses. */
function withoutAssigned(text: string, assigned: ReadonlySet<string>): string {
  const put = (word: string): string => (assigned.has(word) ? '…' : word)
  return text
    .replaceAll(times, '…')
    .replaceAll(/[\w.-]*\w/g, (word) => (assigned.has(word) ? '…' : word.replaceAll(/[a-zA-Z0-9]+/g, put)))
}
