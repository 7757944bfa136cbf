package wire

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// environmentProxy is the proxy that HTTPS_PROXY, or HTTP_PROXY, and NO_PROXY
// name for the target; nil for none. No proxy is used for loopback addresses.
func environmentProxy(o origin) (*url.URL, error) {
	env := httpproxy.FromEnvironment()
	name, value := "HTTP_PROXY", &env.HTTPProxy
	if o.scheme == "https" {
		name, value = "HTTPS_PROXY", &env.HTTPSProxy
	}
	if o.socket != "" || *value == "" {
		return nil, nil
	}
	given := *value
	*value = "http://proxy.invalid" // httpproxy would drop what is no URL, without a word
	if via, err := env.ProxyFunc()(&url.URL{Scheme: o.scheme, Host: o.host}); via == nil || err != nil {
		return nil, err
	}
	if !strings.Contains(given, "://") {
		given = "http://" + given
	}
	via, err := url.Parse(given)
	if err == nil && via.Hostname() != "" && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, via.Scheme) {
		return via, nil
	}
	// Not the value itself: it may hold a password.
	return nil, fmt.Errorf("the variable %s is not the URL of a proxy: give one such as http://proxy.example.com:3128, or unset it", name)
}

// useProxy sends everything through a proxy, whose password is a secret.
func (c *Client) useProxy(via *url.URL) {
	c.proxy = via
	if via == nil || via.User == nil {
		return
	}
	password, _ := via.User.Password()
	c.keys.Give("proxy-password", password)
	c.keys.Give("proxy", via.User.String())
	c.keys.Give("proxy", via.User.Username()+":"+password)
}

const proxyRemedy = "put its user and password into %s, as in http://user:password@proxy.example.com:3128"

// checkTunnel gets what a proxy answers to CONNECT. Its words are not
// repeated.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	switch answer.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		return transportErrorf(Proxy, "it answered CONNECT with 407: "+proxyRemedy, "HTTPS_PROXY")
	}
	return transportErrorf(Proxy, "it answered CONNECT with %d", answer.StatusCode)
}
