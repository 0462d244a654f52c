import type { Response } from 'express'

const text = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Proxy Reselling Simulator</title></head>
  <body>
    <h1>The simulator is running, but its pages are not built</h1>
    <p>It was started from source. Run <code>npm run build</code> and reload this page.</p>
    <p>Until then: the API is under <code>/api</code>, the control plane under <code>/__admin</code>,
      the contract at <a href="/openapi.yaml">/openapi.yaml</a>.</p>
  </body>
</html>
`

/** Explains why there is no page. */
export function notBuilt(res: Response): void {
  res.status(503).type('html').set('cache-control', 'no-store').send(text)
}
