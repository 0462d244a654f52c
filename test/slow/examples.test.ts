import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseCodeBlocks } from '../docs/codeBlocks.ts'
import { read, root, runScript, createProject } from '../support/project.ts'

const readme = read('examples/README.md')

/** The folders with a section in the README, and the commands in it */
const sections = readme
  .split(/^### /m)
  .slice(1)
  .map((section) => ({ name: section.slice(0, section.indexOf('\n')), commands: commandsIn(section) }))
  // What `exec` runs isn't run without it, too.
  .map(({ name, commands }) => ({
    name,
    commands: commands.filter(({ line }) => !commands.some((one) => one.line.endsWith(`-- ${line}`))),
  }))

function commandsIn(section: string) {
  return parseCodeBlocks(section.split(/^## /m)[0] ?? '')
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text, exitCode }) =>
      text
        .trim()
        .split('\n')
        .map((line) => ({ line, exitCode })),
    )
}

function copyFolders(...folders: string[]): string {
  const made = createProject(['vitest', 'supertest', '@types', 'openapi-fetch', 'typescript'])
  for (const folder of folders) cpSync(`${root}/examples/${folder}`, made, { recursive: true })
  return made
}

test('every folder is in the README', () => {
  const folders = readdirSync(`${root}/examples`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  expect(folders.filter((name) => !readme.includes(`[${name}](${name})`))).toEqual([])
})

test('they compile together', { timeout: 240_000 }, async () => {
  const cwd = copyFolders(...sections.map(({ name }) => name))
  expect(await runScript('node node_modules/typescript/bin/tsc --skipLibCheck', cwd)).toMatchObject({
    code: 0,
    output: '',
  })
})

describe.each(sections)('$name, as copied', ({ name, commands }) => {
  test.each(commands)('$line', { timeout: 240_000 }, async ({ line, exitCode }) => {
    const { code, output } = await runScript(line, copyFolders(name))
    expect(code, output).toBe(exitCode)
    // Tests that send no requests would pass, too.
    expect(output).toMatch(line.includes('exec') ? /\d+ requests\. Coverage [1-9]/ : / passed /)
  })
})

interface Workflow {
  jobs: { test: { steps: { name?: string; run?: string }[] } }
}

test('the workflow passes on the examples', { timeout: 240_000 }, async () => {
  const { jobs } = parse(read('examples/github-actions.yml')) as Workflow
  const scripts = jobs.test.steps.flatMap(({ run }) => run ?? [])
  // The dependencies are already installed.
  expect(scripts.shift()).toBe('npm ci')
  expect(scripts).toHaveLength(3)
  const cwd = copyFolders('vitest')
  const env = { GITHUB_STEP_SUMMARY: join(cwd, 'summary.md') }
  for (const script of scripts) {
    // All runs take a minute.
    const shorter = script.replace('matrix --', 'matrix --only orderedInvoice=Unpaid --')
    const { code, output } = await runScript(shorter, cwd, env)
    expect(code, `${script}\n${output}`).toBe(0)
  }
  expect(readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8')).toMatch(/^# Contract coverage\n/)
  expect(readdirSync(`${cwd}/reports`).toSorted()).toEqual(['coverage.md', 'coverage.xml', 'requests.har'])
})
