package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/adconform/adconform/fixtures"
	"github.com/adconform/adconform/spec"
	"github.com/adconform/adconform/suites/wire"
)

// The keys for a target that is given by its URL alone.
const (
	ownerVariable    = "ADCONFORM_OWNER_KEY"
	strangerVariable = "ADCONFORM_STRANGER_KEY"
)

var hostAndPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]+(/.*)?$`)

// loadTarget reads a target file, or makes a target of a URL and the keys of the
// environment. Such a target names no objects. With an overlay the file may name
// what the operations that it adds are tried on.
func (a *app) loadTarget(where, overlay string) (*fixtures.Target, error) {
	if !strings.Contains(where, "://") {
		if _, err := os.Stat(where); err != nil && hostAndPort.MatchString(where) {
			return nil, fmt.Errorf("--target %s is neither a file nor a URL; did you mean http://%s?", where, where)
		}
		contract, err := loadContract(overlay)
		if err != nil {
			return nil, err
		}
		target, err := fixtures.Load(where, a.env, contract.Keys()...)
		if err != nil {
			return nil, err
		}
		a.tellWarnings(&target.Warnings)
		return target, nil
	}
	owner, _ := a.env(ownerVariable)
	stranger, _ := a.env(strangerVariable)
	if owner == "" {
		return nil, fmt.Errorf("--target is a URL, so the owner's key has to be in the variable %s; "+
			"or name a target file, which adconform init writes", ownerVariable)
	}
	if client, err := wire.New(wire.Options{BaseURL: where}); err != nil {
		return nil, fmt.Errorf("--target: %w", err)
	} else {
		client.Close()
	}
	return &fixtures.Target{
		Version: 1, BaseURL: strings.TrimRight(where, "/"),
		Credentials: fixtures.Credentials{Owner: owner, Stranger: stranger, Header: fixtures.DefaultKeyHeader},
	}, nil
}

// loadContract reads the contract, with an overlay if a file is named.
func loadContract(overlay string) (*spec.Contract, error) {
	if overlay == "" {
		return spec.Load()
	}
	data, err := os.ReadFile(overlay)
	if err != nil {
		return nil, fmt.Errorf("--overlay %s: %w", overlay, withoutPath(err))
	}
	return spec.LoadOverlaid(data, overlay)
}

// withoutPath is what is wrong with a file, without its name.
func withoutPath(err error) error {
	var e *os.PathError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}
