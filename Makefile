# crier. `make` without arguments lists the targets.

VERSION          ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
GOLANGCI_VERSION := v2.14.0
GOLANGCI_DIR     := .tools/golangci-lint-$(GOLANGCI_VERSION)
BENCH            ?= .

.DEFAULT_GOAL := help
.PHONY: help run build install web test race quick chaos fuzz vuln lint bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build crier and serve on the embedded database (needs only Go); ARGS="--listen ..." passes arguments
	bin/crier serve $(ARGS)

# -buildvcs=false: the version comes from VERSION, and a source tree without git builds the same way.
build: ## build bin/crier: static, without cgo, version stamped
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o bin/crier ./cmd/crier

# PREFIX is the installation prefix; DESTDIR is for packagers.
PREFIX ?= /usr/local
install: build ## install bin/crier into PREFIX/bin (/usr/local); PREFIX=~/.local needs no root
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 bin/crier "$(DESTDIR)$(PREFIX)/bin/crier"

# The types are generated from the OpenAPI document, which a test keeps current.
web: ## build the dashboard into web/dist (needs Node): types, check, unit tests, build
	cp internal/api/testdata/openapi.json web/openapi.json
	scripts/with-node.sh scripts/install-web.sh
	cd web && npm run types && npm run fix && npm run check && npm test && npm run build

test: ## run everything: vet, all tests on both databases, the race detector, short fuzzing
	scripts/test.sh

race: ## run everything with every test under the race detector (half an hour)
	CRIER_TEST_RACE=all scripts/test.sh

# The packages that differ from main, including uncommitted changes. RUN=regexp selects tests.
quick: ## test the changed packages on SQLite and the import rules; RUN=regexp selects tests
	CRIER_TEST_SQLITE_ONLY=1 go test $(if $(RUN),-run '$(RUN)') . $$(git diff --name-only --diff-filter=d main -- '*.go' | \
		xargs -r -n1 dirname | grep -v '^cmd/crier$$' | sed 's|^|./|' | sort -u)

# With the delays of production. CRIER_CHAOS_POSTS=1000 changes the size, CRIER_CHAOS_SEED=... repeats a run.
chaos: export CRIER_CHAOS_POSTS ?= 400
chaos: export CRIER_CHAOS_SECONDS ?= 90
chaos: export CRIER_CHAOS_PACE ?= usual
chaos: ## publish hundreds of posts while nodes, networks and the database fail at random (minutes)
	CRIER_CHAOS_RESTART=1 scripts/with-postgres.sh go test -v -count=1 -timeout 60m -run '^TestChaos$$' ./cmd/crier
	scripts/with-postgres.sh go test -v -count=1 -timeout 60m \
		-run '^TestFrozenNode|^TestFiveHundredSlow|^TestUpgrade' ./cmd/crier
	CRIER_UPLOAD_MEGABYTES=1024 CRIER_UPLOAD_TEXTS=1000 CRIER_TEST_SQLITE_ONLY=1 \
		go test -v -count=1 -timeout 60m -run '^TestSlowUpload' ./cmd/crier

# Seeds are new in every run and printed; CRIER_FUZZ_REQUESTS=1000000 runs longer.
fuzz: export CRIER_FUZZ_REQUESTS ?= 100000
fuzz: export CRIER_TEST_CHANGES ?= 10000
fuzz: ## send random requests, generated from the OpenAPI document, to every operation on both databases (minutes)
	scripts/with-postgres.sh go test -v -count=1 -timeout 60m -run '^TestFuzzedRequests|^TestFacetsEqual|^TestPages' \
		./internal/api -rapid.checks=1000

vuln: ## check crier and its dependencies for known vulnerabilities (govulncheck; needs vuln.go.dev)
	scripts/vuln.sh

lint: $(GOLANGCI_DIR)/golangci-lint ## run golangci-lint (pinned; built once into .tools)
	$(GOLANGCI_DIR)/golangci-lint run ./...

$(GOLANGCI_DIR)/golangci-lint:
	GOBIN="$(CURDIR)/$(GOLANGCI_DIR)" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

# fsync on: without it the results would be misleading.
bench: ## run the benchmarks on both databases; BENCH=regexp selects some, CRIER_BENCH_POSTS=1000 reduces the burst
	CRIER_TEST_POSTGRES_FSYNC=on scripts/with-postgres.sh \
		go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./internal/bench ./cmd/crier

clean: ## remove binaries and tools
	rm -rf bin .tools
