/** A segment of a path, decoded. An invalid escape is kept: the operation then refuses it as a malformed parameter. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
