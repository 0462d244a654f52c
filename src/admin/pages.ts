import { readFile } from 'node:fs/promises'
import express, { Router, type NextFunction, type Response } from 'express'
import { packagePath } from '../lib/files.ts'
import { escapeMarkup } from '../lib/text.ts'
import { findMovedPage } from './movedPages.ts'

/** Output folder of the build, with dashboard, reference and guide */
const dist = packagePath('dist/')

/** The pages load everything from this origin, and contain no inline code. */
const contentSecurityPolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** HTML pages. The response for a page that isn't built yet is a 503. */
const htmlPages = {
  '/': 'ui/index.html',
  '/docs': 'ui/docs/index.html',
  '/docs/admin': 'ui/docs/index.html',
  '/docs/guide': 'guide/index.html',
}
const files = { ...htmlPages, '/favicon.svg': 'ui/favicon.svg', '/llms.txt': 'guide/llms.txt' }

/**
 * Serves the dashboard at `/`, the API's contract at `/docs`, the control plane's contract at `/docs/admin`, and the guide at
 * `/docs/guide`. Coding agents start at `/llms.txt`; each page of the guide is also served as Markdown.
 * @param root the build's output folder
 */
export function pages(root = dist): Router {
  const router = Router()
  for (const [path, file] of Object.entries(files))
    router.get(path, (_req, res, next) => sendFile(res, next, root, file))
  // Vite puts a content hash into these names.
  router.use('/assets', express.static(`${root}ui/assets`, { ...staticOptions, maxAge: '1y' }))
  router.get('/docs/guide/:file', ({ params: { file } }, res, next) => {
    const moved = findMovedPage(file)
    if (moved === undefined) return next()
    res.set('cache-control', 'no-cache').redirect(301, moved)
  })
  const guide = `${root}guide`
  router.use(
    '/docs/guide',
    express.static(guide, {
      ...staticOptions,
      extensions: ['html'],
      cacheControl: false,
      setHeaders: (res, path) => {
        const isHashed = path.startsWith(`${guide}/assets/`)
        res.set('cache-control', isHashed ? 'public, max-age=31536000' : 'no-cache')
        if (path.endsWith('.html')) res.set('content-security-policy', contentSecurityPolicy)
      },
    }),
  )
  // Without a build, llms.txt and the guide's Markdown come from the package.
  router.get('/llms.txt', (_req, res, next) => sendFile(res, next, packagePath('./'), 'llms.txt'))
  router.use('/docs/guide', express.static(packagePath('docs'), staticOptions))
  router.get(Object.keys(htmlPages), (_req, res) => {
    res.status(503).type('text').set({ 'cache-control': 'no-store', refresh: '3' })
    res.send('This page is not built yet. If it does not appear within 30 seconds, run `npm run build`.\n')
  })
  // Clients other than browsers get the usual 404 in JSON.
  router.use((req, res, next) => {
    if (req.method !== 'GET' || req.accepts(['json', 'html']) !== 'html') return next()
    void sendNotFound(req.path, res, next, root)
  })
  return router
}

const pageHeaders = { 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-cache' }

const staticOptions = { index: false, redirect: false } as const

/** Sends a file, or calls the next handler if the file is missing. */
function sendFile(res: Response, next: NextFunction, root: string, file: string): void {
  const headers = file.endsWith('.html') ? pageHeaders : {}
  res.sendFile(file, { root, cacheControl: false, headers }, (error?: Error & { status?: number }) => {
    if (error) next(error.status === 404 ? undefined : error)
  })
}

/** Sends the page that names the unknown path, or calls the next handler if the page isn't built. */
async function sendNotFound(path: string, res: Response, next: NextFunction, root: string): Promise<void> {
  const page = await readFile(`${root}guide/404.html`, 'utf8').catch(() => undefined)
  if (page === undefined) return next()
  res.status(404).type('html').set(pageHeaders)
  res.send(page.replace('<!-- path -->', () => escapeMarkup(path)))
}
