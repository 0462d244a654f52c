import type { Options } from 'minisearch'

/** What can be found: the part of a page below a heading. */
export interface Passage {
  id: number
  /** Of the page */
  title: string
  heading: string
  text: string
  url: string
}

/** The same when the index is built and when it is searched. */
export const searchOptions: Options<Passage> = {
  fields: ['heading', 'title', 'text'],
  storeFields: ['title', 'heading', 'text', 'url'],
  // A name is found whole and by its parts: `update-list-throttled`, `orderService`, `--min-coverage`.
  tokenize: (text) =>
    text
      .split(/[^\p{L}\p{N}_-]+/u)
      .flatMap((word) => [word, ...word.split(/[-_]+|(?<=\p{Ll})(?=\p{Lu})/u)])
      .filter((word, i, all) => word !== '' && all.indexOf(word) === i),
  searchOptions: {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 2, heading: 4 },
    combineWith: 'AND',
  },
}
