// The product as it is built, in a process that a benchmark can ask.
import { pathToFileURL } from 'node:url'
import { serve } from './serve.mjs'

const { BENCH_PRODUCT, BENCH_OPTIONS } = process.env
const { startServer } = await import(pathToFileURL(`${BENCH_PRODUCT}/dist/simulator.js`).href)
const running = await startServer(JSON.parse(BENCH_OPTIONS ?? '{}'))
serve(running.url, running.close)
