import { useState } from 'react'
import { ApiError, explain } from '../../api/error'
import { type Noun, queryClient } from '../../api/query'
import { toast } from '../../ui'

/**
 * One change at a time: busy while it runs, problem when it was refused. What was changed is fetched again, by noun.
 * done is a word for when all that is over, or what to do with the answer at once.
 */
export function useChange(...nouns: Noun[]) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const run = async <T>(work: () => Promise<T>, done?: string | ((result: T) => void)): Promise<T | undefined> => {
    setBusy(true)
    setProblem(null)
    try {
      const result = await work()
      if (typeof done === 'function') done(result)
      await Promise.all(nouns.map(noun => queryClient.invalidateQueries({ queryKey: [noun] })))
      if (typeof done === 'string') toast(done)
      return result
    } catch (e) {
      setProblem(e)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { busy, problem, run }
}

/** What the server said about a field, such as 'name'. */
export const about = (problem: unknown, field: string) =>
  problem instanceof ApiError ? problem.issueAt(field) : undefined

/** What the server said that belongs to none of the fields. */
export function general(problem: unknown, ...fields: string[]): string | undefined {
  if (!problem) return undefined
  if (problem instanceof ApiError && problem.issues.some(i => fields.includes(i.path[0] ?? ''))) return undefined
  return explain(problem)
}
