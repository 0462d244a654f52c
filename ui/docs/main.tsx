import { render } from 'preact'
import { accountPath, admin, fetchAdmin, isLockedOut, withToken } from '../src/lib/admin.ts'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import type { AccountSummary } from '../src/lib/types.ts'
import { TokenForm } from '../src/TokenForm.tsx'

interface SwaggerUi {
  preauthorizeBasic: (scheme: string, login: string, password: string) => void
}

declare const SwaggerUIBundle: (options: Record<string, unknown>) => SwaggerUi

const isAdmin = location.pathname.startsWith('/docs/admin')
const here = isAdmin ? '/docs/admin' : '/docs'
document.querySelector(`nav a[href="${here}"]`)?.setAttribute('aria-current', 'page')

const theme = storedTheme()
showTheme(theme)
followColours(matchMedia('(prefers-color-scheme: dark)'))

const docs = document.querySelector('#docs') as HTMLElement
if (isAdmin && (await needsToken())) askForToken()
else show()

/** The control plane's description is behind its token, too. */
async function needsToken(): Promise<boolean> {
  try {
    await fetchAdmin('/openapi.yaml', {})
    return false
  } catch (error) {
    return isLockedOut(error) // else Swagger UI tells what is wrong
  }
}

function askForToken(): void {
  const open = () => {
    render(null, docs)
    show()
  }
  render(
    <main>
      <TokenForm onOpen={open} />
    </main>,
    docs,
  )
}

function show(): void {
  const ui = SwaggerUIBundle({
    url: isAdmin ? '/__admin/openapi.yaml' : '/openapi.yaml',
    domNode: docs,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    // The contract names the default port; what is tried goes to where this page comes from.
    requestInterceptor: (request: { url: string; headers: Record<string, string> }) => {
      const { pathname, search } = new URL(request.url, location.origin)
      const { headers } = request
      // The API asks for both with every request, those without a body included.
      if (pathname.startsWith('/api')) {
        headers['Content-Type'] ??= 'application/json'
        if ((headers['accept'] ?? '*/*') === '*/*') headers['accept'] = 'application/json'
      }
      if (pathname.startsWith('/__admin')) Object.assign(headers, withToken())
      // Without this, the browser itself would ask for a password when a 401 names the Basic scheme.
      return Object.assign(request, { url: location.origin + pathname + search, credentials: 'omit' })
    },
    // It would ask a server elsewhere whether the document is valid.
    validatorUrl: null,
    onComplete: () => {
      if (!isAdmin) void giveCredentials(ui)
    },
  })
}

function followColours(dark: MediaQueryList): void {
  const set = () => {
    const isDark = theme === 'dark' || (theme !== 'light' && dark.matches)
    document.documentElement.classList.toggle('dark-mode', isDark)
  }
  dark.addEventListener('change', set)
  set()
}

/** Try-it-out sends the credentials of the account that the dashboard looks at. */
async function giveCredentials(ui: SwaggerUi): Promise<void> {
  const notice = document.querySelector('#notice') as HTMLElement
  try {
    const accounts = await admin<AccountSummary[]>('GET', '/accounts')
    const wanted = sessionStorage.getItem('proxysim-account')
    const login = (accounts.find((account) => account.login === wanted) ?? accounts[0])?.login
    if (login === undefined) return
    const { password } = await admin<{ password: string }>('GET', accountPath(login))
    ui.preauthorizeBasic('basicAuth', login, password)
    notice.textContent = `What you try here is sent as ${login}.`
  } catch (error) {
    const reason = isLockedOut(error)
      ? 'the dashboard has not been given the admin token in this tab.'
      : (error as Error).message
    notice.textContent = `No credentials were filled in: ${reason}`
  }
}
