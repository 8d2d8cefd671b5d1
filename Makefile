# crier. `make` alone lists what can be done here.

VERSION          ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
GOLANGCI_VERSION := v2.14.0
GOLANGCI_DIR     := .tools/golangci-lint-$(GOLANGCI_VERSION)
BENCH            ?= .

.DEFAULT_GOAL := help
.PHONY: help run build test chaos lint bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build crier and serve on the embedded database (needs Go alone); ARGS="--listen ..." is passed on
	bin/crier serve $(ARGS)

# -buildvcs=false: the version comes from VERSION, and a source tree without git builds the same way.
build: ## build bin/crier: static, without cgo, version stamped
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$(VERSION)" -o bin/crier ./cmd/crier

test: ## run everything: vet, all tests on both databases with the race detector, short fuzzing
	scripts/test.sh

# With the waits of production. Other numbers: make chaos CRIER_CHAOS_POSTS=1000; a run again: CRIER_CHAOS_SEED=...
chaos: export CRIER_CHAOS_POSTS ?= 400
chaos: export CRIER_CHAOS_SECONDS ?= 90
chaos: export CRIER_CHAOS_PACE ?= usual
chaos: ## publish hundreds of posts on nodes, networks and a database that fail at random (minutes)
	CRIER_CHAOS_RESTART=1 scripts/with-postgres.sh go test -v -count=1 -timeout 60m -run '^TestChaos$$' ./cmd/crier
	scripts/with-postgres.sh go test -v -count=1 -timeout 60m -run '^TestAFrozenNode|^TestFiveHundredSlow' ./cmd/crier
	CRIER_UPLOAD_MEGABYTES=1024 CRIER_UPLOAD_TEXTS=1000 CRIER_TEST_SQLITE_ONLY=1 \
		go test -v -count=1 -timeout 60m -run '^TestASlowUpload' ./cmd/crier

lint: $(GOLANGCI_DIR)/golangci-lint ## run golangci-lint (pinned; built once into .tools)
	$(GOLANGCI_DIR)/golangci-lint run ./...

$(GOLANGCI_DIR)/golangci-lint:
	GOBIN="$(CURDIR)/$(GOLANGCI_DIR)" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

# fsync on: a commit that costs nothing would flatter nobody and mislead everybody.
bench: ## run the benchmarks on both databases; BENCH=regexp chooses some, CRIER_BENCH_POSTS=1000 makes the burst smaller
	CRIER_TEST_POSTGRES_FSYNC=on scripts/with-postgres.sh \
		go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 60m ./cmd/crier

clean: ## remove what was built, tools included
	rm -rf bin .tools
