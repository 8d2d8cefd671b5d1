// Short names for what the OpenAPI document describes.
import type { components } from './schema'

type S = components['schemas']

export type Instance = S['Instance']
export type AgentContext = S['AgentContext']
export type ScheduledPost = S['ScheduledPost']
export type CalendarEntry = S['CalendarEntry']
export type SlotInstant = S['SlotInstant']
export type ValidationEntry = S['ValidationEntry']
export type ValidationResult = S['ValidationResult']
/** How long a part is in a network's own unit, and where the network folds it (code points from its start). */
export type PartCount = S['ValidationEntry']['texts'][number]
export type PostInput = S['PostInput']
/** A text of its own for a network or an account; what it leaves out is the post's. */
export type Variant = S['PostVariant']
export type CrierEvent = S['Event']
export type Permission = NonNullable<S['Credential']['permissions']>[number]

/** The content of a post as it was. */
export type Version = S['PostVersion']
