//go:build !unix

package main

import "errors"

// onTerminal runs nothing where there is no terminal to open: terminal.txtar is skipped.
func onTerminal(uint16, string, func(string) (string, bool), []string) (code int, output string, err error) {
	return 0, "", errors.ErrUnsupported
}
