import { admin, accountPath } from '../src/lib/admin.ts'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import type { AccountSummary } from '../src/lib/types.ts'

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

const ui = SwaggerUIBundle({
  url: isAdmin ? '/__admin/openapi.yaml' : '/openapi.yaml',
  domNode: document.querySelector('#docs'),
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
    // Without this, the browser itself would ask for a password when a 401 names the Basic scheme.
    return Object.assign(request, { url: location.origin + pathname + search, credentials: 'omit' })
  },
  // It would ask a server elsewhere whether the document is valid.
  validatorUrl: null,
  onComplete: () => {
    if (!isAdmin) void giveCredentials()
  },
})

function followColours(dark: MediaQueryList): void {
  const set = () => {
    const isDark = theme === 'dark' || (theme !== 'light' && dark.matches)
    document.documentElement.classList.toggle('dark-mode', isDark)
  }
  dark.addEventListener('change', set)
  set()
}

/** Try-it-out sends the credentials of the account that the dashboard looks at. */
async function giveCredentials(): Promise<void> {
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
    notice.textContent = `No credentials were filled in: ${(error as Error).message}`
  }
}
