package serve

import (
	"net"
	"os"
	"testing"
)

func TestCertifiedNames(t *testing.T) {
	_, ips := certified(&net.TCPAddr{IP: net.ParseIP("192.0.2.1")})
	names, all := certified(&net.TCPAddr{IP: net.IPv4zero})
	host, _ := os.Hostname()
	if !ips[len(ips)-1].Equal(net.ParseIP("192.0.2.1")) || names[len(names)-1] != host || len(all) < 2 {
		t.Errorf("%v %v %v", ips, names, all)
	}
}

func TestAListenerOnAllAddressesIsFoundOnTheLoopback(t *testing.T) {
	for ip, want := range map[string]string{"0.0.0.0": "127.0.0.1:80", "::": "127.0.0.1:80", "192.0.2.1": "192.0.2.1:80"} {
		if got := Reachable(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80}); got != want {
			t.Errorf("%s: %s, want %s", ip, got, want)
		}
	}
}
