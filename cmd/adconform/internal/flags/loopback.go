package flags

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// MayBeHarmed refuses a base URL of another machine that is not called the user's own: a socket
// and names whose addresses are all loopback are this one.
func (o *Options) MayBeHarmed(ctx context.Context, baseURL, what string) error {
	if o.own || strings.HasPrefix(baseURL, "unix://") {
		return nil
	}
	u, err := url.Parse(baseURL)
	if err != nil {
		return fmt.Errorf("--target: the base URL cannot be parsed")
	}
	remedy := "if it is yours to " + what + ", say so by --i-own-this-target"
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return fmt.Errorf("--target: whether %s is this machine is not known, as it has no address: %w; %s", u.Hostname(), err, remedy)
	}
	for _, address := range addresses {
		if address = address.Unmap(); !address.IsLoopback() {
			return fmt.Errorf("--target: %s (%s) is not this machine, and a %s may harm it; %s", u.Hostname(), address, what, remedy)
		}
	}
	return nil
}
