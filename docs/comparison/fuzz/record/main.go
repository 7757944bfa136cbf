// Command record is a proxy on the level of bytes that passes on what comes as it came, and
// tells which classes of unusual input the requests are of.
//
//	record HOST:PORT FILE    prints its own address; on SIGTERM it writes what it saw to FILE
//	record                   lists the classes and their members
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if len(os.Args) != 3 {
		for _, m := range members {
			fmt.Printf("%s: %s\n", m.class, m.name)
		}
		return
	}
	r, err := listen(os.Args[1])
	if err == nil {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
		fmt.Println(r.listener.Addr())
		go r.serve()
		<-stop
		err = r.write(os.Args[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}
