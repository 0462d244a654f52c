import express, { Router, type NextFunction, type Response } from 'express'
import { shipped } from '../lib/files.ts'

/** Output of the build: dashboard, reference and guide */
const dist = shipped('dist/')

/** Everything comes from this origin, and nothing is inline. */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** Pages that people ask for: if they aren't built yet, they are told so. */
const htmlPages = {
  '/': 'ui/index.html',
  '/docs': 'ui/docs/index.html',
  '/docs/admin': 'ui/docs/index.html',
  '/docs/guide': 'guide/index.html',
}
const files = { ...htmlPages, '/favicon.svg': 'ui/favicon.svg', '/llms.txt': 'guide/llms.txt' }

/**
 * The dashboard at `/`, the contract at `/docs`, the control plane's at `/docs/admin`, the guide at `/docs/guide` (each page as
 * Markdown too, for programs, which begin at `/llms.txt`).
 * @param root folder of the build
 */
export function pages(root = dist): Router {
  const router = Router()
  for (const [path, file] of Object.entries(files))
    router.get(path, (_req, res, next) => send(res, next, root, file))
  // Vite puts a content hash in these names.
  router.use('/assets', express.static(`${root}ui/assets`, { ...plain, maxAge: '1y' }))
  const guide = `${root}guide`
  router.use(
    '/docs/guide',
    express.static(guide, {
      ...plain,
      extensions: ['html'],
      cacheControl: false,
      setHeaders: (res, path) => {
        const isNamed = path.startsWith(`${guide}/assets/`)
        res.set('cache-control', isNamed ? 'public, max-age=31536000' : 'no-cache')
        if (path.endsWith('.html')) res.set('content-security-policy', policy)
      },
    }),
  )
  // What programs read is there before anything is built: the package's own files.
  router.get('/llms.txt', (_req, res, next) => send(res, next, shipped('./'), 'llms.txt'))
  router.use('/docs/guide', express.static(shipped('docs'), plain))
  router.get(Object.keys(htmlPages), (_req, res) => {
    res.status(503).type('text').set({ 'cache-control': 'no-store', refresh: '3' })
    res.send('The pages are being built. If that takes longer than half a minute, run `npm run build`.\n')
  })
  // Programs get JSON, as for all that does not exist.
  router.use((req, res, next) => {
    if (req.method !== 'GET' || req.accepts(['json', 'html']) !== 'html') return next()
    send(res.status(404), next, root, 'guide/404.html')
  })
  return router
}

const plain = { index: false, redirect: false } as const

/** Passes a missing file on to the next handler. */
function send(res: Response, next: NextFunction, root: string, file: string): void {
  const ofPage = { 'content-security-policy': policy, 'cache-control': 'no-cache' }
  const headers = file.endsWith('.html') ? ofPage : {}
  res.sendFile(file, { root, cacheControl: false, headers }, (error?: Error & { status?: number }) => {
    if (error) next(error.status === 404 ? undefined : error)
  })
}
