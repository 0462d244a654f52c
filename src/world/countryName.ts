const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' })

/** English name of a country (ISO 3166-1 alpha-2); the code itself where there is none. */
export function countryName(code: string): string {
  return names.of(code) ?? code
}
