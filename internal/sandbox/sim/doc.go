// Package sim holds what all simulated social networks share: accounts, tokens, posts, media, a journal that survives a
// kill, consent pages, public timelines, faults on demand and the controls that script them.
//
// It knows no network. A network is a package beside this one that exports a [Network], and one line in package
// sandbox. Nothing here is shared with the clients of the networks, so that a simulator and a client cannot have the
// same mistake.
//
// # Writing a network
//
// New gets an [Env] and registers everything on it: routes with [Env.Route], each with its [Operation], so that it is
// counted and can fail on demand; the consent page with [Env.Consent]; the page of a post with [Env.PostPage]; its own
// rows with [NewTable]. Paths are those of the real network; the prefix is added.
//
// A [Handler] returns its response instead of writing it. State is read inside [Store.View] and changed inside
// [Store.Update], both short: bodies are read and other hosts are called outside of them. What depends only on time
// (the processing of a video, the expiry of a token) is computed from the clock, not stored.
//
// Account ids come from [StableNumber], so that the same handle is the same account everywhere and [NewSeed] can
// connect it offline. [Env.FindToken] accepts issued and seeded tokens alike.
package sim
