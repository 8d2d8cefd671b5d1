package main

import (
	"os"
	"testing"

	"crier/internal/nettest"
	"crier/internal/server/servertest"
)

func TestMain(m *testing.M) {
	if pace := os.Getenv(nodeVariable); pace != "" {
		os.Exit(serveAsNode(pace))
	}
	if file := os.Getenv(bareVariable); file != "" {
		os.Exit(serveBare(file))
	}
	os.Exit(servertest.Run(m))
}

// The harness by the names that the tests of this package use.
type (
	database  = servertest.Database
	option    = servertest.Option
	tenant    = servertest.Tenant
	crew      = servertest.Crew
	account   = servertest.Account
	box       = servertest.Box
	boxPost   = servertest.BoxPost
	clock     = servertest.Clock
	logBuffer = servertest.LogBuffer
	object    = servertest.Object
	request   = servertest.Request
	response  = servertest.Response
	result    = servertest.Result
	formPart  = servertest.FormPart
	library   = servertest.Library
)

var (
	databases          = servertest.Databases
	eachDatabase       = servertest.EachDatabase
	withClock          = servertest.WithClock
	withRole           = servertest.WithRole
	withDatabaseURL    = servertest.WithDatabaseURL
	withTimings        = servertest.WithTimings
	withBox            = servertest.WithBox
	withGates          = servertest.WithGates
	startBox           = servertest.StartBox
	startBoxWith       = servertest.StartBoxWith
	newGate            = servertest.NewGate
	hurried            = servertest.Hurried
	pace               = servertest.Pace
	until              = servertest.Until
	outcomes           = servertest.Outcomes
	decisive           = servertest.Decisive
	texts              = servertest.Texts
	path               = servertest.Path
	credentials        = servertest.Credentials
	atOnce             = servertest.AtOnce
	form               = servertest.Form
	longVideo          = servertest.LongVideo
	boxHeader          = servertest.BoxHeader
	sevenNetworks      = servertest.SevenNetworks
	withReachableMedia = servertest.WithReachableMedia
	everywhere         = servertest.Everywhere
	freeAddress        = nettest.FreeAddress
	soon               = servertest.Soon
	numberFrom         = servertest.NumberFrom
)

const (
	patience     = servertest.Patience
	passphrase   = servertest.Passphrase
	unknownID    = servertest.UnknownID
	raceDetector = servertest.RaceDetector
)

// testServer is a server with the helpers of this package.
type testServer struct{ *servertest.Server }

func startServer(tb testing.TB, db database, options ...option) *testServer {
	tb.Helper()
	return &testServer{servertest.Start(tb, db, options...)}
}

// engine is a server that publishes to a sandbox, and a tenant with accounts on it.
type engine struct {
	*testServer
	box *box
	crew
}

// startEngine starts a node and a sandbox, and a tenant with one account on each of two networks.
func startEngine(tb testing.TB, db database, options ...option) *engine {
	tb.Helper()
	return startEngineOn(tb, db, startBox(tb), options...)
}

// startEngineOn is startEngine with a sandbox that is there already.
func startEngineOn(tb testing.TB, db database, b *box, options ...option) *engine {
	tb.Helper()
	e := &engine{box: b}
	e.testServer = startServer(tb, db, append([]option{withBox(e.box), withTimings(hurried)}, options...)...)
	e.crew = e.NewCrew(tb, 100_000, "x", "linkedin")
	return e
}

// join starts a further node on the same database and sandbox.
func (e *engine) join(tb testing.TB, db database, options ...option) *engine {
	tb.Helper()
	other := &engine{box: e.box, crew: e.crew}
	other.testServer = startServer(tb, db, append([]option{withBox(e.box), withTimings(hurried)}, options...)...)
	return other
}
