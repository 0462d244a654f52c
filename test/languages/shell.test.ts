import { languageSuite } from './languageSuite.ts'

languageSuite({
  name: 'shell',
  needs: [
    ['curl', '--version'],
    ['jq', '--version'],
    ['bats', '--version'],
  ],
  command: ['bats', 'reseller.bats'],
  passed: /^ok 7 /m,
  lint: ['shellcheck', '-x', 'reseller.sh', 'account.sh', 'reseller.bats'],
  spoiled: [
    {
      what: 'a client that orders again without looking',
      file: 'reseller.sh',
      from: 'for id in $now; do',
      to: 'for id in; do',
    },
  ],
  lostAlone: ['--filter', 'lost'],
  snippet: {
    language: 'bash',
    file: 'simulator.sh',
    command: ['sh', 'simulator.sh'],
    passed: /^sim-reason: /im,
  },
})
