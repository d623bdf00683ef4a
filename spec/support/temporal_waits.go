// Runs the workflow of docs/how-to/let-an-engine-keep-the-time.md on Temporal's own server, the program BIDE_TEMPORAL, with
// the words of the command line, and prints how the wait has ended.
package main

import (
	"context"
	"fmt"
	"os"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
)

// A logger that says nothing.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}

// Starts the server and a worker, and makes one wait.
func run(words []string) error {
	ctx := context.Background()
	server, err := testsuite.StartDevServer(ctx, testsuite.DevServerOptions{ExistingPath: os.Getenv("BIDE_TEMPORAL"),
		LogLevel: "error", ClientOptions: &client.Options{Logger: silent{}}})
	if err != nil {
		return err
	}
	defer server.Stop()
	waits := worker.New(server.Client(), "waits", worker.Options{})
	waits.RegisterWorkflow(Wait)
	waits.RegisterActivity(Step)
	if err := waits.Start(); err != nil {
		return err
	}
	defer waits.Stop()
	made, err := server.Client().ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "waits"}, Wait, words)
	if err != nil {
		return err
	}
	var outcome map[string]any
	if err := made.Get(ctx, &outcome); err != nil {
		return err
	}
	fmt.Println(outcome["state"], outcome["attempts"])
	return nil
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
