// What a fleet of goroutines takes that sleeps: each in a retry loop, with its request
// and its timer. Prints one JSON object.
//
//	goroutines COUNT
package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

func resident() int64 {
	var size, pages int64
	file, err := os.Open("/proc/self/statm")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	fmt.Fscan(file, &size, &pages)
	return pages * int64(os.Getpagesize())
}

// Sleeps, asks, and sleeps again, until the answer is what is waited for.
func wait(request *http.Request, delay time.Duration, asleep *sync.WaitGroup) {
	timer := time.NewTimer(delay)
	asleep.Done()
	for {
		<-timer.C
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		timer.Reset(delay)
	}
}

func main() {
	count, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	before := resident()
	began := time.Now()
	var asleep sync.WaitGroup
	asleep.Add(count)
	for i := 0; i < count; i++ {
		request, err := http.NewRequest("GET", fmt.Sprintf("http://localhost/things/thing-%06d", i), nil)
		if err != nil {
			panic(err)
		}
		go wait(request, time.Hour, &asleep)
	}
	asleep.Wait()
	started := time.Since(began).Seconds()
	debug.FreeOSMemory() // what merely has been garbage is not held against it
	fmt.Printf("{\"start\":%f,\"asleep\":%f}\n", started, float64(resident()-before)/float64(count))
}
