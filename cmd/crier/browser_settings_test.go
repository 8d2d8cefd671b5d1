package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/store"
)

// addMembers adds people to a crew's organization, as if they had been invited; the first one is the oldest member.
func (e *engine) addMembers(t *testing.T, role crier.Role, names ...string) (ids []crier.ID) {
	t.Helper()
	for i, name := range names {
		user := crier.NewID()
		e.Exec(t, `INSERT INTO users (id, email, name, created_at, updated_at) SELECT $1, $2, $3, created_at, updated_at
			FROM organizations WHERE id = $4`, user, fmt.Sprintf("m%d-%s@example.com", i, user), name,
			e.crew.Organization)
		e.Exec(t, `INSERT INTO memberships (id, organization_id, principal_kind, principal_id, role, all_teams,
				organization_name, organization_created_at, organization_updated_at, created_at, updated_at,
				organization_name_key)
			SELECT $1, organization_id, 'user', $2, $3, all_teams, organization_name, organization_created_at,
				organization_updated_at, created_at, updated_at, organization_name_key
			FROM memberships WHERE organization_id = $4 AND principal_kind = 'user' ORDER BY id LIMIT 1`,
			crier.NewID(), user, role, e.crew.Organization)
		ids = append(ids, user)
	}
	e.Exec(t, `UPDATE organizations SET member_count = member_count + $1 WHERE id = $2`, len(names),
		e.crew.Organization)
	return ids
}

// A form that was open while somebody else changed the same thing takes back nothing of that.
func TestBrowserFormsSaveOnlyWhatWasChangedInThem(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	team, org := path("/v1/teams/%s", e.crew.Team), path("/v1/organizations/%s", e.crew.Organization)
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	for _, form := range []struct {
		section, address, name, field, value, want string
	}{
		{"team", team, "Bakers", "website", "https://example.com/bread", `"website":"https://example.com/bread"`},
		{"organization", org, "Bakery", "billingEmail", "till@example.com", `"billingEmail":"till@example.com"`},
	} {
		b.open("/app/settings/" + form.section)
		b.waitFor(`document.querySelector('main input[name=name]')?.value`)
		e.As(t, e.crew.Key, "PATCH", form.address, object{"name": form.name}).Want(t, http.StatusOK)
		b.fill(fmt.Sprintf("main input[name=%s]", form.field), form.value)
		b.click("main button", "Save")
		b.waitForText("is saved")
		list := e.As(t, e.crew.Key, "GET", "/v1/agent/context", nil).Want(t, http.StatusOK)
		for _, want := range []string{fmt.Sprintf(`"name":%q`, form.name), form.want} {
			if !strings.Contains(string(list.Body), want) {
				t.Errorf("%s: no %s in %s", form.section, want, list.Body)
			}
		}
		b.waitFor(fmt.Sprintf(`document.querySelector('main input[name=name]').value === %q`, form.name))
	}

	// What stays empty is asked for, and not taken for 0.
	b.open("/app/settings/team")
	b.fill("main input[name=publishLateMinutes]", "")
	b.press(kb.Backspace)
	b.click("main button", "Save")
	b.waitFor(`document.querySelector('main input:invalid')?.name === 'publishLateMinutes'`)
	if n := e.Number(t, `SELECT publish_late_minutes FROM teams WHERE id = $1`, e.crew.Team); n != 60 {
		t.Errorf("posts may be %d minutes late", n)
	}
}

func TestBrowserAdminIsNotOfferedWhatOwnersMay(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	e.addMembers(t, crier.RoleOwner, "Olga Owner")
	e.addMembers(t, crier.RoleEditor, "Edith Editor")
	e.As(t, e.crew.Key, "POST", path("/v1/organizations/%s/api-keys", e.crew.Organization),
		object{"name": "The till", "role": "editor"}).Want(t, http.StatusCreated)
	e.Exec(t, `UPDATE memberships SET role = 'admin' WHERE organization_id = $1 AND principal_id =
		(SELECT id FROM users WHERE email = 'ada@example.com')`, e.crew.Organization)
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/settings/members")
	b.waitForText("Olga Owner", "Edith Editor")
	labels := evaluate[string](b, `[...document.querySelectorAll('main li button')].map(e => e.ariaLabel).join()`)
	want := "Change Edith Editor,Remove Edith Editor"
	if !strings.Contains(labels, want) || strings.Contains(labels, "Olga") {
		t.Errorf("offered are %s, want %s and nothing about the owner", labels, want)
	}
	const offered = `[...document.querySelectorAll('dialog select[name=role] option')].map(o => o.value).join()`
	for section, begin := range map[string]string{"members": "Invite somebody", "keys": "New key"} {
		b.open("/app/settings/" + section)
		b.click("main button", begin)
		b.waitFor(`document.querySelector('dialog select[name=role]')`)
		if got := evaluate[string](b, offered); got != "admin,editor,viewer" {
			t.Errorf("%s: an admin is offered to give the roles %s", section, got)
		}
	}
	b.open("/app/settings/keys")
	b.waitForText("The till")
	labels = evaluate[string](b, `[...document.querySelectorAll('main li button')].map(e => e.ariaLabel).join()`)
	if !strings.Contains(labels, "Rotate The till") {
		t.Errorf("offered are %s", labels)
	}
}

// Many are more than a page of any list.
func TestBrowserSettingsWithMany(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	names := make([]string, 130)
	for i := range names {
		names[i] = fmt.Sprintf("Member %d", i)
	}
	ids := e.addMembers(t, crier.RoleEditor, names...)
	e.Exec(t, `UPDATE audit_log SET person_id = $1 WHERE organization_id = $2`, ids[7], e.crew.Organization)
	org := path("/v1/organizations/%s", e.crew.Organization)
	for i := range 30 {
		e.As(t, e.crew.Key, "POST", org+"/members", object{"email": fmt.Sprintf("guest%d@example.com", i),
			"role": "viewer"}).Want(t, http.StatusCreated)
	}
	e.Exec(t, `UPDATE audit_log SET person_id = $1 WHERE organization_id = $2`, ids[7], e.crew.Organization)
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/settings/members")
	b.click("main section:last-of-type button", "Show more of 30")
	b.waitFor(`document.querySelectorAll('main section:last-of-type li').length === 30`)
	b.open("/app/settings/audit")
	b.waitForText("Invite member")
	b.waitForText("Member 7")
	if evaluate[bool](b, `document.querySelector('main').innerText.includes('somebody who has left')`) {
		t.Error("a member is said to have left")
	}
}

func TestBrowserShowsHowADeliveryEnds(t *testing.T) {
	t.Parallel()
	answer := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-answer
		_, _ = w.Write([]byte(strings.Repeat("received ", 100)))
	}))
	t.Cleanup(receiver.Close)
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), withLocalWebhooks)
	e.signUp(t, e.crew, "ada@example.com")
	e.As(t, e.crew.Key, "POST", path("/v1/organizations/%s/webhooks", e.crew.Organization), object{
		"url":   receiver.URL + "/" + strings.Repeat("long", 30),
		"types": []string{"webhook.test"}}).Want(t, http.StatusCreated)
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/settings/webhooks")
	b.click("main button", "Send a test")
	b.click("main summary", "Deliveries")
	b.waitForText("On its way")
	close(answer)
	b.waitForText("Delivered", "answered 200")
	b.click("main summary", "What was sent and answered")
	b.waitFor(`document.querySelectorAll('main pre').length === 2`)
	b.screenshot("delivered")
	b.wantNoOverflow("deliveries")
	b.wantAccessible("deliveries")
	if narrow := evaluate[float64](b, `document.querySelector('main pre').clientWidth / innerWidth`); narrow < 0.8 {
		t.Errorf("what was sent takes %.0f %% of the window", 100*narrow)
	}
}

// A number that breaks at the end of a line is another number.
func TestBrowserCreditsAreReadableOnAPhone(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/settings/credits")
	b.waitForText("+100,000")
	b.screenshot("ledger")
	b.wantNoOverflow("credits")
	if broken := evaluate[string](b, `[...document.querySelectorAll('td[class*=number]')].filter(e => {
		const text = document.createRange()
		text.selectNodeContents(e)
		return text.getClientRects().length > 1 }).map(e => e.innerText).join()`); broken != "" {
		t.Errorf("on two lines: %s", broken)
	}
}

func TestBrowserKeyEndsOnADayOfTheTeam(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	e.setZone(t, e.crew, "Pacific/Auckland")
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.open("/app/settings/keys")
	b.click("main button", "New key")
	b.fill("dialog input[name=name]", "The till")
	day := time.Now().UTC().AddDate(1, 0, 0)
	b.set("dialog input[name=expiresAt]", day.Format("2006-01-02"))
	b.click("dialog button", "Make the key")
	b.click("dialog button", "I have kept it")
	b.waitForText("ends " + day.Format("Mon, 2 Jan 2006") + ", 00:00")
}

func TestBrowserMediaSearchFollowsTheAddress(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	folder := strings.Repeat("Bäckerei", 8)
	e.Call(t, e.crew, "POST", "folders", object{"name": folder}).Want(t, http.StatusCreated)
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	b.open("/app/media")
	b.waitForText(folder)
	b.screenshot("folders")
	if over := evaluate[float64](b, `document.querySelector('main nav').getBoundingClientRect().right -
		document.querySelector('main search').getBoundingClientRect().left`); over > 0 {
		t.Errorf("the folders cover %.0f pixels of the search", over)
	}
	b.fill("main input[type=search]", "bread")
	b.waitFor(`location.search === '?q=bread'`)
	b.waitForText("Nothing found")
	b.click("nav a", "Media")
	b.waitForText("Nothing here yet")
	b.waitFor(`location.search === '' && document.querySelector('main input[type=search]').value === ''`)
	b.do(`history.back()`)
	b.waitFor(`location.search === '?q=bread' && document.querySelector('main input[type=search]').value === 'bread'`)
}

// What went wrong in a dialog is told in front of it, where it can be seen, pressed and heard.
func TestBrowserTellsInFrontOfADialog(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	e.Call(t, e.crew, "POST", "folders", object{"name": "Autumn"}).Want(t, http.StatusCreated)
	for _, size := range []viewport{desk, phone} {
		b := openTab(t, e.testServer, size)
		b.signIn("ada@example.com")
		b.open("/app/media")
		b.click("main button", "New folder")
		b.fill("dialog input", "Autumn")
		b.press(keyEnter)
		b.waitFor(`document.querySelector('dialog [aria-live]').innerText.includes('There is a folder named')`)
		b.screenshot(fmt.Sprint("told ", size.width))
		found := evaluate[string](b, `(() => { const t = document.querySelector('dialog [aria-live] [class*=toast]')
			const r = t.getBoundingClientRect()
			if (r.left < 0 || r.right > innerWidth) return 'it is wider than the window'
			return t.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)) ? '' : 'it is covered'
		})()`)
		if found != "" {
			t.Errorf("%d: %s", size.width, found)
		}
		b.wantAccessible("told")
		b.click("dialog button", "Dismiss")
		b.waitFor(`document.querySelector('dialog') && !document.querySelector('[class*=toast]')`)
		// What is told when the dialog closes is read aloud from the page.
		b.fill("dialog input", fmt.Sprint("Winter ", size.width))
		b.press(keyEnter)
		b.waitFor(`!document.querySelector('dialog')`)
	}
}

func TestBrowserWelcomeKeepsTheKeyboardsPlace(t *testing.T) {
	t.Parallel()
	s := newStory(t, servertest.Databases.Fresh(t, store.SQLite), desk, "x")
	s.start(t)
	b := s.tab
	b.open("/app/welcome")
	for _, step := range []struct{ press, title string }{{"Go on with 1 account", "When do you publish?"},
		{"Use these times", "Write your first post"}, {"Publish it now", "It is out"}} {
		b.waitFor(fmt.Sprintf(`(() => { const found = [...document.querySelectorAll('main button')].find(e =>
			!e.disabled && e.ariaDisabled !== 'true' && e.innerText.includes(%q)); found?.focus(); return found })()`, step.press))
		b.press(keyEnter)
		b.waitForText(step.title)
		b.waitFor(`document.activeElement.id === 'step'`)
	}
}

// refuseMore has the pages of lists behind the first one refused, and counts how often one is asked for.
const refuseMore = `window.asked = 0
	window.ask = window.fetch
	const refused = {_tag: 'Forbidden', message: 'It is not allowed any more.'}
	const headers = {'Content-Type': 'application/json'}
	window.fetch = r => r.url?.includes('cursor=')
		? (window.asked++, Promise.resolve(new Response(JSON.stringify(refused), {status: 403, headers})))
		: window.ask(r)`

// changeTwice has the ends of lists come into view at once, as on a busy machine: both changes are told in one call.
const changeTwice = `const once = window.IntersectionObserver
	window.IntersectionObserver = class extends once {
		constructor(changed, options) { super(list => changed([{isIntersecting: false}, ...list]), options) }
	}`

func TestBrowserAsksOnceForAPageThatIsRefused(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	for i := range 110 {
		e.InsertAsset(t, e.crew.Team, "image/png")
		e.NewPost(t, e.crew, fmt.Sprint("Post ", i))
	}
	b := openTab(t, e.testServer, desk)
	b.signIn("ada@example.com")
	for _, page := range []string{"Posts", "Media"} {
		b.open("/app/queue")
		b.do(refuseMore)
		b.do(changeTwice)
		b.click("nav a", page)
		// The end of the page moves as rows come.
		b.waitFor(`(document.querySelector('main').scrollTo(0, 1e6),
			document.body.innerText.includes('The rest could not be loaded'))`)
		b.waitForText("It is not allowed any more")
		b.screenshot(page)
		if n := evaluate[int](b, `window.asked`); n != 1 {
			t.Errorf("%s: the refused page was asked for %d times", page, n)
		}
		b.do(`window.fetch = window.ask`)
		b.click("main button", "Try again")
		b.waitFor(`document.querySelector('main [class*=loading]') === null &&
			!document.body.innerText.includes('could not be loaded')`)
	}
}

func TestBrowserPersonWithoutATeamCanSignOut(t *testing.T) {
	t.Parallel()
	e := startEngine(t, servertest.Databases.Fresh(t, store.SQLite), servertest.WithRole("api"))
	e.signUp(t, e.crew, "ada@example.com")
	e.Exec(t, `UPDATE memberships SET all_teams = false WHERE organization_id = $1`, e.crew.Organization)
	b := openTab(t, e.testServer, phone)
	b.signIn("ada@example.com")
	b.waitForText("You belong to no team yet")
	b.screenshot("nowhere")
	b.wantAccessible("nowhere")
	b.click("main a", "Your account and sign-out")
	b.waitFor(`location.pathname === '/account' && document.body.innerText.includes('Sign out')`)
}
