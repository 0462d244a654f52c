import { z } from 'zod'
import { readText } from '../lib/files.ts'
import { UserError } from '../lib/UserError.ts'

/** The `creator` of archives written by `proxysim record` */
export const recorderName = 'proxysim record'

// Recorders write all kinds of values for missing data. A call with a part that can't be read still counts as a call.
const text = z.string().nullish().catch(undefined)
const number = z.coerce.number().nullish().catch(undefined)
/** Some recorders write the body itself. An unreadable one gets a size, so that it isn't taken for a missing one. */
const content = z.preprocess(
  (value) => (typeof value === 'string' ? { text: value } : value),
  z.object({ text, encoding: text, mimeType: text, size: number, _file: text }).nullish().catch({ size: 1 }),
)
const header = z.object({ name: z.string(), value: text })
const message = {
  headers: z
    .array(header.nullish().catch(undefined))
    .transform((all) => all.filter((one) => one != null))
    .nullish()
    .catch(undefined),
  bodySize: number,
}
/** The status in `200`, `"200 OK"` or `"HTTP/1.1 200 OK"` */
const statusIn = (value: unknown) =>
  typeof value === 'string' ? Number(/(?<!\S)\d+/.exec(value)?.[0]) : value
const credentials = z.object({
  form: z.enum(['none', 'basic', 'malformed-header', 'malformed-credentials']),
  login: z.string().optional(),
  secret: z.string().optional(),
})

/** The parts of an entry that we read. Most recorders leave out some fields of HAR 1.2. */
const harEntry = z.object({
  startedDateTime: text,
  request: z.object({ ...message, method: z.string(), url: z.string(), postData: content }),
  response: z
    .object({ ...message, status: z.preprocess(statusIn, number), content })
    .nullish()
    .catch(undefined),
  _credentials: credentials.optional().catch(undefined),
})

/** Whether a browser marked the response as cached, with `_fromCache`, `fromDiskCache`, `_fetchType`… */
function isCached(entry: unknown): boolean {
  const { response } = Object(entry) as { response?: unknown }
  const marks = [...Object.entries(Object(entry)), ...Object.entries(Object(response))]
  return marks.some(
    ([name, value]) =>
      (/^(?:_|from)\w*cache$/i.test(name) && Boolean(value) && value !== 'false') ||
      (/^_(?:fetchType|serviceWorkerResponseSource)$/.test(name) && /cache/i.test(String(value))),
  )
}

const har = z.object({
  log: z.object({
    creator: z.object({ name: text }).nullish(),
    entries: z.array(z.unknown()),
  }),
})

export type HarEntry = z.output<typeof harEntry> & { isCached?: boolean }
export type HarContent = z.output<typeof content>

/** The anonymized credentials in recordings of `proxysim record`: equal ones have the same number. */
export type RecordedCredentials = z.output<typeof credentials>

interface Archive {
  /** Undefined for an entry without a URL, or with an invalid structure */
  entries: (HarEntry | undefined)[]
  /** Whether `proxysim record` made it, so that it already contains placeholders */
  isOurs: boolean
}

/** @throws UserError with a one-line message that quotes nothing from the file */
export async function readHar(file: string): Promise<Archive> {
  const source = (await readText(file)).replace(/^\uFEFF/, '').trim()
  if (source === '') throw new UserError(`The file ${file} is empty.`)
  if (source.startsWith('\x1f')) throw new UserError(`The file ${file} is compressed. Unpack it first.`)
  if (source.slice(0, 4).includes('\0')) throw new UserError(`The file ${file} is UTF-16. Save it as UTF-8.`)
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    throw new UserError(
      source.startsWith('{')
        ? `The file ${file} begins like an HTTP archive (HAR) but is not valid JSON. Is it truncated?`
        : `The file ${file} is not an HTTP archive (HAR): it is not valid JSON.`,
    )
  }
  const { data } = har.safeParse(value)
  if (!data) throw new UserError(`The file ${file} is not an HTTP archive (HAR): it has no log.entries.`)
  const entries = data.log.entries.map((raw) => {
    const entry = harEntry.safeParse(raw).data
    return entry && { ...entry, isCached: isCached(raw) }
  })
  return { entries, isOurs: data.log.creator?.name === recorderName }
}
