import { z } from 'zod'
import { readText } from '../../lib/files.ts'
import { UserError } from '../../lib/UserError.ts'

/** The `creator` of archives written by `proxysim record` */
export const recorderName = 'proxysim record'

// Recorders write all kinds of values for missing data. A call counts even if parts of it can't be parsed.
const text = z.string().nullish().catch(undefined)
const number = z.coerce.number().nullish().catch(undefined)
/** A body that can't be parsed becomes `{ size: 1 }`, so that it isn't mistaken for a missing one. */
const content = z.object({ text, encoding: text, mimeType: text, size: number }).nullish().catch({ size: 1 })
const header = z.object({ name: z.string(), value: text })
const message = {
  headers: z
    .array(header.nullish().catch(undefined))
    .transform((all) => all.filter((one) => one != null))
    .nullish()
    .catch(undefined),
  bodySize: number,
}
const credentials = z.object({
  type: z.enum(['none', 'basic', 'other']),
  login: z.string().optional(),
  secret: z.string().optional(),
})

/** The parts of an entry that we read. Most recorders leave out some fields of HAR 1.2. */
const harEntry = z.object({
  startedDateTime: text,
  request: z.object({ ...message, method: z.string(), url: z.string(), postData: content }),
  response: z
    .object({ ...message, status: number, content })
    .nullish()
    .catch(undefined),
  _credentials: credentials.optional().catch(undefined),
})

/** Whether a browser marked the response as cached, with `_fromCache`, `fromDiskCache`… */
function isCached(entry: unknown): boolean {
  const { response } = Object(entry) as { response?: unknown }
  const fields = [...Object.entries(Object(entry)), ...Object.entries(Object(response))]
  return fields.some(([name, value]) => /^(?:_|from)\w*cache$/i.test(name) && Boolean(value))
}

const har = z.object({
  log: z.object({
    creator: z.object({ name: text }).nullish(),
    entries: z.array(z.unknown()),
  }),
})

export type HarEntry = z.output<typeof harEntry> & { isCached?: boolean }
export type HarContent = z.output<typeof content>

/**
 * Anonymized credentials in recordings made by `proxysim record`. Equal credentials get the same placeholder, such as
 * `account-2`. Others than Basic ones are `other`.
 */
export type RecordedCredentials = z.output<typeof credentials>

interface Archive {
  /** Undefined for an entry without a URL, or with an invalid structure */
  entries: (HarEntry | undefined)[]
  /** Whether personal values are already placeholders, because `proxysim record` made the recording */
  isAnonymized: boolean
}

function notHar(file: string, reason: string): UserError {
  return new UserError(`${file} is not an HTTP archive (HAR): ${reason}.`, {
    advice: 'Export a HAR from your browser or proxy, or make one with `proxysim record`.',
  })
}

/** Reads an HTTP archive. @throws UserError with a one-line message that quotes nothing from the file */
export async function readHar(file: string): Promise<Archive> {
  const source = await readText(file)
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    throw notHar(file, 'it is not valid JSON')
  }
  const { data } = har.safeParse(value)
  if (!data) throw notHar(file, '`log.entries` is missing')
  const entries = data.log.entries.map((raw) => {
    const entry = harEntry.safeParse(raw).data
    return entry && { ...entry, isCached: isCached(raw) }
  })
  return { entries, isAnonymized: data.log.creator?.name === recorderName }
}
