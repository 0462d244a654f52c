import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { casesByOperation } from '../../src/contract/cases.gen.ts'

const source = new URL('../../src/', import.meta.url)
const named = new RegExp(`\\b(?:${Object.keys(casesByOperation).join('|')})\\b`)

/** Finds lines of code that name an operation; comments don't count. */
function naming(folder: string): string[] {
  return readdirSync(new URL(folder, source), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const text = readFileSync(new URL(`${folder}/${path}`, source), 'utf8')
      return text
        .split('\n')
        .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && named.test(line))
        .map((line) => `src/${folder}/${path}: ${line.trim()}`)
    })
}

test.each(['http', 'journal', 'faults', 'contract/validator'])(
  'src/%s names no operation, and relies only on the contract',
  (folder) => {
    expect(naming(folder)).toEqual([])
    expect(naming('service/operations')).not.toEqual([])
  },
)
