// A client that asks for something small every 10 ms, from a thread of its own, and notes the longest that it waited.
import { Agent, get } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

const every = 10
let agent = new Agent({ keepAlive: true })
let longest = 0
/** Asks that wait for an answer */
const waiting = new Set()
let timer

function probe() {
  const began = performance.now()
  waiting.add(began)
  ask(() => {
    longest = Math.max(longest, performance.now() - began)
    waiting.delete(began)
  })
}

/** @param {() => void} done */
function ask(done) {
  // A connection may be closed for having been idle, if the server was busy for so long: then the next one is taken.
  get(`${workerData.url}/__admin/health`, { agent }, (response) => response.resume().on('end', done)).on(
    'error',
    () => ask(done),
  )
}

parentPort?.on('message', (question) => {
  if (question === 'begin') {
    longest = 0
    agent = new Agent({ keepAlive: true })
    timer = setInterval(probe, every)
    parentPort?.postMessage({}, [])
    return
  }
  clearInterval(timer)
  const settled = setInterval(() => {
    if (waiting.size > 0) return
    clearInterval(settled)
    agent.destroy()
    parentPort?.postMessage({ longest }, [])
  }, 1)
})
