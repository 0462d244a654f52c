import { runPages } from './runPages.ts'

runPages(['README.md'])
