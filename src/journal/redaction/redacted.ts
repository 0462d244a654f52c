/** Replaces credentials. */
export const redacted = '[redacted]'
