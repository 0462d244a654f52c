import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { fetchAdmin, type Refusal } from '../lib/admin.ts'
import type { Issue } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { Copy } from '../parts/Copy.tsx'
import { formatIssue, catchRefusal, withUndo } from '../state/actions.ts'

/** Unsaved edits, shown again when the user returns to the page. */
let draft: string | undefined

/** The state of all accounts as an editable scenario. The simulator reports each mistake with its position. */
export function Yaml() {
  const [text, setText] = useState(draft ?? '')
  const [refusal, setRefusal] = useState<Refusal>()
  const field = useRef<HTMLTextAreaElement>(null)
  const reload = async () => {
    draft = undefined
    const failed = await catchRefusal(async () => {
      const response = await fetchAdmin('/scenario', { headers: { accept: 'application/yaml' } })
      setText(await response.text())
    })
    setRefusal(failed)
  }
  useLayoutEffect(() => {
    if (draft === undefined) void reload()
  }, [])
  const load = async () => {
    const refused = await catchRefusal(() => put('/scenario?check=true', text))
    setRefusal(refused)
    if (!refused && (await withUndo('Before loading YAML', () => put('/scenario', text), 'YAML loaded.')))
      await reload()
  }
  return (
    <div class="yaml">
      <div class="actions">
        <Button class="primary" action={load}>
          Load YAML
        </Button>
        <Button action={reload}>Reload current state</Button>
        <Copy class="" text={text} name="the YAML" label="Copy" />
        <span class="muted">State of all accounts as a scenario</span>
      </div>
      {refusal && (
        <ul class="issues" role="alert">
          {refusal.details.length === 0 && <li>{refusal.message}</li>}
          {refusal.details.slice(0, 8).map((issue) => (
            <li key={formatIssue(issue)}>
              <button type="button" class="link" onClick={() => field.current && goTo(field.current, issue)}>
                {issue.line !== undefined && `Line ${issue.line}: `}
                {formatIssue(issue)}
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        class="json-field"
        aria-label="State as YAML"
        aria-invalid={refusal !== undefined}
        spellcheck={false}
        wrap="off"
        ref={field}
        value={text}
        onInput={(event) => {
          draft = event.currentTarget.value
          setText(draft)
        }}
      />
    </div>
  )
}

/** Sends YAML or JSON. */
function put(path: string, body: string): Promise<Response> {
  return fetchAdmin(path, { method: 'PUT', headers: { 'content-type': 'application/yaml' }, body })
}

function goTo(field: HTMLTextAreaElement, { line = 1, column = 1 }: Issue): void {
  const lines = field.value.split('\n')
  const offset = lines.slice(0, line - 1).join('\n').length + column - (line > 1 ? 0 : 1)
  field.focus()
  field.setSelectionRange(offset, offset)
  field.scrollTop = Math.max(0, ((line - 4) / lines.length) * field.scrollHeight)
}
