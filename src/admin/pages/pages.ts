import { existsSync } from 'node:fs'
import express, { Router, type RequestHandler, type Response } from 'express'
import { shipped } from '../../lib/files.ts'

/** Output of the build: dashboard, reference and guide */
const dist = shipped('dist/')

/** Everything comes from this origin, and nothing is inline. */
const policy = Object.entries({
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
})
  .map(([name, value]) => `${name} ${value}`)
  .join('; ')

/**
 * The dashboard at `/`, the contract at `/docs`, the control plane's at `/docs/admin`, the guide at `/docs/guide` (each page as
 * Markdown too, for programs, which begin at `/llms.txt`).
 * @param built folder of the build; pages that are missing from it are replaced by an explanation
 */
export function pages(built = dist): Router {
  const router = Router()
  const docs = page(built, 'ui/docs/index.html')
  router.get('/', page(built, 'ui/index.html'))
  router.get('/docs', docs)
  router.get('/docs/admin', docs)
  router.get('/docs/guide', page(built, 'guide/index.html'))
  router.get('/llms.txt', page(built, 'guide/llms.txt', text('llms.txt')))
  router.use('/docs/guide', guide(`${built}guide`))
  router.get('/docs/guide/:page', text('docs/'))
  // Vite puts a content hash in these names.
  router.use('/assets', files(`${built}ui/assets`, '1y'))
  router.get('/favicon.svg', (_req, res, next) =>
    res.sendFile('ui/favicon.svg', { root: built }, orNext(next)),
  )
  return router
}

/** The guide's pages, and assets with a content hash in their names. */
function guide(folder: string): RequestHandler {
  return express.static(folder, {
    index: false,
    redirect: false,
    extensions: ['html'],
    cacheControl: false,
    setHeaders: (res, path) => {
      const isNamed = path.startsWith(`${folder}/assets/`)
      res.set('cache-control', isNamed ? 'public, max-age=31536000' : 'no-cache')
      if (path.endsWith('.html')) res.set('content-security-policy', policy)
    },
  })
}

function page(root: string, file: string, otherwise: RequestHandler = notBuilt): RequestHandler {
  const headers = { 'content-security-policy': policy, 'cache-control': 'no-cache' }
  return (req, res, next) => {
    if (existsSync(root + file)) res.sendFile(file, { root, cacheControl: false, headers }, orNext(next))
    else otherwise(req, res, next)
  }
}

/** What programs read is there before anything is built: the package's own files. @param from a file, or a folder of Markdown */
function text(from: string): RequestHandler {
  return (req, res, next) => {
    const { page: name = '' } = req.params
    if (from.endsWith('/') && !/^[\w-]+\.md$/.test(String(name))) return next()
    const file = from.endsWith('/') ? from + String(name) : from
    res.type(file.endsWith('.md') ? 'text/markdown' : 'text/plain')
    res.sendFile(file, { root: shipped('./'), cacheControl: false }, orNext(next))
  }
}

/** Passes a missing file on to the next handler. */
function orNext(next: (error?: unknown) => void): (error?: Error & { status?: number }) => void {
  return (error) => {
    if (error) next(error.status === 404 ? undefined : error)
  }
}

function files(folder: string, maxAge: string): RequestHandler {
  return express.static(folder, { index: false, redirect: false, maxAge })
}

/** Explains why there is no page, and looks again. */
function notBuilt(_req: unknown, res: Response): void {
  res.status(503).type('text').set({ 'cache-control': 'no-store', refresh: '3' })
  res.send('The pages are being built. If that takes longer than half a minute, run `npm run build`.\n')
}
