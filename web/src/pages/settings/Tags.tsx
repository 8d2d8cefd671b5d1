import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import { useTags } from '../../api/hooks'
import { useSession } from '../../session'
import { askFirst, Button, ButtonRow, Dialog, EmptyState, Field, IconButton, Loaded, showDialog } from '../../ui'
import { changesOf } from '../../ui/useEdits'
import { about, general, useChange } from './form'
import { Problem } from './parts'
import styles from './settings.module.css'

type Tag = Schemas['Tag']

/** Everything that shows tags, of posts too. */
const useTagChange = () => useChange('tags', 'posts', 'calendar', 'scheduled-posts', 'analytics')

export function Tags() {
  const { team } = useSession()
  const tags = useTags(team.id)
  return (
    <section className={styles.section}>
      <header className={styles.bar}>
        <h2>Tags</h2>
        <Button kind="primary" icon="plus" onClick={() => showDialog(close => <TagForm onClose={close} />)}>
          New tag
        </Button>
      </header>
      <p className={styles.soft}>For finding and comparing posts. Only the team sees them: they are never published.</p>
      <Loaded query={tags}>
        {list =>
          list.length === 0 ? (
            <EmptyState icon="tag" title="There is no tag yet" />
          ) : (
            <ul className={styles.list}>
              {list.map(t => (
                <TagItem key={t.id} tag={t} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  )
}

const postsOf = ({ postCount: n }: Tag) => (n === 1 ? '1 post' : `${n.toLocaleString('en')} posts`)

/** What becomes of the posts of a tag that is deleted. */
export function fate(tag: Tag): string {
  const posts =
    tag.postCount === 0
      ? 'No post has it.'
      : `It is taken off ${postsOf(tag)}, drafts and published ones too. The posts themselves stay, and what is scheduled goes out as planned.`
  return `${posts} This cannot be taken back.`
}

function TagItem({ tag }: { tag: Tag }) {
  const { team } = useSession()
  const { problem, run } = useTagChange()
  const path = { teamId: team.id, tagId: tag.id }
  const remove = () =>
    askFirst({
      title: `Delete the tag ${tag.name}?`,
      text: fate(tag),
      action: 'Delete the tag',
      run: () =>
        run(
          () => ask(api.DELETE('/v1/teams/{teamId}/tags/{tagId}', { params: { path } })),
          `The tag ${tag.name} is deleted`,
        ),
    })
  return (
    <li className={styles.item} data-tag={tag.name}>
      <span className={styles.dot} style={{ background: tag.colour }} />
      <div className={styles.text}>
        <p>
          <strong dir="auto">{tag.name}</strong>
        </p>
        <p className={styles.soft}>
          {tag.postCount === 0 ? (
            'on no post'
          ) : (
            <Link to="/posts" search={{ tag: tag.id } as never}>
              {postsOf(tag)}
            </Link>
          )}
        </p>
        <Problem>{general(problem)}</Problem>
      </div>
      <ButtonRow end>
        <Button
          size="small"
          aria-label={`Change ${tag.name}`}
          onClick={() => showDialog(close => <TagForm tag={tag} onClose={close} />)}
        >
          Change
        </Button>
        <IconButton size="small" icon="trash" label={`Delete ${tag.name}`} onClick={remove} />
      </ButtonRow>
    </li>
  )
}

/** Name and colour of a tag, or of a new one; without a choice, the server derives the colour from the name. */
function TagForm({ tag, onClose }: { tag?: Tag; onClose: () => void }) {
  const { team } = useSession()
  const { busy, problem, run, edited } = useTagChange()
  const [name, setName] = useState(tag?.name ?? '')
  const [colour, setColour] = useState(tag?.colour)
  const save = async (e: FormEvent) => {
    e.preventDefault()
    const body = { name, ...(colour && { colour }) }
    const saved = await run(
      () =>
        tag
          ? ask(
              api.PATCH('/v1/teams/{teamId}/tags/{tagId}', {
                params: { path: { teamId: team.id, tagId: tag.id } },
                body: changesOf({ name: tag.name, colour: tag.colour }, { name, colour }),
              }),
            )
          : ask(api.POST('/v1/teams/{teamId}/tags', { params: { path: { teamId: team.id } }, body })),
      `The tag ${name.trim()} is saved`,
    )
    if (saved) onClose()
  }
  return (
    <Dialog title={tag ? `Change the tag ${tag.name}` : 'New tag'} onClose={onClose}>
      <form className={styles.form} onSubmit={save} onChange={edited}>
        <Field
          label="Name"
          name="name"
          hint={tag && tag.postCount > 0 ? `${postsOf(tag)} will show the new name.` : undefined}
          value={name}
          onChange={e => setName(e.target.value)}
          problem={about(problem, 'name')}
          required
        />
        <Field
          label="Colour"
          name="colour"
          hint={colour ? undefined : 'Chosen by the name, unless you choose one.'}
          type="color"
          className={styles.colour}
          value={colour ?? '#8a8178'}
          onChange={e => setColour(e.target.value)}
          problem={about(problem, 'colour')}
        />
        <Problem>{general(problem, 'name', 'colour')}</Problem>
        <ButtonRow end>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {tag ? 'Save' : 'Make the tag'}
          </Button>
        </ButtonRow>
      </form>
    </Dialog>
  )
}
