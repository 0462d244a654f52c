import type { ApiRequest } from '../lib/snippets/ApiRequest.ts'
import { snippet } from '../lib/snippets/snippet.ts'
import { preferences, usePreference, type Language } from '../state/preference.ts'
import { CopyButton } from './CopyButton.tsx'

const names: Record<Language, string> = {
  Node: 'fetch (Node)',
  Python: 'Python',
  PHP: 'PHP',
  Go: 'Go',
  curl: 'curl',
}

/** Copies a request as a program, in the language that was chosen last, wherever that was. */
export function CopyAs({ request }: { request: () => ApiRequest }) {
  const [language, setLanguage] = usePreference('language')
  return (
    <span class="copy-as">
      <CopyButton
        what={`the request as ${names[language]}`}
        label={
          <>
            Copy as <span class="unseen">{names[language]}</span>
          </>
        }
        text={() => snippet(language, request())}
      />
      <select
        class="small"
        aria-label="Language to copy in"
        value={language}
        onChange={(event) => setLanguage(event.currentTarget.value as Language)}
      >
        {preferences.language.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </span>
  )
}
