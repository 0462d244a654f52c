import { once } from 'node:events'
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import type { Issue } from '../Issue.ts'
import { shipped } from '../packageRoot.ts'
import type { References } from './mergeScenario.ts'
import { fromPieces } from './pieces.ts'
import { readDescription, readScenario, type Source } from './readScenario.ts'
import { TooLong } from './readSourceText.ts'
import { ScenarioError } from './ScenarioError.ts'

/** What the thread can be asked. */
export const tasks = { readScenario, readDescription }
type Tasks = typeof tasks

export interface Question {
  task: keyof Tasks
  source: Source
  references: References
}

export interface Answer {
  /** The value's; none if there are issues or an error */
  pieces: Uint8Array[]
  issues?: readonly Issue[]
  error?: unknown
}

const isBuilt = !import.meta.url.endsWith('.ts')
const script = shipped(isBuilt ? 'dist/readWorker.js' : 'scripts/readWorker.mjs')

/** Bytes that are read in this thread: a dense list of that takes 70 ms, a scenario 20. */
const longest = 32 * 1024

/** Milliseconds without work after which the thread ends. A new one takes up to three times as long for its first text. */
const idleTime = 5000

/** MB: at least a gigabyte, as a megabyte of empty lists in YAML takes some 500 MB. */
const mostMemory = Math.max(1024, getHeapStatistics().heap_size_limit / 1024 ** 2)

let last: Promise<void> = Promise.resolve()
/** An answer may have megabytes. */
const forget = (): void => {}

/**
 * Reads a scenario, or its description. What is long is read in a thread of its own, as it would block everything else;
 * one after another, so that many at once don't take the memory of all.
 * @throws ScenarioError
 */
export async function readAside<Task extends keyof Tasks>(
  task: Task,
  source: Source,
  references: References,
): Promise<Awaited<ReturnType<Tasks[Task]>>> {
  type Value = Awaited<ReturnType<Tasks[Task]>>
  const read = tasks[task] as (source: Source, references: References) => Promise<Value>
  try {
    return await read(source, { ...references, longest })
  } catch (error) {
    if (!(error instanceof TooLong)) throw error
  }
  const asked = last.then(() => ask({ task, source, references }))
  last = asked.then(forget, forget)
  const answer = await asked.catch((error: NodeJS.ErrnoException) => error)
  if (answer instanceof Error) {
    // If no thread can be started, waiting is better than no answer.
    if (answer.code !== 'ERR_WORKER_OUT_OF_MEMORY') return read(source, references)
    const file = source.shown ?? source.file
    throw new ScenarioError([{ file, path: '', message: 'it is too large to be read' }])
  }
  if (answer.issues) throw new ScenarioError(answer.issues)
  if (answer.error !== undefined) throw answer.error
  return (await fromPieces<{ value: Value }>(answer.pieces)).value
}

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

async function ask(question: Question): Promise<Answer> {
  clearTimeout(idle)
  const worker = (thread ??= startThread())
  const answered = new AbortController()
  const { signal } = answered
  worker.ref() // a command that reads a file has nothing else to wait for
  try {
    worker.postMessage(question, [])
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => {
        throw new Error('The thread ended without an answer.')
      }),
    ])) as [Answer]
    return answer
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
  const ended = (): void => {
    if (thread === worker) thread = undefined
  }
  return worker.on('error', ended).on('exit', ended)
}
