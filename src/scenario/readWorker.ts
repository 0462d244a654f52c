// The thread of readAside.ts.
import { parentPort } from 'node:worker_threads'
import { toPieces } from './pieces.ts'
import { tasks, type Answer, type Question } from './readAside.ts'
import { ScenarioError } from './ScenarioError.ts'

async function answerTo({ task, source, references }: Question): Promise<void> {
  const answer: Answer = { pieces: [] }
  try {
    answer.pieces = [...toPieces({ value: await tasks[task](source, references) })]
  } catch (error) {
    if (error instanceof ScenarioError) answer.issues = error.issues
    else answer.error = error
  }
  const transferred = answer.pieces.map(({ buffer }) => buffer as ArrayBuffer)
  parentPort?.postMessage(answer, transferred)
}

parentPort?.on('message', (question: Question) => void answerTo(question))
