package sim

import "net/http"

// The page on which people make a network fail; programs use the controls.

// choice is a fault that the page offers, in words that follow "the network".
type choice struct {
	Kind  FaultKind
	Words string
}

// faultChoices are the failures of a publication that are instructive for a person.
var faultChoices = []choice{
	{Reject, "refuses the next post"},
	{LostResponse, "takes the next post, and its answer is lost"},
	{Outage, "is out of order for one call"},
	{RateLimit, "says for a minute that there are too many requests"},
	{AuthExpired, "no longer accepts the connection of the account"},
}

type faultsPage struct {
	Title    string
	Networks []Network
	Choices  []choice
	Pending  []pendingFault
	Problem  string
}

// pendingFault is a fault that has not occurred yet.
type pendingFault struct{ Network, Words string }

func (w *World) registerFaultsPage() {
	// Forms of pages of other sites are rejected.
	own := http.NewCrossOriginProtection()
	w.mux.HandleFunc("GET /_faults", func(rw http.ResponseWriter, _ *http.Request) { w.showFaults(rw, "") })
	w.mux.Handle("POST /_faults", own.Handler(http.HandlerFunc(w.chooseFault)))
}

func (w *World) showFaults(rw http.ResponseWriter, problem string) {
	page := faultsPage{Title: "Let a network fail", Choices: faultChoices, Problem: problem}
	for _, e := range w.envs {
		page.Networks = append(page.Networks, e.network)
		for _, f := range e.script.pending() {
			page.Pending = append(page.Pending, pendingFault{Network: e.network.Title, Words: f.words()})
		}
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusBadRequest
	}
	renderForm(rw, status, "faults.html", page, "'self'")
}

// words describes a fault, in the page's own words if it is one of its choices.
func (f Fault) words() string {
	for _, c := range faultChoices {
		if c.Kind == f.Kind && f.Operation == Publish {
			return c.Words
		}
	}
	return string(f.Operation) + " meets " + string(f.Kind)
}

// chooseFault makes the next publication on a network fail, or removes all faults.
func (w *World) chooseFault(rw http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("clear") != "" {
		w.clearFaults(r)
		http.Redirect(rw, r, "/_faults", http.StatusSeeOther)
		return
	}
	in := faultInput{Provider: r.PostFormValue("network"), Operation: Publish, Kind: FaultKind(r.PostFormValue("kind")),
		Count: 1}
	if err := w.addToScript(in); err != nil {
		w.showFaults(rw, err.Error())
		return
	}
	http.Redirect(rw, r, "/_faults", http.StatusSeeOther)
}
