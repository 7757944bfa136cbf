# The two commands of the README are `make run` and `make test`.
GO ?= go
export CGO_ENABLED ?= 0
# Go's limit of ten minutes for a package is too little on a busy machine. Nobody debugs a test binary that is
# thrown away, and a third of the time of linking them goes into what a debugger reads.
TEST = $(GO) test -timeout 30m -ldflags=-w

# These keep little of what they allocate, so a larger heap saves a tenth of the time.
test verify selftest: export GOGC = 400

.PHONY: run test verify race fuzz vulnerabilities lint words generate release picture mutants comparison selftest selftest-figure hostile \
  record replay record-sample

run: ## the suite against the bundled reference
	@echo 'compiling: a minute or so the first time, a second later'
	@$(GO) run ./cmd/adconform run

# Four packages at a time, as some of their tests wait; make lint vets.
# With -short a test tries some of its rows, variants and keys; make verify tries all.
SHORT ?= -short
test: ## all tests; needs nothing but Go
	@$(TEST) $(SHORT) -p 4 -vet=off ./... && echo 'user and system time of the shell, and of the tests with their build:' && times

# .ci/run is what a change has to pass; this is what a release has to pass.
verify: selftest ## the long proofs: every fault and variant at each depth, what each check is needed for, all tests in full, and what others say
	$(GO) run ./cmd/adconform selftest --depth quick
	$(GO) run ./cmd/adconform selftest --depth deep --variants
	$(MAKE) test SHORT=
	$(MAKE) race fuzz vulnerabilities
	.ci/mutants $$(date +%j)
	.ci/others

# The detector makes the suite some ten times slower, so tests try a sample, and of the suite's own tests
# only those run that wait for no rate and no time-out.
race: ## what runs concurrently, under the race detector; needs a C compiler
	CGO_ENABLED=1 $(TEST) -race -short ./reference ./internal/judge ./internal/session ./internal/wire ./suites/passive
	CGO_ENABLED=1 $(TEST) -race -short ./internal/engine ./suites -run 'Conformance|Deadline|Workers|TakenBack|SameSeed'

# A number of inputs, as a limit of time may end a run that found nothing with "context deadline
# exceeded" (golang.org/issue/75804).
FUZZ ?= 20000x
fuzz: ## sends FUZZ random target files and worlds to what reads them
	$(GO) test ./fixtures -run '^$$' -fuzz FuzzFiles -fuzztime $(FUZZ)

vulnerabilities: ## known ones of modules that the code calls; asks vuln.go.dev
	$(GO) tool -modfile=tools.mod govulncheck ./...

# contract.md and interface.md are generated.
PAGES = README.md CONTRIBUTING.md $(filter-out %/contract.md %/interface.md,$(wildcard docs/*.md docs/*/README.md))
HAND_WRITTEN = sed '/^<!-- screen/,/^```$$/d'
words: ## fails if README.md has more than 1,200 words, or all pages more than 12,000, without generated screens
	@$(HAND_WRITTEN) README.md | wc -w | awk '$$1 > 1200 {print "README.md has " $$1 " words, more than 1200"; exit 1}'
	@$(HAND_WRITTEN) $(PAGES) | wc -w | awk '$$1 > 12000 {print "the pages have " $$1 " words, more than 12000"; exit 1}'

lint: words ## formatting, static checks, and the length of pages
	$(GO) tool -modfile=tools.mod golangci-lint run --allow-parallel-runners

# For each page or screen, a test called …Fresh compares it with its source.
generate: ## write again docs/contract.md, the screens, the figures of README.md
	$(GO) test -p 1 ./spec ./cmd/adconform ./internal/selftest -run 'Fresh$$' -update # two write README.md

# The page of a run on a seeded fault, as a browser shows it, for README.md.
CHROMIUM ?= chromium
PICTURED = $(CURDIR)/report/pictured
picture: ## write docs/screens/report.png again; needs Chromium
	rm -rf $(PICTURED)
	! $(GO) run ./cmd/adconform run --fault refused/401-any-key/updateCampaign --quiet --report $(PICTURED)
	$(CHROMIUM) --headless --no-sandbox --hide-scrollbars --window-size=1100,1500 \
	  --screenshot=docs/screens/report.png file://$(PICTURED)/report.html

selftest-figure: ## run the self-test and write its figure into reports and README
	$(GO) run ./cmd/adconform selftest --figure suites/report/figure.json
	$(MAKE) generate

SAMPLE ?=
selftest: ## what the suite catches, and how rarely it is wrong; SAMPLE=--sample leaves out three of four minor faults
	$(GO) run ./cmd/adconform selftest $(SAMPLE)

# A recording shows that a change of the suite alone changes no finding: make record REF=main, and then make replay on
# the changed suite. Any commit can be recorded that has internal/selftest/recording_test.go. ROWS='^page/' chooses rows.
REF ?= HEAD
RECORD ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/adconform/recording
ROWS ?=
EXPLAINED ?=
RECORDING = $(GO) test -count=1 -timeout 0 ./internal/selftest -rows '$(ROWS)'
record: ## record what the suite of commit REF sends, gets and finds, for every fault and variant, into the file RECORD
	set -e; tree=$$(mktemp -d); trap 'git worktree remove --force "$$tree"' EXIT; \
	  git worktree add --detach "$$tree" $(REF); \
	  (cd "$$tree" && $(RECORDING) -run '^TestRecord$$' -record '$(abspath $(RECORD))' -v)

# EXPLAINED names a file of regular expressions: the differences that are wanted, with the reasons as # comments.
replay: ## run the suite on the answers in RECORD, in place of servers, and list what it finds and asks otherwise
	$(RECORDING) -run '^TestReplay$$' -replay '$(abspath $(RECORD))' $(if $(EXPLAINED),-explained '$(abspath $(EXPLAINED))') -v

record-sample: ## record the rows that a test replays again, after a change of what cases send or find
	$(RECORDING) -run '^TestRecord$$' -record-sample -v

# Each mutant is compiled, and the suite run on it; no other test is. GREMLINS="-E '^store'"
# leaves files out.
mutants: ## the suite on one-token mutants of the reference's source, by go-gremlins; an hour or more
	GOFLAGS='$(GOFLAGS) -run=^TestReferenceConforms$$' $(GO) tool -modfile=tools.mod gremlins unleash ./reference \
	  --workers 1 --timeout-coefficient 20 --invert-logical --invert-loopctrl --invert-assignments \
	  --remove-self-assignments $(GREMLINS)

comparison: ## adconform beside Schemathesis and Specmatic, pinned, on a sample of faults and variants
	docs/comparison/compare.py

hostile: ## what hostile servers cost in time and memory, a line each
	$(TEST) -v ./internal/hostile -run TestHostile

release: ## VERSION=v1.2.3: the tag, an image, and in release/VERSION archives, checksums and an SBOM, of the commit that is checked out
	.ci/release $(VERSION)
