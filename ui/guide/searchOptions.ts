import type MiniSearch from 'minisearch'
import type { Options, SearchResult } from 'minisearch'

/** A search result: the part of a page below a heading. */
export interface Passage {
  id: number
  /** The page's title */
  title: string
  heading: string
  text: string
  url: string
}

/** MiniSearch options. Building and searching the index require the same ones. */
export const searchOptions: Options<Passage> = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading', 'text', 'url'],
  // Indexes names such as `update-list-throttled` and `orderService` whole and by their parts.
  tokenize: (text) =>
    text
      .split(/[^\p{L}\p{N}_-]+/u)
      .flatMap((word) => [word, ...word.split(/[-_]+|(?<=\p{Ll})(?=\p{Lu})/u)])
      .filter((word, i, all) => word !== '' && all.indexOf(word) === i),
  searchOptions: {
    boost: { title: 2, heading: 4 },
    // A status is most often looked up because a client got it, and damage because a client did it.
    boostDocument: (_, term, { url } = {}) => {
      if (/^[45]\d\d$/.test(term)) return String(url).startsWith('/docs/guide/errors') ? 8 : 1
      return /^(?:twice|lost)$/.test(term) && /\/(?:findings|sweep)\b/.test(String(url)) ? 3 : 1
    },
    combineWith: 'AND',
  },
}

/** Finds passages with all words. Whole words come first, then beginnings of words; similar words only if nothing else matches. */
export function findPassages(index: MiniSearch<Passage>, words: string): SearchResult[] {
  const whole = index.search(words)
  const known = new Set(whole.map(({ id }) => id as number))
  const begun = index.search(words, { prefix: true }).filter(({ id }) => !known.has(id as number))
  const found = [...whole, ...begun]
  if (found.length > 0) return found
  return index.search(words, { prefix: true, fuzzy: (term) => (term.length > 4 ? 0.2 : false) })
}
