import { useEffect, useState } from 'react'
import type { Version } from '../../api/extra'
import { useSession } from '../../session'
import { Confirm, ErrorState, formatInstant, LoadingState, toast } from '../../ui'
import { Changes } from './Changes'
import { fromPost, type Post } from './draft'
import { readPost, readVersion } from './requests'
import { giveBack } from './sides'
import type { Composer } from './useComposer'

type Stored = { post: Post; version: Version }

async function readStored(teamId: string, postId: string): Promise<Stored> {
  const post = await readPost(teamId, postId)
  return { post, version: await readVersion(teamId, postId, post.contentPayloadId) }
}

/** Shows what is stored, which may be newer than what was opened, before it takes the place of what was typed. */
export function Discard({ composer, onClose }: { composer: Composer; onClose: () => void }) {
  const { team, zone } = useSession()
  const { postId, store } = composer
  const [stored, setStored] = useState<Stored | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: tries asks again
  useEffect(() => {
    if (postId) readStored(team.id, postId).then(setStored, setError)
  }, [team.id, postId, tries])
  const discard = () => {
    if (!stored) return
    toast('Your changes are discarded', giveBack(composer, stored.post))
    onClose()
  }
  const again = () => {
    setError(null)
    setTries(tries + 1)
  }
  return (
    <Confirm
      title="Discard your changes?"
      action="Discard my changes"
      disabled={!stored}
      onConfirm={discard}
      onClose={onClose}
    >
      {!stored && (error ? <ErrorState error={error} retry={again} /> : <LoadingState />)}
      {stored && (
        <>
          <p>
            Version {stored.version.version}, saved {formatInstant(Date.parse(stored.version.createdAt), zone, 'short')}
            , comes back. It is what goes out.
          </p>
          <Changes from={store.get()} to={fromPost(stored.post)} />
        </>
      )}
    </Confirm>
  )
}
