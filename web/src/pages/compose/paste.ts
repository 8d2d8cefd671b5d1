type Clipboard = { files: Iterable<{ name: string }>; getData: (type: string) => string }

/**
 * Whether words are pasted, and not files. What is copied in an office program is both: the words, and a picture of them.
 * A file that is copied as a file may bring its own name as words.
 */
export function isText(pasted: Clipboard): boolean {
  const text = pasted.getData('text/plain').trim()
  return text !== '' && ![...pasted.files].some(f => text.includes(f.name))
}
