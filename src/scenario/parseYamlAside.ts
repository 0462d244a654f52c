import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { shipped } from '../packageRoot.ts'
import { parseYaml, type ParsedYaml } from './parseYaml.ts'

const isBuilt = !import.meta.url.endsWith('.ts')
const script = shipped(isBuilt ? 'dist/yamlWorker.js' : 'scripts/yamlWorker.mjs')

/** Milliseconds without work after which the thread ends. A new one takes up to three times as long for its first text. */
const idleTime = 5000

/** MB. A megabyte of empty lists takes some 500; without a limit, garbage of several texts would pile up. */
const mostMemory = 1024

let last: Promise<unknown> = Promise.resolve()

/**
 * Parses a long text in a thread of its own: a megabyte takes half a second, and would block everything else. One after
 * another, so that many at once don't take the memory of all.
 */
export function parseYamlAside(text: string): Promise<ParsedYaml> {
  // Where no thread can be started, waiting is better than no answer.
  const parsed = last.then(() => inThread(text)).catch(() => parseYaml(text))
  last = parsed.catch(() => undefined)
  return parsed
}

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

async function inThread(text: string): Promise<ParsedYaml> {
  clearTimeout(idle)
  const worker = (thread ??= startThread())
  const answered = new AbortController()
  const { signal } = answered
  worker.ref() // a command that reads a file has nothing else to wait for
  try {
    worker.postMessage(text, [])
    const [parsed] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => {
        throw new Error('The thread ended without an answer.')
      }),
    ])) as [ParsedYaml]
    await nextTurn() // receiving a large value is work enough for one
    return parsed
  } finally {
    answered.abort()
    worker.unref()
    idle = setTimeout(() => {
      thread = undefined
      void worker.terminate()
    }, idleTime).unref()
  }
}

function startThread(): Worker {
  const worker = new Worker(script, {
    execArgv: [], // loaders of the program that embeds us would only take time
    resourceLimits: { maxOldGenerationSizeMb: mostMemory },
  })
  const forget = (): void => {
    if (thread === worker) thread = undefined
  }
  return worker.on('error', forget).on('exit', forget)
}
