import { useEffect, useRef, useState } from 'preact/hooks'
import { fetchAdmin, type Refusal } from '../lib/admin.ts'
import { plural } from '../lib/format.ts'
import type { Issue } from '../lib/types.ts'
import { Button } from '../parts/Button.tsx'
import { saveFile } from '../requests/Requests.tsx'
import { destroy, issueText, refusalOf } from '../state/actions.ts'

/** What was edited is still there when one comes back. */
let draft: string | undefined

/** Who stops typing for so many milliseconds is told what is wrong. */
const pause = 500

/** The state of all accounts as a scenario, to be edited, saved and replaced; the simulator checks what is typed. */
export function Yaml() {
  const [text, setText] = useState(draft ?? '')
  const [refusal, setRefusal] = useState<Refusal>()
  const [isChecked, setChecked] = useState(true)
  const field = useRef<HTMLTextAreaElement>(null)
  const edit = (to: string) => {
    draft = to
    setText(to)
    setChecked(false)
  }
  const read = async () => {
    draft = undefined
    setRefusal(
      await refusalOf(async () => {
        const reply = await fetchAdmin('/scenario', { headers: { accept: 'application/yaml' } })
        setText(await reply.text())
        setChecked(true)
      }),
    )
  }
  useEffect(() => {
    if (draft === undefined) void read()
  }, [])
  useEffect(() => {
    if (isChecked) return undefined
    let isLeft = false
    const check = async () => {
      const wrong = await refusalOf(() => put('/scenario?check=true', text))
      if (isLeft) return
      setRefusal(wrong)
      setChecked(true)
    }
    const timer = setTimeout(() => void check(), pause)
    return () => {
      isLeft = true
      clearTimeout(timer)
    }
  }, [text, isChecked])
  const load = async () => {
    const wrong = await refusalOf(() => put('/scenario?check=true', text))
    setRefusal(wrong)
    if (!wrong && (await destroy('Before the YAML was loaded', () => put('/scenario', text), 'Loaded.')))
      await read()
  }
  const issues = refusal?.details ?? []
  return (
    <div class="yaml">
      <div class="actions">
        <Button class="primary" aria-disabled={draft === undefined} action={load}>
          Load this
        </Button>
        <button type="button" onClick={() => void read()}>
          Read the state again
        </button>
        <button type="button" onClick={() => saveFile('scenario.yaml', text)}>
          Save as file
        </button>
        <label class="button">
          Open a file
          <input
            class="unseen"
            type="file"
            accept=".yaml,.yml,.json"
            onChange={({ currentTarget: { files } }) => void files?.[0]?.text().then(edit)}
          />
        </label>
        <span role="status" class="muted">
          {draft === undefined
            ? 'The state of all accounts, as a scenario'
            : refusal
              ? plural(Math.max(1, issues.length), 'mistake')
              : isChecked
                ? 'Valid'
                : 'Checking…'}
        </span>
      </div>
      {refusal && (
        <ul class="issues">
          {issues.length === 0 && <li>{refusal.message}</li>}
          {issues.slice(0, 8).map((issue) => (
            <li key={issueText(issue)}>
              <button type="button" class="link" onClick={() => field.current && goTo(field.current, issue)}>
                {issue.line !== undefined && `Line ${issue.line}: `}
                {issueText(issue)}
              </button>
            </li>
          ))}
        </ul>
      )}
      <textarea
        class="json-field"
        aria-label="The state as YAML"
        aria-invalid={refusal !== undefined}
        spellcheck={false}
        wrap="off"
        ref={field}
        value={text}
        onInput={(event) => edit(event.currentTarget.value)}
      />
    </div>
  )
}

/** YAML or JSON; a draft needs no description. */
function put(path: string, body: string): Promise<Response> {
  return fetchAdmin(path, { method: 'PUT', headers: { 'content-type': 'application/yaml' }, body })
}

/** As in the stylesheet */
const lineHeight = 20

function goTo(field: HTMLTextAreaElement, { line = 1, column = 1 }: Issue): void {
  const before = field.value.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
  field.focus()
  field.setSelectionRange(at, at)
  field.scrollTop = Math.max(0, (line - 4) * lineHeight)
}
