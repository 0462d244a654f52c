let names: Intl.DisplayNames | undefined

/** English name of a country (ISO 3166-1 alpha-2), or the code itself if it has none. */
export function countryName(code: string): string {
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'code' }) // lazily, as loading it is slow
  return names.of(code) ?? code
}
