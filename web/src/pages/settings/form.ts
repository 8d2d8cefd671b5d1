import { type FormEvent, useState } from 'react'
import { ApiError, explain } from '../../api/error'
import { type Noun, queryClient } from '../../api/query'
import { toast } from '../../ui'

/**
 * One change at a time: busy while it runs, problem when it was refused. What was changed is fetched again, by noun.
 * done is a word for when all that is over, or what to do with the answer at once. edited is for the form: what was
 * said about a field, by its name, or about none is over when something else is in it.
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
  const edited = (e: FormEvent<HTMLFormElement>) => {
    const { name } = e.target as HTMLInputElement
    setProblem((p: unknown) => withoutField(p, name))
  }
  return { busy, problem, run, edited }
}

/** What is left of a refusal when a field is changed: what was said about others. */
export function withoutField(problem: unknown, field: string): unknown {
  if (!(problem instanceof ApiError)) return null
  const rest = problem.issues.filter(i => i.path[0] !== field)
  if (rest.length === 0) return null
  if (rest.length === problem.issues.length) return problem
  return new ApiError(problem.status, { _tag: problem._tag, message: problem.message, issues: rest }, problem.requestId)
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
