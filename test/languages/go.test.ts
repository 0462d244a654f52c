import { languageSuite } from './languageSuite.ts'

languageSuite({
  name: 'go',
  needs: [['go', 'version']],
  command: ['go', 'test', '-count=1', './...'],
  passed: /^ok .*example\.com\/reseller/m,
  lint: ['gofmt', '-l', '.'],
  spoiled: [
    {
      what: 'a client that orders again without looking',
      file: 'reseller.go',
      from: 'if !known[id] {',
      to: 'if len(known) == 0 {',
    },
  ],
  lostAlone: ['-run', 'Lost'],
  snippet: {
    language: 'go',
    file: 'simulator_test.go',
    command: ['go', 'test', '-count=1', 'simulator_test.go'],
    passed: /^ok /m,
  },
})
