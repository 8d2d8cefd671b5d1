/** One message of an event stream. */
export type Message = { id: string | null; event: string; data: string }

/**
 * Parses Server-Sent Events out of pieces of text, wherever these were cut. Returns a function that takes the next piece and
 * gives the messages that it completed. Comments keep the line alive and carry nothing.
 */
export function eventStreamParser(): (piece: string) => Message[] {
  let rest = ''
  let id: string | null = null
  let event = ''
  let data: string[] = []
  return piece => {
    const messages: Message[] = []
    rest += piece
    // A final carriage return may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) messages.push({ id, event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) continue
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'data') data.push(value)
      else if (field === 'event') event = value
      else if (field === 'id' && !value.includes('\0')) id = value
    }
    return messages
  }
}
