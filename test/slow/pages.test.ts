import { readdirSync } from 'node:fs'
import { testPages } from '../docs/testPages.ts'

const docs = readdirSync(new URL('../../docs/', import.meta.url))

testPages(docs.flatMap((file) => (file.endsWith('.md') ? `docs/${file}` : [])))
