// Package bench measures adconform beside what is measured in the same run: a bare loop
// that sends the same requests, the ideal, a document a hundred times as small. All of
// it is benchmarks of package testing: `make bench` prints a summary, `make performance`
// keeps the lines in docs/performance.txt, which benchstat reads too, and writes
// docs/performance.md from them.
package bench
