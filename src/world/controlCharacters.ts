/**
 * Unicode's control characters (Cc) for the class of a pattern. Not `\p{Cc}`: in a JSON Schema, not every language can
 * read that.
 */
export const controlCharacters = String.raw`\u0000-\u001f\u007f-\u009f`
