package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	cdpnet "github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"crier"
	"crier/internal/server/servertest"
	"crier/internal/service"
)

// chromium is the browser that tests use: CRIER_TEST_CHROMIUM, else the first one installed. make test installs one
// where there is none.
var chromium = sync.OnceValue(func() string {
	for _, name := range []string{os.Getenv("CRIER_TEST_CHROMIUM"), "chromium-headless-shell", "chromium",
		"chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			return found
		}
	}
	return ""
})

// theBrowser is the one browser of a run; every tab has separate cookies and storage.
var theBrowser = sync.OnceValues(func() (context.Context, error) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium()), chromedp.NoSandbox,
		chromedp.UserDataDir(filepath.Join(servertest.RunDir(), "chromium")), chromedp.Flag("lang", "en-GB"),
		chromedp.Flag("accept-lang", "en-GB"), // the one without windows has no other setting
		// Disable the back/forward cache: each page in it would hold a process, and the next one starts another.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,BackForwardCache"))
	allocated, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ := chromedp.NewContext(allocated)
	return ctx, chromedp.Do(ctx)
})

// tab is a window of the browser on a server.
type tab struct {
	tb  testing.TB
	ctx context.Context //nolint:containedctx // chromedp keeps the tab in it
	url string
}

// viewport is the size of a window.
type viewport struct{ width, height int64 }

// The windows of a desktop and of a phone.
var (
	desk  = viewport{width: 1440, height: 900}
	phone = viewport{width: 390, height: 844}
)

// openTab opens a window. Its time zone is used nowhere else in the tests, so that mixed-up zones are detected.
// Exceptions in the page's scripts and violations of its policy fail the test.
func openTab(tb testing.TB, s *testServer, size viewport) *tab {
	tb.Helper()
	if chromium() == "" {
		tb.Skip("no Chromium: set CRIER_TEST_CHROMIUM, or run make test, which installs one")
	}
	browser, err := theBrowser()
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	b := &tab{tb: tb, ctx: ctx, url: s.URL}
	tb.Cleanup(cancel)
	opened := time.AfterFunc(servertest.WaitTimeout, cancel)
	b.run(chromedp.EmulateViewport(size.width, size.height))
	opened.Stop()
	b.watch()
	_, err = send(b, emulation.SetTimezoneOverride,
		emulation.SetTimezoneOverrideParams{TimezoneID: "America/New_York"})
	if err != nil {
		tb.Fatal(err)
	}
	b.prefer("light")
	return b
}

// answerTimeout is how long the browser may take to answer a command. A page that crashes, or that is replaced while a
// command is on its way, may leave it without an answer.
const answerTimeout = time.Minute

// send sends a command to the browser.
func send[P, R any](b *tab, command cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(b.ctx, answerTimeout)
	defer cancel()
	return chromedp.Call(ctx, command, params)
}

// ask runs an action within a timeout and returns its value.
func ask[T any](b *tab, timeout time.Duration, action chromedp.Action[T]) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, timeout)
	defer cancel()
	return chromedp.Run(ctx, action)
}

// prefer sets the user's preferred color scheme, also in the open page.
func (b *tab) prefer(scheme string) {
	b.tb.Helper()
	_, err := send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		},
	})
	if err != nil {
		b.tb.Fatal(err)
	}
}

// watch records exceptions of the page and violations of its policy until the tab is closed.
func (b *tab) watch() {
	messages := chromedp.Console(b.ctx)
	watched := make(chan struct{})
	var problems []string
	go func() {
		defer close(watched)
		for m, err := range messages {
			if err != nil {
				return
			}
			// A page that frames crier gets the violation in its own console.
			refused := strings.Contains(m.Text, "Content Security Policy") &&
				!strings.Contains(m.Text, "frame-ancestors")
			if m.IsException() || refused {
				problems = append(problems, m.String())
			}
		}
	}()
	b.tb.Cleanup(func() {
		_ = chromedp.Cancel(b.ctx) // ends the messages; the tab may be gone with its browser
		<-watched
		for _, p := range problems {
			b.tb.Errorf("in the browser: %s", p)
		}
	})
}

// run runs actions in the tab, within the timeout of the tests.
func (b *tab) run(steps ...chromedp.Action[chromedp.Void]) {
	b.tb.Helper()
	// the first run binds the tab to a context, which has to be the long-lived one
	if err := chromedp.Do(b.ctx); err != nil {
		b.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.ctx, servertest.WaitTimeout)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.screenshot("failure")
		b.tb.Fatalf("%v\n%s", err, b.text())
	}
}

// open goes to an address of the server and waits for the page's title.
func (b *tab) open(address string) {
	b.tb.Helper()
	b.run(chromedp.Navigate(b.url + address))
	b.waitFor(`document.querySelector('h1')`)
}

// signIn signs in by the form.
func (b *tab) signIn(email string) {
	b.tb.Helper()
	b.run(chromedp.Navigate(b.url+"/sign-in"), chromedp.SendKeys(chromedp.CSS("#email"), email),
		chromedp.SendKeys(chromedp.CSS("#password"), servertest.Passphrase+kb.Enter))
	b.waitFor(`location.pathname.startsWith('/app') && document.querySelector('h1')`)
}

// waitFor waits until an expression is true in the page.
func (b *tab) waitFor(expression string) {
	b.tb.Helper()
	deadline := time.Now().Add(servertest.WaitTimeout)
	for {
		ok, err := ask(b, answerTimeout, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			b.screenshot("failure")
			b.tb.Fatalf("%s never came true (%v) in\n%s", expression, err, b.text())
		}
		// The page may be navigating, which ends the wait at once.
		_, _ = ask(b, answerTimeout, chromedp.Evaluate[chromedp.Void](`new Promise(done => setTimeout(done, 50))`,
			chromedp.EvalAwaitPromise))
	}
}

// evaluate returns the value of an expression in the page; promises are awaited.
func evaluate[T any](b *tab, expression string) T {
	b.tb.Helper()
	v, err := ask(b, servertest.WaitTimeout, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.tb.Fatalf("%s: %v", expression, err)
	}
	return v
}

// text returns the text of the page, for failure messages.
func (b *tab) text() string {
	text, err := ask(b, servertest.WaitTimeout, chromedp.Evaluate[string](`location.href + '\n' + document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return text
}

// click clicks the first element of a selector that contains these words or has them as its label.
func (b *tab) click(selector, words string) {
	b.tb.Helper()
	// Find and click in one step: the page may be redrawn in between.
	b.waitFor(fmt.Sprintf(`(() => { const found = [...document.querySelectorAll(%q)].find(e =>
		!e.disabled && e.ariaDisabled !== 'true' &&
		((e.getAttribute('aria-label') ?? '') + ' ' + e.innerText).includes(%q)); found?.click(); return found })()`,
		selector, words))
}

// fill replaces the content of a text field, as pasting does.
func (b *tab) fill(selector, text string) {
	b.tb.Helper()
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.focus(); e.select() })()`,
		selector)))
	if _, err := send(b, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.tb.Fatal(err)
	}
}

// set sets a field without a text cursor: a time, a date, a choice of a list.
func (b *tab) set(selector, value string) {
	b.tb.Helper()
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const e = document.querySelector(%q)
		Object.getOwnPropertyDescriptor(Object.getPrototypeOf(e), 'value').set.call(e, %q)
		e.dispatchEvent(new Event('input', {bubbles: true}))
		e.dispatchEvent(new Event('change', {bubbles: true}))
	})()`, selector, value)))
}

// upload selects files, as the browser's file picker does.
func (b *tab) upload(selector string, files map[string][]byte) {
	b.tb.Helper()
	var names []string
	dir := b.tb.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			b.tb.Fatal(err)
		}
		names = append(names, name)
	}
	b.waitFor(fmt.Sprintf(`document.querySelector(%q)`, selector))
	b.run(chromedp.SetUploadFiles(chromedp.CSS(selector), names))
}

// waitForText waits until the page shows these words.
func (b *tab) waitForText(words ...string) {
	b.tb.Helper()
	for _, w := range words {
		b.waitFor(fmt.Sprintf(`document.body.innerText.includes(%q)`, w))
	}
}

// press presses keys where the focus is.
func (b *tab) press(keys ...string) {
	b.tb.Helper()
	for _, k := range keys {
		b.run(chromedp.KeyEvent(k))
	}
}

// drag drags from the center of one element to that of another with the mouse, in steps, as users do.
func (b *tab) drag(from, to string) {
	b.tb.Helper()
	a, z := b.middle(from), b.middle(to)
	b.mouse(input.DispatchMouseEventTypeMousePressed, a.X, a.Y)
	const steps = 12
	for i := range steps {
		part := float64(i+1) / steps
		b.mouse(input.DispatchMouseEventTypeMouseMoved, a.X+(z.X-a.X)*part, a.Y+(z.Y-a.Y)*part)
	}
	b.waitFor(`document.querySelector('[data-marker]:not([hidden])')`)
	b.mouse(input.DispatchMouseEventTypeMouseReleased, z.X, z.Y)
}

// point is a position in the window.
type point struct{ X, Y float64 }

// middle returns the center of an element.
func (b *tab) middle(selector string) point {
	b.tb.Helper()
	return evaluate[point](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: 'nearest'})
		const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2} })()`, selector))
}

func (b *tab) mouse(kind input.DispatchMouseEventType, x, y float64) {
	b.tb.Helper()
	b.run(chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, func(p *input.DispatchMouseEventParams) {
		p.Buttons, p.ClickCount = 1, 1
	}))
}

// line sets the conditions of the tab's connection to the server. Without an argument it is unimpaired.
func (b *tab) line(is ...cdpnet.Conditions) {
	b.tb.Helper()
	rules := cdpnet.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*cdpnet.Conditions{}}
	state := cdpnet.OverrideNetworkStateParams{DownloadThroughput: -1, UploadThroughput: -1}
	for i := range is {
		rules.MatchedNetworkConditions = append(rules.MatchedNetworkConditions, &is[i])
		state.Offline = state.Offline || is[i].Offline
	}
	_, err := send(b, cdpnet.EmulateNetworkConditionsByRule, rules)
	if err == nil {
		_, err = send(b, cdpnet.OverrideNetworkState, state)
	}
	if err != nil {
		b.tb.Fatal(err)
	}
}

// slow returns a connection with latency.
func slow(latency time.Duration) cdpnet.Conditions {
	return cdpnet.Conditions{Latency: float64(latency.Milliseconds()), DownloadThroughput: -1, UploadThroughput: -1}
}

// lost is an offline connection.
var lost = cdpnet.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}

// screenshot saves a picture of the window in CRIER_TEST_SCREENSHOTS, if that is set.
func (b *tab) screenshot(name string) {
	dir := os.Getenv("CRIER_TEST_SCREENSHOTS")
	if dir == "" {
		return
	}
	picture, err := ask(b, servertest.WaitTimeout, chromedp.CaptureScreenshot())
	if err != nil {
		b.tb.Logf("no screenshot of %s: %v", name, err)
		return
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.tb.Error(err)
	}
	file := filepath.Join(dir, strings.NewReplacer("/", "_", " ", "-").Replace(b.tb.Name()+" "+name)+".png")
	if err := os.WriteFile(file, picture, 0o600); err != nil {
		b.tb.Error(err)
	}
}

// axeScript finds accessibility problems: https://github.com/dequelabs/axe-core, one file of its distribution.
var axeScript = sync.OnceValues(func() ([]byte, error) { return os.ReadFile("testdata/axe.min.js") })

// wantAccessible fails the test when axe finds a problem on the page, by the named rules or, without any, by all.
func (b *tab) wantAccessible(name string, rules ...string) {
	b.tb.Helper()
	if evaluate[bool](b, `window.axe === undefined`) {
		script, err := axeScript()
		if err != nil {
			b.tb.Fatal(err)
		}
		b.run(chromedp.Evaluate[chromedp.Void](string(script) + ";undefined"))
	}
	named, err := json.Marshal(rules)
	if err != nil {
		b.tb.Fatal(err)
	}
	found := evaluate[[]byte](b, `axe.run(document,
		{resultTypes: ['violations'], runOnly: `+string(named)+` ?? undefined}).then(r => r.violations.map(v =>
			({id: v.id, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary)})))`)
	if string(found) != "[]" {
		b.tb.Errorf("%s: axe found %s", name, found)
	}
}

// signUp gives the owner of a crew an e-mail address and the passphrase.
func (e *engine) signUp(tb testing.TB, c crew, email string) {
	tb.Helper()
	if _, err := e.Node.Services.Instance.SetUpOwner(context.Background(), c.Setup, "Ada Lovelace", crier.Email(email),
		servertest.Passphrase, service.Browser{}); err != nil {
		tb.Fatal(err)
	}
}

// setZone sets the time zone of a crew's team.
func (e *engine) setZone(tb testing.TB, c crew, zone string) {
	tb.Helper()
	e.As(tb, c.Key, "PATCH", path("/v1/teams/%s", c.Team), object{"timezone": zone}).Want(tb, http.StatusOK)
}

// keys that kb has no short name for.
const (
	keySpace  = " "
	keyEnter  = kb.Enter
	keyEscape = kb.Escape
	keyRight  = kb.ArrowRight
	keyDown   = kb.ArrowDown
)
