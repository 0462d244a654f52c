// Run by plain node, so that nothing of tsx is in what is measured.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Makes this process a server of a benchmark: tells the parent its address, and answers what it asks.
 * @param {string} url
 * @param {() => Promise<void> | void} close
 * @param {Record<string, () => unknown>} [more] what else it answers
 */
export function serve(url, close, more = {}) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  /** @type {Record<string, () => unknown>} */
  const answers = {
    'watch pauses': () => {
      delay.reset()
      delay.enable()
      return {}
    },
    // the timer itself takes a millisecond
    pauses: () => ({ longest: Math.max(0, delay.max / 1e6 - 1) }),
    memory: () => process.memoryUsage(),
    ...more,
  }
  process.on('message', (question) => {
    if (question === 'stop') void Promise.resolve(close()).then(() => process.exit(0))
    else void Promise.resolve(answers[String(question)]?.()).then((answer) => process.send?.(answer))
  })
  process.on('disconnect', () => process.exit(1))
  process.send?.({ url })
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
