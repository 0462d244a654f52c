export { maxTextBytes as longestYaml } from './scenario/bounds.ts'
