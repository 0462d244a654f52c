export type { JournalEntry } from '../admin/shapes.ts'
