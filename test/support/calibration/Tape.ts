import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFolder } from '../start.ts'
import type { NaiveResponse, NaiveRequest, NaiveService } from './NaiveService.ts'

/** A recorded request with its response. */
export interface Exchange {
  at: number
  request: NaiveRequest
  answer: NaiveResponse
}

export interface CallOptions {
  body?: unknown
  raw?: string
  /** null sends no credentials */
  authorization?: string | null
  /** Milliseconds that pass before the call. @default 1500 */
  after?: number
}

/** Calls a service and records the traffic, as a browser would. */
export class Tape {
  readonly service: NaiveService
  readonly exchanges: Exchange[] = []
  now: number
  /** Alters each response, to simulate a violation or another rule. */
  alter: (answer: NaiveResponse, request: NaiveRequest) => NaiveResponse = (answer) => answer

  constructor(service: NaiveService, now = Date.parse('2026-03-04T05:06:07.250Z')) {
    this.service = service
    this.now = now
  }

  call(method: string, path: string, options: CallOptions = {}): NaiveResponse & { json: never } {
    const { body, raw, authorization = this.service.authorization, after = 1500 } = options
    this.now += after
    const request: NaiveRequest = {
      method,
      path,
      authorization: authorization ?? undefined,
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    }
    const answer = this.alter(this.service.handle(request, this.now), request)
    this.exchanges.push({ at: this.now, request, answer })
    let json: unknown
    try {
      json = JSON.parse(answer.body)
    } catch {
      // not JSON
    }
    return { ...answer, json: json as never }
  }

  get(path: string, options?: CallOptions): NaiveResponse & { json: never } {
    return this.call('GET', path, options)
  }

  /** Returns the recording as HAR 1.2. */
  get har(): { log: Record<string, unknown> } {
    return {
      log: {
        version: '1.2',
        creator: { name: 'a test', version: '1' },
        entries: this.exchanges.map(toHarEntry),
      },
    }
  }

  /** Writes the recording to a file that is deleted at the end of the test. */
  file(name = 'tape.har'): string {
    const file = join(createFolder(), name)
    writeFileSync(file, JSON.stringify(this.har))
    return file
  }
}

export function toHarEntry({ at, request, answer }: Exchange): Record<string, unknown> {
  const { method, path, authorization, body } = request
  const header = (name: string, value: string | undefined) => (value === undefined ? [] : [{ name, value }])
  const json = 'application/json'
  return {
    startedDateTime: new Date(at).toISOString(),
    time: 12,
    request: {
      method,
      url: `https://real.example${path}`,
      httpVersion: 'HTTP/1.1',
      headers: [
        ...header('Accept', json),
        ...header('Content-Type', json),
        ...header('Authorization', authorization),
      ],
      bodySize: body?.length ?? 0,
      ...(body !== undefined && { postData: { mimeType: json, text: body } }),
    },
    response: {
      status: answer.status,
      headers: [...header('Date', new Date(at).toUTCString()), ...header('Content-Type', answer.type)],
      content: { size: answer.body.length, mimeType: answer.type ?? 'x-unknown', text: answer.body },
      bodySize: answer.body.length,
    },
  }
}
