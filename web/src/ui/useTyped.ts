import { type ChangeEvent, useState } from 'react'

/**
 * For a field of a date or time whose value is kept in another form. While it is typed the field stays as it is, with a
 * year of one digit or a month that does not fit yet: set to what is kept, it would lose what was typed. Once it is left
 * it shows what is kept.
 */
export function useTyped(kept: string, onType: (text: string) => unknown) {
  const [typed, setTyped] = useState<string | null>(null)
  return {
    value: typed ?? kept,
    onChange: (e: ChangeEvent<HTMLInputElement>) => {
      setTyped(e.target.value)
      onType(e.target.value)
    },
    onBlur: () => setTyped(null),
  }
}
