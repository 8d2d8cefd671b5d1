// The accounts that this browser sent the last post of a team to. They are offered, never chosen without a click.
type Storage = Pick<globalThis.Storage, 'getItem' | 'setItem'>

const name = (teamId: string) => `crier-last-accounts:${teamId}`

export function rememberAccounts(storage: Storage, teamId: string, ids: string[]) {
  try {
    storage.setItem(name(teamId), JSON.stringify(ids))
  } catch {
    // Without storage they are chosen one by one.
  }
}

/** Those of the remembered accounts that can take a post. */
export function lastAccounts(storage: Storage, teamId: string, usable: string[]): string[] {
  try {
    const ids: unknown = JSON.parse(storage.getItem(name(teamId)) ?? '[]')
    return Array.isArray(ids) ? usable.filter(id => ids.includes(id)) : []
  } catch {
    return []
  }
}
