import { languageSuite } from './languageSuite.ts'

languageSuite({
  name: 'php',
  needs: [
    ['php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
    ['phpunit', '--version'],
  ],
  command: ['phpunit', 'ResellerTest.php'],
  passed: /OK \(7 tests/,
  spoiled: [
    {
      what: 'a client that orders again without looking',
      file: 'Reseller.php',
      from: '$ordered = array_values(array_diff($this->idsOf($product), $known));',
      to: '$ordered = [];',
    },
    {
      what: 'a curl handle that is used again, and orders twice by itself',
      file: 'Reseller.php',
      from: '$curl = curl_init("{$this->url}/api$path");',
      to: `static $curl = null;
        $curl ??= curl_init();
        curl_reset($curl);
        curl_setopt($curl, CURLOPT_URL, "{$this->url}/api$path");`,
    },
  ],
  lostAlone: ['--filter', 'Lost'],
  snippet: {
    language: 'php',
    file: 'SimulatorTest.php',
    command: ['phpunit', 'SimulatorTest.php'],
    passed: /OK \(1 test/,
  },
})
