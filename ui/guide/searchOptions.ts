import type { Options } from 'minisearch'

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
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 2, heading: 4 },
    // A status is most often looked up because a client got it, and damage because a client did it.
    boostDocument: (_, term, { url } = {}) => {
      if (/^[45]\d\d$/.test(term)) return String(url).startsWith('/docs/guide/errors') ? 8 : 1
      return /^(?:twice|lost)$/.test(term) && /\/(?:findings|sweep)\b/.test(String(url)) ? 3 : 1
    },
    combineWith: 'AND',
  },
}
