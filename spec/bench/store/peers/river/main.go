// Has River do jobs that do nothing, and prints a JSON object: their number and the seconds that they took.
//
//	river DSN JOBS
//
// As its own benchmark, `river bench`, has it: 2,000 workers, fetches 2 ms apart, and completions in batches, which is what
// its client does by itself. The seconds are those until it says of the last job that its table has the completion.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

type nothing struct{}

func (nothing) Kind() string { return "nothing" }

type worker struct {
	river.WorkerDefaults[nothing]
}

func (worker) Work(context.Context, *river.Job[nothing]) error { return nil }

func check(failure error) {
	if failure != nil {
		fmt.Fprintln(os.Stderr, failure)
		os.Exit(1)
	}
}

func newClient(pool *pgxpool.Pool) *river.Client[pgx.Tx] {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{})
	client, failure := river.NewClient(riverpgxv5.New(pool), &river.Config{
		FetchCooldown:     2 * time.Millisecond,
		FetchPollInterval: 20 * time.Millisecond,
		Logger:            slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Queues:            map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2000}},
		Workers:           workers,
	})
	check(failure)
	return client
}

func insert(ctx context.Context, client *river.Client[pgx.Tx], jobs int) {
	for first := 0; first < jobs; first += 5000 {
		batch := make([]river.InsertManyParams, min(5000, jobs-first))
		for position := range batch {
			batch[position].Args = nothing{}
		}
		_, failure := client.InsertManyFast(ctx, batch)
		check(failure)
	}
}

func main() {
	ctx := context.Background()
	jobs, failure := strconv.Atoi(os.Args[2])
	check(failure)
	pool, failure := pgxpool.New(ctx, os.Args[1])
	check(failure)
	migrator, failure := rivermigrate.New(riverpgxv5.New(pool), nil)
	check(failure)
	_, failure = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	check(failure)
	_, failure = pool.Exec(ctx, "TRUNCATE river_job")
	check(failure)
	client := newClient(pool)
	insert(ctx, client, jobs)
	_, failure = pool.Exec(ctx, "ANALYZE river_job")
	check(failure)

	completed, cancel := client.SubscribeConfig(&river.SubscribeConfig{
		ChanSize: jobs, Kinds: []river.EventKind{river.EventKindJobCompleted},
	})
	defer cancel()
	began := time.Now()
	check(client.Start(ctx))
	for left := jobs; left > 0; left-- {
		<-completed
	}
	seconds := time.Since(began).Seconds()
	fmt.Printf("{\"attempts\":%d,\"seconds\":%.6f}\n", jobs, seconds)
	os.Exit(0)
}
