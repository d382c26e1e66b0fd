// SPDX-License-Identifier: Apache-2.0
// infer LIBRARY MODEL RUNS ROUTINES: ROUTINES goroutines, each with a session of its own, make RUNS runs of a model with
// input "x" and output "y" of 256 floats. Prints a checksum per goroutine.
package main

import (
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func work(model string, runs int) uint64 {
	numbers := make([]float32, 256)
	for i := range numbers {
		numbers[i] = float32(i) / 256
	}
	x, err := ort.NewTensor(ort.NewShape(256), numbers)
	must(err)
	defer x.Destroy()
	y, err := ort.NewEmptyTensor[float32](ort.NewShape(256))
	must(err)
	defer y.Destroy()
	options, err := ort.NewSessionOptions()
	must(err)
	defer options.Destroy()
	must(options.SetIntraOpNumThreads(1))
	session, err := ort.NewAdvancedSession(model, []string{"x"}, []string{"y"}, []ort.Value{x}, []ort.Value{y}, options)
	must(err)
	defer session.Destroy()
	sum := fnv.New64a()
	for i := 0; i < runs; i++ {
		must(session.Run())
		fmt.Fprint(sum, y.GetData())
	}
	return sum.Sum64()
}

func main() {
	runs, _ := strconv.Atoi(os.Args[3])
	routines, _ := strconv.Atoi(os.Args[4])
	ort.SetSharedLibraryPath(os.Args[1])
	must(ort.InitializeEnvironment())
	defer ort.DestroyEnvironment()
	sums := make([]uint64, routines)
	var group sync.WaitGroup
	for i := range sums {
		group.Add(1)
		go func() {
			defer group.Done()
			sums[i] = work(os.Args[2], runs)
		}()
	}
	group.Wait()
	for i, sum := range sums {
		fmt.Printf("%d %016x\n", i, sum)
	}
	fmt.Println("runs", runs*routines, "failed 0")
}
