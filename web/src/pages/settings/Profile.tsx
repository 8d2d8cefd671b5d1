import { useSession } from '../../session'
import { buttonClass } from '../../ui'
import { Sessions } from './Sessions'
import styles from './settings.module.css'

/** Who is signed in. Password and sign-out are pages without script, so that they work whatever happens here. */
export function Profile() {
  const { user } = useSession()
  return (
    <>
      <section className={styles.section}>
        <h2>Profile</h2>
        <dl className={styles.sums}>
          <dt>Name</dt>
          <dd dir="auto">{user?.name}</dd>
          <dt>E-mail</dt>
          <dd>{user?.email ?? 'none'}</dd>
        </dl>
        <p>
          <a className={buttonClass()} href="/account">
            Change the password or sign out
          </a>
        </p>
      </section>
      <Sessions />
    </>
  )
}
