import { testPages } from './testPages.ts'

testPages(['README.md'])
