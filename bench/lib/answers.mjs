// Answers of ours that the bare servers repeat.
import { readFileSync } from 'node:fs'

/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Answer */

/** @type {Record<string, Answer>} */
const byName = JSON.parse(readFileSync(process.env.BENCH_ANSWERS ?? '', 'utf8'))

/** @param {string} name @returns {Answer} */
function named(name) {
  const answer = byName[name]
  if (!answer) throw new Error(`no answer was captured for ${name}`)
  return answer
}

export const products = named('list of 20 products')
export const service = named('one service')
export const ordered = named('order')
export const updated = named('update with setip')
export const unauthenticated = named('401')
