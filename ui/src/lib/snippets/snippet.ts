import type { Language } from '../../state/preference.ts'
import type { ApiRequest } from './ApiRequest.ts'
import { curl } from './curl.ts'
import { go } from './go.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'

const writers: Record<Language, (request: ApiRequest) => string> = {
  Node: node,
  Python: python,
  PHP: php,
  Go: go,
  curl,
}

/** A request as a program that runs as it stands. */
export function snippet(language: Language, request: ApiRequest): string {
  return writers[language](request)
}
