import { useState } from 'react'

/** What is different in after: a form sends that alone, so that it takes back nothing that was changed in another window. */
export function changesOf<T extends object>(before: object, after: T): Partial<T> {
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify((before as Record<string, unknown>)[name])
  return Object.fromEntries(Object.entries(after).filter(differs)) as Partial<T>
}

/** The fields of something that is there already: as it is now, but for those that the person has changed. */
export function useEdits<T extends object>(now: T) {
  const [edits, setEdits] = useState<Partial<T>>({})
  const form: T = { ...now, ...edits }
  const edit = (patch: Partial<T>) => setEdits(e => changesOf(now, { ...e, ...patch }))
  const saved = (sent: T) => setEdits(e => changesOf(sent, e))
  return { form, edit, saved }
}
