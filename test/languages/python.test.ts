import { spawnSync } from 'node:child_process'
import { languageSuite } from './languageSuite.ts'

const uses = ['-c', 'import pytest, requests']
// Another Python (pyenv, a container's) may lack packages of the distribution's.
const python =
  ['python3', '/usr/bin/python3'].find((program) => spawnSync(program, uses).status === 0) ?? 'python3'

languageSuite({
  name: 'python',
  needs: [[python, ...uses]],
  command: [python, '-m', 'pytest'],
  shown: 'python3 -m pytest',
  passed: /\b7 passed\b/,
  spoiled: [
    {
      what: 'a client that orders again without looking',
      file: 'reseller.py',
      from: 'ordered = self._ids_of(product) - known',
      to: 'ordered = set()',
    },
  ],
  lostAlone: ['-k', 'lost'],
  snippet: {
    language: 'python',
    file: 'test_simulator.py',
    command: [python, '-m', 'pytest'],
    passed: /\b1 passed\b/,
  },
})
