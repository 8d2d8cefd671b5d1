package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"crier/internal/server/servertest"
	"crier/internal/store"
)

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
