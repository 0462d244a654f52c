/** Control characters but tab and newline, and those that change the direction of text */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The same, but for the codes of `paint`: others could hide text */
const invisibleButColours = new RegExp(`${invisible.source}(?!(?<=\\u001b)\\[(?:[12]|22|3[12369])m)`, 'g')

/**
 * Text as a terminal may show it: characters that would control the terminal are shown as `\u001b`, which JSON reads as
 * the same character.
 */
export function visible(text: string, { keepColours = false } = {}): string {
  return text.replace(
    keepColours ? invisibleButColours : invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
