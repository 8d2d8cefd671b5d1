import { Link, useParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { Permission } from '../../api/extra'
import { can, useSession } from '../../session'
import { EmptyState, Page } from '../../ui'
import { Audit } from './Audit'
import { Credits } from './Credits'
import { Keys } from './Keys'
import { Members } from './Members'
import { Organization } from './Organization'
import { Profile } from './Profile'
import styles from './settings.module.css'
import { Tags } from './Tags'
import { Team } from './Team'
import { Webhooks } from './Webhooks'

type Section = { id: string; title: string; needs?: Permission; page: ComponentType }

/** The parts of the settings; needs is what a person must be allowed to see it at all. */
const sections: Section[] = [
  { id: 'team', title: 'Team', page: Team },
  { id: 'tags', title: 'Tags', needs: 'write_posts', page: Tags },
  { id: 'organization', title: 'Organization', page: Organization },
  { id: 'members', title: 'Members', needs: 'manage_members', page: Members },
  { id: 'keys', title: 'API keys', needs: 'manage_api_keys', page: Keys },
  { id: 'webhooks', title: 'Webhooks', needs: 'manage_webhooks', page: Webhooks },
  { id: 'credits', title: 'Credits', page: Credits },
  { id: 'audit', title: 'Audit log', needs: 'manage_organization', page: Audit },
  { id: 'profile', title: 'Profile', page: Profile },
]

/** On a phone the tabs are wider than the window: the one that is open is in sight. */
const scrollThere = (tab: HTMLElement | null) => tab?.scrollIntoView({ block: 'nearest', inline: 'center' })

export default function SettingsPage() {
  const session = useSession()
  const { section } = useParams({ strict: false }) as { section?: string }
  const open = sections.filter(s => !s.needs || can(session, s.needs))
  const here = open.find(s => s.id === (section ?? open[0]?.id))
  return (
    <Page title="Settings">
      <nav className={styles.nav} aria-label="Settings">
        {open.map(s => (
          <Link
            key={s.id}
            to="/settings/$section"
            params={{ section: s.id }}
            className={styles.tab}
            aria-current={s === here ? 'page' : undefined}
            ref={s === here ? scrollThere : undefined}
          >
            {s.title}
          </Link>
        ))}
      </nav>
      {here ? (
        <here.page key={`${session.organization.id} ${session.team.id}`} />
      ) : (
        <EmptyState icon="lock" title="There is nothing here for you">
          {sections.some(s => s.id === section)
            ? 'This part needs a permission that your role does not have.'
            : 'There is no such part of the settings.'}
        </EmptyState>
      )}
    </Page>
  )
}
