// Searches with go-jmespath; cells on standard input (see ../bench.c).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jmespath/go-jmespath"
)

func round(times int, work func()) float64 {
	begin := time.Now()
	for i := 0; i < times; i++ {
		work()
	}
	return float64(time.Since(begin).Nanoseconds())
}

func measure(work func()) float64 {
	times := 1
	for round(times, work) < 2e7 {
		times *= 2
	}
	least := round(times, work)
	for i := 0; i < 8; i++ {
		if time := round(times, work); time < least {
			least = time
		}
	}
	return least / float64(times)
}

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		cell := strings.Split(scanner.Text(), "\t")
		text, err := os.ReadFile(cell[2])
		if err != nil {
			panic(err)
		}
		var document interface{}
		if err := json.Unmarshal(text, &document); err != nil {
			panic(err)
		}
		expression := jmespath.MustCompile(cell[3])
		nanoseconds := measure(func() {
			if _, err := expression.Search(document); err != nil {
				panic(err)
			}
		})
		fmt.Printf("{\"bench\":\"peer\",\"engine\":\"go-jmespath\",\"name\":\"%s\",\"bytes\":%s,\"search_ns\":%f}\n",
			cell[0], cell[1], nanoseconds)
	}
}
