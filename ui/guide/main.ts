import MiniSearch, { type SearchResult } from 'minisearch'
import { copyText } from '../src/lib/copyText.ts'
import { showTheme, storedTheme } from '../src/lib/theme.ts'
import { searchOptions, type Passage } from './searchOptions.ts'

const query = document.querySelector('#query') as HTMLInputElement
const results = document.querySelector('#results') as HTMLElement
const found = document.querySelector('#found') as HTMLElement

// The colours that were chosen in the dashboard; without a choice, those of the system.
showTheme(storedTheme())
showOwnAddress()
offerCopying()

let index: Promise<MiniSearch<Passage>> | undefined
query.addEventListener('focus', () => void loadIndex())
query.addEventListener('input', () => void search())
document.addEventListener('keydown', onKey)
document.addEventListener('click', (event) => {
  if (!(event.target as Element).closest('.search')) hide()
})

/** The pages are written for the default port; this simulator may have another. */
function showOwnAddress(): void {
  const texts = document.createTreeWalker(document.querySelector('main') as HTMLElement, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    if (text.data.includes('4010'))
      text.data = text.data.replace(/(?:127\.0\.0\.1|localhost):4010\b/g, location.host)
  }
}

function offerCopying(): void {
  for (const pre of document.querySelectorAll('main pre')) {
    const button = Object.assign(document.createElement('button'), { className: 'copy', textContent: 'Copy' })
    button.type = 'button'
    button.addEventListener('click', () => void copy(pre.textContent, button))
    pre.before(button)
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = (await copyText(text.trimEnd())) ? 'Copied' : 'Not copied'
  button.focus()
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}

function loadIndex(): Promise<MiniSearch<Passage>> {
  index ??= fetch('/docs/guide/search.json').then(async (reply) => {
    if (!reply.ok) throw new Error(`search.json: ${reply.status}`)
    return MiniSearch.loadJSON<Passage>(await reply.text(), searchOptions)
  })
  index.catch(() => {
    index = undefined // the next attempt may succeed
  })
  return index
}

async function search(): Promise<void> {
  const words = query.value.trim()
  if (words === '') return hide()
  try {
    const ready = await loadIndex()
    if (words === query.value.trim()) show(ready.search(words).slice(0, 12), words)
  } catch {
    tell('The search could not be loaded: is the simulator still running?')
  }
}

function show(hits: SearchResult[], words: string): void {
  if (hits.length === 0) return tell(`Nothing found for “${words}”.`)
  results.replaceChildren(...hits.map(itemOf))
  results.hidden = false
  found.textContent = hits.length === 1 ? '1 result' : `${hits.length} results`
}

function itemOf({ title, heading, text, url, terms }: SearchResult): HTMLElement {
  const link = Object.assign(document.createElement('a'), { href: String(url) })
  const snippet = document.createElement('small')
  snippet.textContent = around(String(text), terms)
  link.append(heading === title ? String(title) : `${title} › ${heading}`, snippet)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** The part of a text in which the first of the words stands */
function around(text: string, terms: string[]): string {
  const places = terms.map((term) => text.toLowerCase().indexOf(term)).filter((at) => at >= 0)
  const from = places.length > 0 ? text.lastIndexOf(' ', Math.max(0, Math.min(...places) - 20)) + 1 : 0
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 160)}`
}

function tell(message: string): void {
  results.replaceChildren(Object.assign(document.createElement('li'), { textContent: message }))
  results.hidden = false
  found.textContent = message
}

function hide(): void {
  results.hidden = true
  found.textContent = ''
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement
  if (event.key === '/' && !target.closest('input') && !event.ctrlKey && !event.metaKey) {
    event.preventDefault()
    query.focus()
    query.select()
    return
  }
  if (results.hidden || !target.closest('.search')) return
  const links = [...results.querySelectorAll('a')]
  const at = links.indexOf(target as HTMLAnchorElement)
  if (event.key === 'Escape') {
    hide()
    query.focus()
  } else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (links[at - 1] ?? query).focus()
  else if (event.key === 'Enter' && target === query) links[0]?.click()
  else return
  event.preventDefault()
}
