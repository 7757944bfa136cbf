# The two commands of the README are `make run` and `make test`.
GO ?= go
export CGO_ENABLED ?= 0
# Ten minutes, Go's bound for a package, are few on a machine that does much else.
TEST = $(GO) test -timeout 30m

# What these keep is small beside what they throw away: a larger heap saves a tenth of the time.
test verify selftest: export GOGC = 400

.PHONY: run test verify race fuzz lint generate edition release picture mutants selftest selftest-checks selftest-figure selftest-ablation hostile bench performance bench-proxy bench-reference soak k6

run: ## the suite against the bundled reference
	$(GO) run ./cmd/adconform run

# Four packages at a time, as some of their tests wait; make lint vets.
# With -short a test tries some of the rows, variants and keys of which make verify tries
# all.
SHORT ?= -short
test: ## all tests; needs nothing but Go (and starts PostgreSQL where it is installed)
	$(TEST) $(SHORT) -p 4 -vet=off ./...

verify: selftest ## the long proofs: the self-test, also at depth quick and of fuzz, and all tests in full
	$(GO) run ./cmd/adconform selftest --depth quick
	$(GO) run ./cmd/adconform selftest --fuzz 300 --variants
	$(MAKE) test SHORT=

# Under the detector the suite is some ten times slower, so a test tries a sample, and of the
# suite's own tests those run that wait for no rate and no time-out.
race: ## what runs concurrently, under the race detector; needs a C compiler
	CGO_ENABLED=1 $(TEST) -race -short ./reference ./reference/front ./suites/judge/... ./suites/session ./suites/schedule ./suites/liveness ./suites/wire ./suites/passive/traffic
	CGO_ENABLED=1 $(TEST) -race -short ./suites -run 'Conformance|Awaited|Filters|Interrupt|Workers|Overlap|ResultIsTold'

# A count, as a bound in time may end a run that found nothing with "context
# deadline exceeded" (golang.org/issue/75804).
FUZZ ?= 20000x
fuzz: ## random bodies, requests and worlds to what reads them, FUZZ inputs each
	$(GO) test ./reference -run '^$$' -fuzz FuzzBody -fuzztime $(FUZZ)
	$(GO) test ./reference -run '^$$' -fuzz FuzzRoute -fuzztime $(FUZZ)
	$(GO) test ./fixtures -run '^$$' -fuzz FuzzWorld -fuzztime $(FUZZ)

lint: ## formatting and static checks
	$(GO) tool -modfile=tools.mod golangci-lint run --allow-parallel-runners

# Each has a test that compares it with its source and is called Fresh.
generate: ## write again docs/contract.md, the screens, the figures of README.md, docs/performance.md and docs/comparison.md
	$(GO) test -p 1 ./spec ./cmd/adconform ./cmd/adconform/internal/catalog ./internal/selftest ./internal/bench -run 'Fresh$$' -update # two write README.md
	$(GO) run ./docs/comparison/page

# The page of a run on a seeded fault, as a browser shows it: README.md has it.
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

# One after another: Ginkgo refuses -count.
ROUNDS ?= 1 2 3 4 5 6
BENCH = for round in $(ROUNDS); do $(GO) test ./internal/bench -run '^$$' -bench . -timeout 30m || exit 1; done
bench: ## what a run costs, as multiples of what is measured beside it; some ten minutes
	$(BENCH) | $(GO) tool benchstat -

performance: ## bench, and write docs/performance.md again
	{ echo "commit: $$(git describe --always --dirty=+)"; echo "go: $$($(GO) env GOVERSION)"; \
	  echo "load: $$(uptime | sed 's/.*averages*: //')"; $(BENCH); } >docs/performance.new
	mv docs/performance.new docs/performance.txt
	$(MAKE) generate

bench-proxy: ## the judging proxy beside a bare httputil.ReverseProxy
	$(GO) test ./suites/passive/traffic -run '^$$' -bench Proxy -benchtime 20x

bench-reference: ## the reference on each database, as a share of a bare net/http server
	$(GO) test ./reference -run '^$$' -bench Throughput -benchtime 3s

SOAK ?= 1000000x
soak: ## memory over a million requests under load, reference included: it stays flat
	$(GO) test ./suites -run '^$$' -bench Soak -benchtime $(SOAK) -timeout 3h

selftest-ablation: ## what each key of a target file is worth: some twenty minutes; with ONLY, a regexp, some faults
	$(GO) run ./cmd/adconform selftest --ablate --needed suites/doctor/needed.json \
		$(if $(ONLY),--only '$(ONLY)',--figure suites/report/figure.json)
	$(MAKE) generate

selftest: ## what the suite catches, and how seldom it is wrong
	$(GO) run ./cmd/adconform selftest

mutants: ## every one-token mutant of the reference's source; some ten minutes
	$(GO) run ./cmd/adconform selftest --mutants

selftest-checks: ## which faults slip through without each check
	$(GO) run ./cmd/adconform selftest --checks

hostile: ## what hostile servers cost in time and memory, a line each
	$(TEST) -v ./internal/hostile -run TestHostile

# k6 is built outside the module, once, into a cache: about 80 s and 70 MB.
K6_VERSION ?= v1.8.1
K6_BIN ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/adconform/k6-$(K6_VERSION)

$(K6_BIN)/k6:
	CGO_ENABLED=0 GOBIN=$(K6_BIN) $(GO) install go.k6.io/k6@$(K6_VERSION)

k6: $(K6_BIN)/k6 ## what export k6 writes, played by k6 against the reference, faults and every variant
	PATH="$(K6_BIN):$$PATH" $(GO) test ./suites/k6 -count 1 -args -all

edition: ## write spec/editions/EDITION.yaml of what there is, unless it was published; FREEZE=-freeze: it is now
	$(GO) test ./suites -run 'TestNewEdition$$' -count 1 -new-edition $(EDITION) $(FREEZE)

release: ## release/VERSION: archives for six systems, checksums, an SBOM, of the commit that is checked out
	.ci/release $(VERSION)
