// Sends the requests that test/languages/retries.test.ts plans, with libraries for Node.
import { text } from 'node:stream/consumers'
import axios, { create } from 'axios'
import axiosRetry from 'axios-retry'
import { got } from 'got'

const retryingAxios = create()
axiosRetry(retryingAxios)

const libraries = {
  axios: (url, { body: data, ...options }) => axios(url, { ...options, data }),
  'axios-retry': (url, { body: data, ...options }) => retryingAxios(url, { ...options, data }),
  fetch: async (url, options) => (await fetch(url, options)).text(),
  got,
}

async function run(line) {
  const [connection, credentials, method, path, library] = line.split(' ')
  const headers = {
    authorization: `Basic ${credentials}`,
    accept: 'application/json',
    'content-type': 'application/json',
  }
  const send = libraries[library]
  if (connection === 'reused') await send(`${process.argv[2]}/api/billing/credit`, { headers })
  const body = method === 'POST' ? { body: '{"clientid": 11}' } : {}
  await send(process.argv[2] + path, { method, headers, ...body }).catch(() => {})
}

const lines = (await text(process.stdin)).trim().split('\n')
await Promise.all(lines.map(run))
