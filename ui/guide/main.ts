import MiniSearch, { type SearchResult } from 'minisearch'
import { copyText } from '../src/lib/copyText.ts'
import { showTheme, getStoredTheme } from '../src/lib/theme.ts'
import { findPassages, searchOptions, type Passage } from './searchOptions.ts'

const query = document.querySelector('#query') as HTMLInputElement
const results = document.querySelector('#results') as HTMLElement
const status = document.querySelector('#found') as HTMLElement

// The theme chosen in the dashboard, or else the system's theme.
showTheme(getStoredTheme())
replaceDefaultAddress()
addCopyButtons()
openOutlineIfWide()

let loadedIndex: Promise<MiniSearch<Passage>> | undefined
query.addEventListener('focus', () => void loadIndex())
query.addEventListener('input', () => void search())
document.addEventListener('keydown', onKey)
document.addEventListener('click', (event) => {
  if (!(event.target as Element).closest('.search')) hideResults()
})

/** Replaces the default address in the pages with this simulator's, whose port may differ. */
function replaceDefaultAddress(): void {
  const texts = document.createTreeWalker(document.querySelector('main') as HTMLElement, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode as Text
    if (text.data.includes('4010'))
      text.data = text.data.replace(/(?:127\.0\.0\.1|localhost):4010\b/g, location.host)
  }
}

/** Opens the outline where there is room for it beside the text. */
function openOutlineIfWide(): void {
  const outline = document.querySelector<HTMLDetailsElement>('.outline details')
  const wide = matchMedia('(width >= 1200px)')
  const update = () => outline?.toggleAttribute('open', wide.matches)
  update()
  wide.addEventListener('change', update)
}

function addCopyButtons(): void {
  for (const pre of document.querySelectorAll('main pre')) {
    const button = Object.assign(document.createElement('button'), { className: 'copy', textContent: 'Copy' })
    button.type = 'button'
    button.addEventListener('click', () => void copy(pre.textContent, button))
    pre.before(button)
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  button.textContent = (await copyText(text.trimEnd())) ? 'Copied' : 'Copy failed'
  button.focus()
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}

function loadIndex(): Promise<MiniSearch<Passage>> {
  loadedIndex ??= fetch('/docs/guide/search.json').then(async (response) => {
    if (!response.ok) throw new Error(`search.json: ${response.status}`)
    return MiniSearch.loadJSON<Passage>(await response.text(), searchOptions)
  })
  loadedIndex.catch(() => {
    loadedIndex = undefined // the next attempt may succeed
  })
  return loadedIndex
}

async function search(): Promise<void> {
  const words = query.value.trim()
  if (words === '') return hideResults()
  try {
    const miniSearch = await loadIndex()
    if (words === query.value.trim()) showResults(findPassages(miniSearch, words).slice(0, 12), words)
  } catch {
    showMessage('The search couldn’t be loaded. Check that the simulator is running.')
  }
}

function showResults(hits: SearchResult[], words: string): void {
  if (hits.length === 0) return showMessage(`No results for “${words}”.`)
  results.replaceChildren(...hits.map(createItem))
  results.hidden = false
  status.textContent = hits.length === 1 ? '1 result' : `${hits.length} results`
}

function createItem({ title, heading, text, url, terms }: SearchResult): HTMLElement {
  const link = Object.assign(document.createElement('a'), { href: String(url) })
  const snippet = document.createElement('small')
  snippet.append(...markTerms(getExcerpt(String(text), terms), terms))
  link.append(...markTerms(heading === title ? String(title) : `${title} › ${heading}`, terms), snippet)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** Returns the part of a text around the first of the terms, in whole words. */
function getExcerpt(text: string, terms: string[]): string {
  const indexes = terms.map((term) => text.toLowerCase().indexOf(term)).filter((index) => index >= 0)
  const start = indexes.length > 0 ? text.lastIndexOf(' ', Math.max(0, Math.min(...indexes) - 40)) + 1 : 0
  const rest = text.slice(start)
  const end = rest.length <= 160 ? rest.length : rest.lastIndexOf(' ', 160)
  return `${start > 0 ? '… ' : ''}${rest.slice(0, end)}${end < rest.length ? ' …' : ''}`
}

/** Splits a text into words that contain a term, which are marked, and the rest. */
function markTerms(text: string, terms: string[]): (string | HTMLElement)[] {
  return text.split(/([\p{L}\p{N}_-]+)/u).map((word, i) => {
    const isMatch = i % 2 === 1 && terms.some((term) => word.toLowerCase().includes(term))
    return isMatch ? Object.assign(document.createElement('mark'), { textContent: word }) : word
  })
}

function showMessage(message: string): void {
  results.replaceChildren(Object.assign(document.createElement('li'), { textContent: message }))
  results.hidden = false
  status.textContent = message
}

function hideResults(): void {
  results.hidden = true
  status.textContent = ''
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
    hideResults()
    query.focus()
  } else if (event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'ArrowUp') (links[at - 1] ?? query).focus()
  else if (event.key === 'Enter' && target === query) links[0]?.click()
  else return
  event.preventDefault()
}
