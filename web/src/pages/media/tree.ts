import type { Folder } from './library'

export type Branch = { folder: Folder; depth: number }

/** Folders in the order of a tree, each below the one that it lies in. One whose parent is unknown stands at the top. */
export function tree(folders: Folder[]): Branch[] {
  const ids = new Set(folders.map(f => f.id))
  const children = new Map<string | null, Folder[]>()
  for (const f of folders) {
    const parent = f.parentId && ids.has(f.parentId) ? f.parentId : null
    children.set(parent, [...(children.get(parent) ?? []), f])
  }
  const result: Branch[] = []
  const add = (parent: string | null, depth: number) => {
    const here = (children.get(parent) ?? []).toSorted((a, b) => a.name.localeCompare(b.name))
    for (const folder of here) {
      result.push({ folder, depth })
      add(folder.id, depth + 1)
    }
  }
  add(null, 0)
  return result
}
