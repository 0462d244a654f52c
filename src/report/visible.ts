/** Control characters except tab and newline, and characters that change the direction of text */
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Like `invisible`, except for the colour codes of `paint`; other codes could hide text */
const invisibleButColours = new RegExp(`${invisible.source}(?!(?<=\\u001b)\\[(?:[12]|22|3[12369])m)`, 'g')

/**
 * Escapes characters that would control the terminal. `\u001b` is also a valid escape in JSON, so JSON stays the same
 * value.
 */
export function visible(text: string, { keepColours = false } = {}): string {
  return text.replace(
    keepColours ? invisibleButColours : invisible,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
