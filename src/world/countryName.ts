let names: Intl.DisplayNames | undefined

/** English name of a country (ISO 3166-1 alpha-2); the code itself where there is none. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' }) // loading it takes its time
  return names.of(code) ?? code
}
