/** Runs the code samples of the reference, all operations in one program for each language. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createExample, listOperations, resolveReferences } from '../../ui/docs/contract.ts'
import { createSample, languages, type Language } from '../../ui/docs/samples.ts'
import { root, runScript } from '../support/project.ts'
import { createFolder, start } from '../support/start.ts'

const programs: Record<
  Language,
  { file: string; command: string; needs: string; join: (samples: string[]) => string }
> = {
  curl: {
    file: 'samples.sh',
    command: 'sh -e samples.sh',
    needs: 'curl --version',
    join: (samples) => samples.join('\n'),
  },
  PHP: {
    file: 'samples.php',
    command: 'php samples.php',
    needs: `php -r 'exit(function_exists("curl_init") ? 0 : 1);'`,
    join: (samples) => `<?php\n${samples.join('\n')}`,
  },
  Python: {
    file: 'samples.py',
    command: 'python3 samples.py',
    needs: 'python3 -c "import requests"',
    join: (samples) => samples.join('\n'),
  },
  TypeScript: {
    file: 'samples.mts',
    command: `${join(root, 'node_modules/.bin/tsx')} samples.mts`,
    needs: 'true',
    join: (samples) => samples.map((sample) => `{\n${sample}\n}`).join('\n'),
  },
}

for (const language of languages) {
  const { file, command, needs, join: joinSamples } = programs[language]
  const isMissing = spawnSync('sh', ['-c', needs]).status !== 0
  if (isMissing) process.stderr.write(`\`${needs}\` fails: the samples in ${language} are skipped.\n`)
  test.skipIf(isMissing)(`every operation's sample in ${language} succeeds`, async () => {
    const { url, call } = await start()
    const { json } = await call('GET', '/openapi.json')
    const operations = listOperations(resolveReferences(json))
    const samples = operations.map((operation) =>
      createSample(language, createExample(operation, 'reseller:secret'), url),
    )
    const folder = createFolder()
    writeFileSync(join(folder, file), joinSamples(samples))
    const { code, output } = await runScript(command, folder)
    expect(code, output).toBe(0)
    const { requests } = (
      await call<{ requests: { operation: string; status: number; reason: string | null }[] }>(
        'GET',
        '/__admin/requests?limit=100',
      )
    ).json
    expect(requests.map(({ operation, status, reason }) => [operation, status, reason]).toReversed()).toEqual(
      operations.map(({ operationId }) => [operationId, 200, null]),
    )
    expect((await call('GET', '/__admin/findings')).json).toEqual([])
  })
}

test('samples quote what languages treat specially', () => {
  const request = {
    method: 'POST',
    path: "/it's",
    headers: {},
    user: 'a:b:ü',
    body: '{"on":true,"none":null,"list":[1,"\\\\"]}',
  }
  const sample = (language: Language) => createSample(language, request, 'http://x')
  expect(sample('PHP')).toContain(`json_encode(['on' => true, 'none' => null, 'list' => [1, '\\\\']])`)
  expect(sample('Python')).toContain(`json={"on": True, "none": None, "list": [1, "\\\\"]}`)
  expect(sample('Python')).toContain('auth=("a", "b:ü")')
  expect(sample('TypeScript')).toContain(`fetch('http://x/it\\'s'`)
  expect(sample('TypeScript')).toContain(`authorization: 'Basic YTpiOsO8'`)
})
