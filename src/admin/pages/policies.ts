const strict = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** Everything comes from this origin, and nothing is inline. */
export const dashboardPolicy = policy(strict)

/** Swagger UI inserts style elements. */
export const docsPolicy = policy({ ...strict, 'style-src': "'self' 'unsafe-inline'" })

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
