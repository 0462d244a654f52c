import { useId } from 'preact/hooks'
import { preferences, usePreference, type Language } from '../state/preference.ts'
import { CopyButton } from './CopyButton.tsx'

/** The same in each language, of which one is shown; a choice holds for all of them, on every page. */
export function LanguageTabs({ what, code }: { what: string; code: (language: Language) => string }) {
  const [language, setLanguage] = usePreference('language')
  const id = useId()
  const text = code(language)
  const all = preferences.language
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    const to = all[(all.indexOf(language) + by + all.length) % all.length] as Language
    setLanguage(to)
    document.getElementById(`${id}-${to}`)?.focus()
  }
  return (
    <div class="language">
      <div class="language-head">
        <div role="tablist" aria-label={`${what}, by language`} onKeyDown={move}>
          {all.map((one) => (
            <button
              type="button"
              key={one}
              id={`${id}-${one}`}
              role="tab"
              class="small quiet"
              aria-selected={one === language}
              aria-controls={`${id}-code`}
              tabindex={one === language ? 0 : -1}
              onClick={() => setLanguage(one)}
            >
              {one}
            </button>
          ))}
        </div>
        <CopyButton text={text} what={what} />
      </div>
      <pre class="code" id={`${id}-code`} role="tabpanel" tabindex={0} aria-labelledby={`${id}-${language}`}>
        {text}
      </pre>
    </div>
  )
}
