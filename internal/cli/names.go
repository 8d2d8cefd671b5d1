package cli

import (
	"context"
	"fmt"
	"strings"

	"crier"
	"crier/client"
)

// named is an object that commands refer to by name.
type named struct {
	id    crier.ID
	names []string
	label string // distinguishes it from others of the same name
}

// pick resolves an id or a case-insensitive name. An id is returned as is: the server knows whether it exists.
func pick(kind, word, listing string, list func() ([]named, error)) (crier.ID, error) {
	if id, ok := crier.ParseID(word); ok {
		return id, nil
	}
	all, err := list()
	if err != nil {
		return "", err
	}
	var found []named
	for _, n := range all {
		for _, name := range n.names {
			if name != "" && strings.EqualFold(name, strings.TrimPrefix(word, "@")) {
				found = append(found, n)
				break
			}
		}
	}
	switch len(found) {
	case 0:
		return "", &missingError{text: fmt.Sprintf("there is no %s %q; '%s' lists them", kind, word, listing)}
	case 1:
		return found[0].id, nil
	}
	lines := make([]string, len(found))
	for i, n := range found {
		lines[i] = fmt.Sprintf("  %s  %s", n.id, n.label)
	}
	return "", usagef("%q matches several; use the id:\n%s", word, strings.Join(lines, "\n"))
}

// postID parses the id of a post, or of another object without a name.
func postID(kind, word, listing string) (crier.ID, error) {
	id, ok := crier.ParseID(word)
	if !ok {
		return "", usagef("%q is not the id of a %s; '%s' shows them", word, kind, listing)
	}
	return id, nil
}

// everything returns all entries of a paginated list.
func everything[T any](ctx context.Context,
	page func(context.Context, client.ListOptions) (crier.Page[T], error)) ([]T, error) {
	var all []T
	for entry, err := range client.All(ctx, client.ListOptions{Limit: crier.MaxPageSize}, page) {
		if err != nil {
			return nil, err
		}
		all = append(all, entry)
	}
	return all, nil
}

// namedPages returns the named entries of a paginated list.
func namedPages[T any](ctx context.Context, name func(T) named,
	page func(context.Context, client.ListOptions) (crier.Page[T], error)) func() ([]named, error) {
	return func() ([]named, error) {
		all, err := everything(ctx, page)
		out := make([]named, len(all))
		for i, entry := range all {
			out[i] = name(entry)
		}
		return out, err
	}
}

func (s *Shell) findTeam(ctx context.Context, c *client.Client, word string) (crier.ID, error) {
	return pick("team", word, "crier teams list", namedPages(ctx,
		func(t crier.Team) named { return named{id: t.ID, names: []string{t.Name}, label: t.Name} },
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Team], error) {
			return c.ListTeams(ctx, "", o)
		}))
}

// findTeams resolves several teams.
func (s *Shell) findTeams(ctx context.Context, c *client.Client, words []string) ([]crier.ID, error) {
	var ids []crier.ID
	for _, word := range words {
		id, err := s.findTeam(ctx, c, word)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func (s *Shell) findOrganization(ctx context.Context, c *client.Client, word string) (crier.ID, error) {
	return pick("organization", word, "crier orgs list", namedPages(ctx,
		func(o crier.Organization) named { return named{id: o.ID, names: []string{o.Name}, label: o.Name} },
		c.ListOrganizations))
}

func (s *Shell) findMember(ctx context.Context, c *client.Client, org crier.ID, word string) (crier.ID, error) {
	return pick("member", word, "crier members list", namedPages(ctx,
		func(m crier.Member) named {
			n := named{id: m.ID, names: []string{m.Name}, label: m.Name}
			if m.Email != nil {
				n.names, n.label = append(n.names, string(*m.Email)), m.Name+" "+string(*m.Email)
			}
			return n
		},
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Member], error) {
			return c.ListMembers(ctx, org, o)
		}))
}

func (s *Shell) findInvitation(ctx context.Context, c *client.Client, org crier.ID, word string) (crier.ID, error) {
	return pick("invitation", word, "crier members invitations", namedPages(ctx,
		func(i crier.Invitation) named {
			return named{id: i.ID, names: []string{string(i.Email)}, label: string(i.Email) + " " + string(i.Role)}
		},
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Invitation], error) {
			return c.ListInvitations(ctx, org, o)
		}))
}

func (s *Shell) findKey(ctx context.Context, c *client.Client, org crier.ID, word string) (crier.ID, error) {
	return pick("API key", word, "crier keys list", namedPages(ctx,
		func(k crier.APIKey) named {
			return named{id: k.ID, names: []string{k.Name}, label: k.Name + " …" + k.LastFour}
		},
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.APIKey], error) {
			return c.ListKeys(ctx, org, o)
		}))
}

// findActor resolves an actor of the audit log: a person or an API key.
func (s *Shell) findActor(ctx context.Context, c *client.Client, org crier.ID, word string) (crier.ID, error) {
	return pick("member or API key", word, "crier members list' or 'crier keys list", func() ([]named, error) {
		people, err := namedPages(ctx,
			func(m crier.Member) named {
				return named{id: m.UserID, names: []string{m.Name, text(m.Email)}, label: "member " + m.Name}
			},
			func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Member], error) {
				return c.ListMembers(ctx, org, o)
			})()
		if err != nil {
			return nil, err
		}
		keys, err := namedPages(ctx,
			func(k crier.APIKey) named {
				return named{id: k.ID, names: []string{k.Name}, label: "API key " + k.Name + " …" + k.LastFour}
			},
			func(ctx context.Context, o client.ListOptions) (crier.Page[crier.APIKey], error) {
				return c.ListKeys(ctx, org, o)
			})()
		return append(people, keys...), err
	})
}

func (s *Shell) findWebhook(ctx context.Context, c *client.Client, org crier.ID, word string) (crier.ID, error) {
	return pick("webhook", word, "crier webhooks list", namedPages(ctx,
		func(w crier.Webhook) named { return named{id: w.ID, names: []string{w.URL}, label: w.URL} },
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Webhook], error) {
			return c.ListWebhooks(ctx, org, o)
		}))
}

func (s *Shell) findTag(ctx context.Context, c *client.Client, team crier.ID, word string) (crier.ID, error) {
	return pick("tag", word, "crier tags list", namedPages(ctx,
		func(t crier.Tag) named { return named{id: t.ID, names: []string{t.Name}, label: t.Name} },
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Tag], error) {
			return c.ListTags(ctx, team, o)
		}))
}

func (s *Shell) findAsset(ctx context.Context, c *client.Client, team crier.ID, word string) (crier.ID, error) {
	return pick("file", word, "crier media list", namedPages(ctx,
		func(a crier.Asset) named {
			return named{id: a.ID, names: []string{a.FileName}, label: a.FileName + " " + local(a.CreatedAt)}
		},
		func(ctx context.Context, o client.ListOptions) (crier.Page[crier.Asset], error) {
			return c.ListAssets(ctx, team, o)
		}))
}

// findSlot resolves a slot by its time, such as 09:30.
func (s *Shell) findSlot(ctx context.Context, c *client.Client, team crier.ID, word string) (crier.ID, error) {
	return pick("slot", word, "crier slots list", func() ([]named, error) {
		grid, err := c.ListSlots(ctx, team)
		var list []named
		for _, sl := range grid.Slots {
			clock := fmt.Sprintf("%02d:%02d", sl.Hour, sl.Minute)
			list = append(list, named{id: sl.ID, names: []string{clock, strings.TrimPrefix(clock, "0"), text(sl.Label)},
				label: clock + " " + dayList(sl.DaysOfWeek)})
		}
		return list, err
	})
}

// findAccount resolves an account by its name, its handle or, if the team has only one there, its network.
func (s *Shell) findAccount(ctx context.Context, c *client.Client, team crier.ID, word string) (crier.ID, error) {
	return pick("account", word, "crier accounts list", func() ([]named, error) {
		list, err := c.ListAccounts(ctx, team)
		var out []named
		for _, a := range list.Data {
			out = append(out, named{id: a.ID, names: accountNames(a), label: accountLabel(a)})
		}
		return out, err
	})
}

// accountNames returns the names that an account can be referred to by.
func accountNames(a crier.SocialAccount) []string {
	names := []string{a.DisplayName, string(a.Provider), networkName(a.Provider),
		strings.TrimPrefix(text(a.ProfileHandle), "@")}
	if a.Provider == crier.ProviderX {
		names = append(names, "twitter")
	}
	return names
}

// accountLabel returns an account's label for people: X Acme (@acme).
func accountLabel(a crier.SocialAccount) string {
	label := networkName(a.Provider) + " " + a.DisplayName
	if handle := strings.TrimPrefix(text(a.ProfileHandle), "@"); handle != "" && handle != a.DisplayName {
		label += " (@" + handle + ")"
	}
	return label
}

// networkName returns the display name of a network.
func networkName(p crier.Provider) string {
	switch p {
	case crier.ProviderX:
		return "X"
	case crier.ProviderTikTok:
		return "TikTok"
	case crier.ProviderInstagram:
		return "Instagram"
	case crier.ProviderFacebook:
		return "Facebook"
	case crier.ProviderYouTube:
		return "YouTube"
	case crier.ProviderLinkedIn:
		return "LinkedIn"
	case crier.ProviderThreads:
		return "Threads"
	}
	return string(p)
}

// network parses the name of a network: x, X or twitter.
func network(word string) crier.Provider {
	word = strings.ToLower(word)
	if word == "twitter" {
		return crier.ProviderX
	}
	return crier.Provider(word)
}

// accountsByID returns the accounts of a team by id.
func accountsByID(ctx context.Context, c *client.Client, team crier.ID) (map[crier.ID]crier.SocialAccount, error) {
	list, err := c.ListAccounts(ctx, team)
	byID := make(map[crier.ID]crier.SocialAccount, len(list.Data))
	for _, a := range list.Data {
		byID[a.ID] = a
	}
	return byID, err
}

// joined joins words with commas.
func joined[T ~string](words []T) string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return strings.Join(list, ", ")
}

func text[T ~string](t *T) string {
	if t == nil {
		return ""
	}
	return string(*t)
}
