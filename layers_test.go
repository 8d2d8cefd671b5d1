package crier_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A layer defines what its packages may import. Packages of crier are named by their directory; the root, which is the
// vocabulary, is "crier". A name that ends in "/..." stands for a package and all below it, which also import each
// other; one that ends in "/*" stands for those directly below.
type layer struct {
	packages []string
	may      []string // packages of crier
	only     []string // libraries, "std" for the whole standard library; nil for any
	because  string
}

// layers holds every package, from the vocabulary up to the program. The first match counts.
var layers = []layer{
	{
		packages: []string{"crier"},
		only:     []string{"std", "github.com/google/uuid"},
		because:  "the vocabulary imports the standard library and a UUID package",
	},
	{
		packages: []string{"internal/nettest"},
		only:     []string{"std"},
		because:  "nettest knows ports alone",
	},
	{
		packages: []string{"internal/programtest"},
		only:     []string{"std"},
		because:  "programtest knows files alone",
	},
	{
		packages: []string{"internal/media/mediatest"},
		may:      []string{"crier", "internal/nettest", "internal/programtest"},
		because:  "mediatest makes files, and a server that keeps them",
	},
	{
		packages: []string{
			"internal/store/...", "internal/slot/...", "internal/auth/...", "internal/media/...", "internal/enrich/...",
			"internal/mail/...", "internal/notify/...", "internal/provider",
		},
		may:     []string{"crier"},
		because: "the row above the vocabulary imports it, never its neighbours",
	},
	{
		packages: []string{"internal/events"},
		may:      []string{"crier", "internal/store"},
		because:  "events are recorded in the store's transactions, by whoever has one",
	},
	{
		packages: []string{"internal/provider/all"},
		may:      []string{"crier", "internal/provider/..."},
		because:  "all is the list of the networks and nothing else",
	},
	{
		packages: []string{"internal/provider/all/alltest"},
		may: []string{"crier", "internal/provider", "internal/provider/all", "internal/provider/providertest",
			"internal/media/mediatest"},
		because: "alltest is what tests know about the networks, as data",
	},
	{
		packages: []string{"internal/provider/providertest"},
		may:      []string{"crier", "internal/provider", "internal/sandbox/..."},
		because:  "the suite of the networks knows none of them by name",
	},
	{
		packages: []string{"internal/provider/graph"},
		may:      []string{"crier", "internal/provider"},
		because:  "Meta's Graph API is below the networks that share it",
	},
	{
		packages: []string{"internal/provider/*"},
		may:      []string{"crier", "internal/provider", "internal/provider/graph"},
		because:  "a network imports provider and the vocabulary: no sibling, no store",
	},
	{
		packages: []string{"internal/sandbox/..."},
		only:     []string{"std"},
		because:  "the sandbox imports the standard library only, so that it cannot share a provider's mistakes",
	},
	{
		packages: []string{"internal/backup"},
		may:      []string{"crier", "internal/store", "internal/auth", "internal/media"},
		because:  "a backup is of rows, files and the key; it knows no rule",
	},
	{
		packages: []string{"internal/ledger", "internal/job"},
		may:      []string{"crier", "internal/store"},
		because:  "ledger and job work in the transactions of store and know nothing else",
	},
	{
		packages: []string{"internal/webhook"},
		may: []string{
			"crier", "internal/store", "internal/auth", "internal/media", "internal/job", "internal/events",
			"internal/notify",
		},
		because: "deliveries know events and the outside world, not who may ask for them",
	},
	{
		packages: []string{"internal/access", "internal/pagination"},
		may:      []string{"crier", "internal/store", "internal/auth"},
		because:  "what every request passes knows credentials and the store, and no noun",
	},
	{
		packages: []string{"internal/oauth"},
		may:      []string{"crier", "internal/store", "internal/auth", "internal/media"},
		because:  "programs sign people in without a rule of any noun; media guards the addresses that are read",
	},
	{
		packages: []string{"internal/publish"},
		may: []string{
			"crier", "internal/store", "internal/slot", "internal/auth", "internal/provider", "internal/media",
			"internal/ledger", "internal/job", "internal/events",
		},
		because: "the engine imports the rows below it, never the rules above it or a network by name",
	},
	{
		packages: []string{"internal/library"},
		may: []string{
			"crier", "internal/store", "internal/provider", "internal/media", "internal/publish", "internal/job",
			"internal/events", "internal/enrich", "internal/access", "internal/pagination",
		},
		because: "the media library imports the rows below it; posts name its assets, it knows no post",
	},
	{
		packages: []string{"internal/access/accesstest"},
		may:      []string{"crier", "internal/access", "internal/auth", "internal/store", "internal/store/storetest"},
		because:  "accesstest lets tests in by the front door",
	},
	{
		packages: []string{"internal/social"},
		may: []string{
			"crier", "internal/store", "internal/auth", "internal/provider", "internal/publish", "internal/job",
			"internal/events", "internal/access",
		},
		because: "social accounts import the rows below them; posts name accounts, accounts know no post",
	},
	{
		packages: []string{"internal/analytics"},
		may: []string{
			"crier", "internal/store", "internal/slot", "internal/provider", "internal/publish", "internal/ledger",
			"internal/job", "internal/events", "internal/access", "internal/pagination",
		},
		because: "analytics read numbers through the engine and know no rule above them",
	},
	{
		packages: []string{"internal/service"},
		may: []string{
			"crier", "internal/store", "internal/slot", "internal/auth", "internal/provider", "internal/media",
			"internal/enrich", "internal/publish", "internal/ledger", "internal/job", "internal/events",
			"internal/webhook", "internal/access", "internal/oauth", "internal/pagination", "internal/library",
			"internal/social", "internal/analytics",
		},
		because: "service imports the rows below it, never a door or a network by name",
	},
	{
		packages: []string{"client"},
		may:      []string{"crier"},
		because:  "the client sees crier from outside",
	},
	{
		packages: []string{"internal/api/contract"},
		may:      []string{"crier"},
		because:  "the contract describes the vocabulary and knows no rule",
	},
	{
		packages: []string{"internal/api/forwarded"},
		only:     []string{"std"},
		because:  "headers of proxies are read without knowing what crier does",
	},
	{
		packages: []string{"internal/api"},
		may: []string{"crier", "internal/api/contract", "internal/api/forwarded", "internal/service",
			"internal/library", "internal/social", "internal/analytics", "internal/access", "internal/oauth",
			"internal/pagination", "internal/auth"},
		because: "a request walks from the door to the rules and no further; only auth, which is pure, is known " +
			"to both",
	},
	{
		packages: []string{"internal/queue"},
		may: []string{"crier", "internal/service", "internal/library", "internal/analytics", "internal/publish",
			"internal/webhook", "internal/job", "internal/store"},
		because: "jobs go to the rules and the engines; store lends the transaction that they are enqueued in",
	},
	{
		packages: []string{"internal/mcp"},
		may:      []string{"crier", "client"},
		because:  "agents use the client: they get no private way in",
	},
	{
		packages: []string{"internal/filelock"},
		because:  "filelock knows files alone",
	},
	{
		packages: []string{"internal/cli"},
		may:      []string{"crier", "client", "internal/mcp", "internal/notify", "internal/filelock"},
		because:  "the shell uses the client; it serves agents and signs what it forwards like a webhook",
	},
	{
		packages: []string{"web"},
		only:     []string{"std"},
		because:  "web is files; server hands them to the door",
	},
	{
		packages: []string{"internal/server/..."},
		may:      []string{"crier", "client", "web", "internal/..."},
		because:  "server wires a node, and its tests",
	},
	{
		packages: []string{"examples/..."},
		may:      []string{"crier", "client", "internal/media/mediatest"},
		because:  "an example sees crier from outside; it may borrow a file to publish",
	},
	{
		packages: []string{"scripts/..."},
		because:  "scripts build and release; they know no package of crier",
	},
	{
		packages: []string{"cmd/crier"},
		may:      []string{"crier", "client", "web", "internal/..."},
		because:  "the program reads settings and commands",
	},
}

// A home lists the only packages that may import a library. A name that ends in "/..." includes all below it.
type home struct {
	libraries []string
	packages  []string
	because   string
}

var homes = []home{
	{
		libraries: []string{"github.com/riverqueue/..."},
		packages:  []string{"internal/queue"},
		because:   "River is known to queue alone",
	},
	{
		libraries: []string{"database/sql", "github.com/jackc/pgx/...", "modernc.org/sqlite/..."},
		packages:  []string{"internal/store", "internal/queue"},
		because:   "SQL is spoken in store, and by the bridge in queue",
	},
	{
		libraries: []string{"github.com/pressly/goose/..."},
		packages:  []string{"internal/store"},
		because:   "migrations belong to store",
	},
	{
		libraries: []string{"github.com/danielgtaylor/huma/..."},
		packages:  []string{"internal/api/contract"},
		because:   "Huma is known to api/contract alone",
	},
	{
		libraries: []string{"github.com/spf13/cobra/..."},
		packages:  []string{"cmd/crier", "internal/cli"},
		because:   "commands belong to the shell and the program",
	},
	{
		libraries: []string{"net/http/..."},
		packages: []string{
			"client", "cmd/crier", "internal/cli", "internal/server/...", "internal/api/...", "internal/mcp",
			"internal/sandbox/...", "internal/provider/...", "internal/media/...", "internal/enrich/...",
			"internal/notify/...", "examples/...",
		},
		because: "HTTP is for doors and for what talks to the outside world; rules, facts and calculations have none",
	},
}

// sourceFile is a file other than a test, with its imports.
type sourceFile struct {
	name    string // slash-separated, from the root of the repository
	imports []string
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	files := sourceFiles(t, os.DirFS("."))
	if len(files) == 0 {
		t.Fatal("found no source files")
	}
	for _, violation := range violations(files) {
		t.Error(violation)
	}
}

func TestLayersCatchWrongImports(t *testing.T) {
	t.Parallel()
	cases := []struct{ file, imports, because string }{
		{"post.go", "github.com/spf13/pflag", "the vocabulary imports"},
		{"post.go", "crier/internal/store", "the vocabulary imports"},
		{"post.go", "net/http", "HTTP is for doors"},
		{"internal/store/posts.go", "crier/internal/auth", "never its neighbours"},
		{"internal/slot/slot.go", "crier/internal/service", "never its neighbours"},
		{"internal/slot/slot.go", "database/sql", "SQL is spoken in store"},
		{"internal/provider/registry.go", "crier/internal/provider/x", "never its neighbours"},
		{"internal/provider/x/x.go", "crier/internal/provider/threads", "no sibling"},
		{"internal/provider/x/x.go", "crier/internal/store", "no store"},
		{"internal/provider/x/x.go", "crier/internal/sandbox/x", "a network imports"},
		{"internal/sandbox/x/x.go", "crier", "the sandbox imports"},
		{"internal/sandbox/x/x.go", "golang.org/x/text/unicode/norm", "the sandbox imports"},
		{"internal/publish/step.go", "crier/internal/service", "never the rules above it"},
		{"internal/publish/step.go", "crier/internal/provider/x", "a network by name"},
		{"internal/publish/step.go", "github.com/riverqueue/river", "River is known to queue"},
		{"internal/webhook/deliver.go", "crier/internal/service", "not who may ask for them"},
		{"internal/ledger/ledger.go", "crier/internal/publish", "know nothing else"},
		{"internal/access/access.go", "crier/internal/service", "no noun"},
		{"internal/library/assets.go", "crier/internal/service", "knows no post"},
		{"internal/social/connections.go", "crier/internal/library", "know no post"},
		{"internal/service/posts.go", "crier/internal/api", "never a door"},
		{"internal/service/posts.go", "crier/internal/queue", "never a door"},
		{"internal/service/posts.go", "crier/internal/provider/x", "a network by name"},
		{"internal/service/posts.go", "github.com/riverqueue/river", "River is known to queue"},
		{"internal/service/posts.go", "net/http", "HTTP is for doors"},
		{"internal/api/posts_list.go", "crier/internal/store", "no further"},
		{"internal/api/posts_list.go", "crier/internal/queue", "no further"},
		{"internal/api/posts_list.go", "github.com/danielgtaylor/huma/v2", "Huma is known to api/contract"},
		{"internal/api/contract/input.go", "crier/internal/service", "knows no rule"},
		{"internal/api/posts_list.go", "github.com/jackc/pgx/v5/pgconn", "SQL is spoken in store"},
		{"internal/queue/publish.go", "github.com/danielgtaylor/huma/v2", "Huma is known to api/contract"},
		{"internal/mcp/posts.go", "crier/internal/service", "no private way in"},
		{"client/posts.go", "crier/internal/api", "from outside"},
		{"internal/api/server.go", "crier/cmd/crier", "no further"},
	}
	for _, c := range cases {
		t.Run(c.file+" imports "+c.imports, func(t *testing.T) {
			t.Parallel()
			got := violations([]sourceFile{{name: c.file, imports: []string{c.imports}}})
			if len(got) != 1 {
				t.Fatalf("got %d violations, want 1: %q", len(got), got)
			}
			for _, part := range []string{c.file, c.imports, c.because} {
				if !strings.Contains(got[0], part) {
					t.Errorf("%q does not say %q", got[0], part)
				}
			}
		})
	}
}

func TestEveryPackageHasALayer(t *testing.T) {
	t.Parallel()
	got := violations([]sourceFile{{name: "internal/util/util.go", imports: []string{"fmt"}}})
	want := "internal/util/util.go: package internal/util has no line in the table of layers"
	if !slices.Equal(got, []string{want}) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLayersAllowTheDocumentedImports(t *testing.T) {
	t.Parallel()
	files := []sourceFile{
		{"post.go", []string{"database/sql/driver", "time", "github.com/google/uuid"}},
		{"internal/store/posts.go", []string{"crier", "database/sql", "github.com/jackc/pgx/v5/stdlib",
			"modernc.org/sqlite"}},
		{"internal/provider/x/x.go", []string{"crier", "crier/internal/provider", "net/http"}},
		{"internal/provider/instagram/api.go", []string{"crier/internal/provider/graph"}},
		{"internal/provider/all/all.go", []string{"crier/internal/provider", "crier/internal/provider/x"}},
		{"internal/sandbox/sandbox.go", []string{"crier/internal/sandbox/x", "net/http"}},
		{"internal/publish/step.go", []string{"crier", "crier/internal/store", "crier/internal/ledger",
			"crier/internal/job", "crier/internal/provider"}},
		{"internal/service/posts.go", []string{"crier", "crier/internal/store", "crier/internal/publish"}},
		{"internal/queue/bridge.go", []string{"crier/internal/service", "crier/internal/store", "database/sql",
			"github.com/riverqueue/river"}},
		{"internal/api/posts_list.go", []string{"crier", "crier/internal/service", "crier/internal/api/contract"}},
		{"internal/api/contract/schema.go", []string{"crier", "github.com/danielgtaylor/huma/v2"}},
		{"internal/mcp/posts.go", []string{"crier/client"}},
		{"cmd/crier/main.go", []string{"crier/internal/api", "crier/client", "github.com/spf13/cobra"}},
	}
	for _, violation := range violations(files) {
		t.Error(violation)
	}
}

// violations returns one sentence per forbidden import: the file, the import and the rule against it.
func violations(files []sourceFile) []string {
	var found []string
	for _, file := range files {
		pkg := packageOf(file.name)
		i := slices.IndexFunc(layers, func(l layer) bool { return matchesAny(l.packages, pkg) })
		if i < 0 {
			found = append(found, fmt.Sprintf("%s: package %s has no line in the table of layers", file.name, pkg))
			continue
		}
		for _, imported := range file.imports {
			if because := violation(layers[i], pkg, imported); because != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", file.name, imported, because))
			}
		}
	}
	return found
}

// violation returns the rule that forbids an import, or "".
func violation(l layer, pkg, imported string) string {
	if isInternal(imported) {
		return unless(allowsPackage(l, pkg, strings.TrimPrefix(imported, "crier/")), l.because)
	}
	for _, h := range homes {
		if matchesAny(h.libraries, imported) && !matchesAny(h.packages, pkg) {
			return h.because
		}
	}
	return unless(allowsLibrary(l, imported), l.because)
}

func unless(allowed bool, because string) string {
	if allowed {
		return ""
	}
	return because
}

func allowsPackage(l layer, pkg, target string) bool {
	sameTree := slices.ContainsFunc(l.packages, func(pattern string) bool {
		return strings.HasSuffix(pattern, "/...") && matches(pattern, pkg) && matches(pattern, target)
	})
	return sameTree || matchesAny(l.may, target)
}

func allowsLibrary(l layer, imported string) bool {
	return l.only == nil || slices.Contains(l.only, "std") && isStandard(imported) || matchesAny(l.only, imported)
}

func packageOf(file string) string {
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return "crier"
}

func isInternal(imported string) bool {
	return imported == "crier" || strings.HasPrefix(imported, "crier/")
}

// isStandard reports whether a path is in the standard library: only those have no dot in their first element.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return matches(pattern, name) })
}

func matches(pattern, name string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == tree || strings.HasPrefix(name, tree+"/")
	}
	if parent, ok := strings.CutSuffix(pattern, "/*"); ok {
		return path.Dir(name) == parent
	}
	return name == pattern
}

// sourceFiles reads the imports of all Go files except tests, whatever their build tags.
func sourceFiles(t *testing.T, root fs.FS) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && ignoredDir(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		imports, err := importsOf(root, name)
		files = append(files, sourceFile{name: name, imports: imports})
		return err
	})
	if err != nil {
		t.Fatalf("reading the imports: %v", err)
	}
	return files
}

func ignoredDir(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules"
}

func importsOf(root fs.FS, name string) ([]string, error) {
	source, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	imports := make([]string, len(file.Imports))
	for i, spec := range file.Imports {
		if imports[i], err = strconv.Unquote(spec.Path.Value); err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
	}
	return imports, nil
}
