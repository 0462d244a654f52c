// Run by plain node, so that nothing of tsx is in what is measured.
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'

/**
 * Makes this process a server of a benchmark: tells the parent its address, and answers what it asks.
 * @param {string} url
 * @param {() => Promise<void> | void} close
 * @param {Record<string, () => unknown>} [more] what else it answers
 */
export function serve(url, close, more = {}) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  let worked = 0
  let collected = 0
  let watch = setInterval(() => {}, 1000).unref()
  const collections = new PerformanceObserver((list) => noteCollections(list.getEntries()))
  /** @param {readonly { duration: number }[]} entries */
  function noteCollections(entries) {
    for (const { duration } of entries) collected = Math.max(collected, duration)
  }
  /** @type {Record<string, () => unknown>} */
  const answers = {
    'watch pauses': () => {
      delay.reset()
      delay.enable()
      collections.observe({ entryTypes: ['gc'] })
      worked = 0
      collected = 0
      let before = processorTime()
      watch = setInterval(() => {
        const now = processorTime()
        worked = Math.max(worked, now - before)
        before = now
      }, 1)
      return {}
    },
    pauses: () => {
      clearInterval(watch)
      noteCollections(collections.takeRecords())
      collections.disconnect()
      // the timer itself takes a millisecond
      return { longest: Math.max(0, delay.max / 1e6 - 1), worked, collected }
    },
    memory: async () => {
      // twice, a turn apart: what the first finds dead may hold more; without --expose-gc, garbage counts
      globalThis.gc?.()
      await new Promise(setImmediate)
      globalThis.gc?.()
      return process.memoryUsage()
    },
    ...more,
  }
  process.on('message', (question) => {
    if (question === 'stop') void Promise.resolve(close()).then(() => process.exit(0))
    else void Promise.resolve(answers[String(question)]?.()).then((answer) => process.send?.(answer))
  })
  process.on('disconnect', () => process.exit(1))
  process.send?.({ url })
}

/** Milliseconds that this thread has worked, whatever other programs did meanwhile. */
function processorTime() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ', 1)[0]) / 1e6
}

/**
 * Listens on a free port and serves.
 * @param {import('node:http').Server} server
 */
export function listen(server) {
  server.listen(0, '127.0.0.1', () => {
    const address = /** @type {import('node:net').AddressInfo} */ (server.address())
    serve(`http://127.0.0.1:${address.port}`, () => server.closeAllConnections())
  })
}
