# The two commands of the README are `make run` and `make test`.
GO ?= go
export CGO_ENABLED ?= 0

.PHONY: run test lint docs selftest

run: ## the suite against the bundled reference
	$(GO) run ./cmd/adconform run

test: ## all tests; needs nothing but Go
	$(GO) test ./...

lint: ## formatting and static checks
	$(GO) tool -modfile=tools.mod golangci-lint run

docs: ## write again what is generated from spec/
	$(GO) test ./spec -run TestContractPageIsFresh -update

selftest: ## what the suite catches, and how seldom it is wrong
	$(GO) run ./cmd/adconform selftest
