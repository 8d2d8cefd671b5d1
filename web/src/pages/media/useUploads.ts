import { useEffect, useSyncExternalStore } from 'react'
import { getUploads, removeUpload, subscribeUploads, type Upload } from './uploads'

export function useUploads(): Upload[] {
  return useSyncExternalStore(subscribeUploads, getUploads)
}

/** The uploads that an owner still waits for: on their way, failed, or in want of their file. */
export function useOpenUploads(draft: string): Upload[] {
  return useUploads().filter(u => u.owner?.draft === draft && !u.asset)
}

/** Hands finished uploads of an owner over, each once. */
export function useClaimedUploads(draft: string, claim: (upload: Upload) => void) {
  const uploads = useUploads()
  useEffect(() => {
    for (const u of uploads) {
      if (u.state !== 'done' || u.owner?.draft !== draft || !u.asset) continue
      claim(u)
      removeUpload(u.key)
    }
  }, [uploads, draft, claim])
}
