# `make run` and `make test` are enough to use Mellow. The other commands are for work on Mellow.

.PHONY: run test check accept build dev bench prove lint audit dist release help
.DEFAULT_GOAL := help

help: ## Lists these commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## Builds everything and serves Mellow on http://127.0.0.1:8080, data in ./data
	@./target/release/mellow

build: ## Builds the web app, and the program with the web app inside
	@scripts/needs
	@scripts/web build
	@echo "== server: an optimised build, about five minutes on two cores the first time"
	@cargo build --release

test: ## Runs every check and every test: server, web, browsers
	@scripts/test

dev: ## Serves on http://127.0.0.1:5173, and rebuilds and restarts after a change
	@scripts/needs
	@scripts/web install
	@node scripts/dev.mjs

check: ## Runs the fast checks: formatting, lints, unit tests of server and web
	@scripts/check

accept: ## Renews golden frames, tapes and the generated types of the web, and lists the changes
	@scripts/accept

bench: ## Measures codec, writer, reads, fan-out, floods, sign-ins, pictures and imports (docs/performance.md says what the figures mean)
	@scripts/needs
	@scripts/web build
	@cargo bench

prove: ## Runs the long tests before a release: thousands of cuts, retries and damaged databases, all browsers, and two hours of load
	@scripts/prove

lint: ## Checks formatting and lints
	@cargo fmt --all --check
	@cargo clippy --all-targets --quiet -- -D warnings
	@scripts/web lint

audit: ## Asks the registries whether a library of Mellow has a known fault
	@scripts/audit

dist: ## Makes what is published, in target/dist: an archive, a Debian package, licences and checksums
	@scripts/dist

release: ## Checks this commit as `make release VERSION=1.2.3`, runs every test, and prints what to publish
	@scripts/release "$(VERSION)"
