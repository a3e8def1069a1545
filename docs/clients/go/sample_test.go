package spanemutest_test

import (
	"context"
	"log"
	"os"
	"testing"
	"time"

	"cloud.google.com/go/spanner"

	"spanemu.test/spanemutest"
)

var database *spanemutest.Database

func TestMain(m *testing.M) {
	emulator, err := spanemutest.Open()
	if err != nil {
		log.Fatal(err)
	}
	database, err = emulator.Create(
		"CREATE TABLE Stock (Sku STRING(10) NOT NULL, Quantity INT64) PRIMARY KEY (Sku)")
	if err != nil {
		log.Fatal(err)
	}
	code := m.Run()
	emulator.Close()
	os.Exit(code)
}

func connect(t *testing.T, name string) (context.Context, *spanner.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	client, err := spanner.NewClient(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return ctx, client
}

// add inserts the row A, which must not exist yet.
func add(t *testing.T, ctx context.Context, client *spanner.Client) {
	t.Helper()
	row := spanner.Insert("Stock", []string{"Sku", "Quantity"}, []any{"A", 10})
	if _, err := client.Apply(ctx, []*spanner.Mutation{row}); err != nil {
		t.Fatal(err)
	}
}

func TestEachTestBeginsWithTheSameRows(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			database.Isolate(t)
			ctx, client := connect(t, database.Name)
			add(t, ctx, client)
		})
	}
}

func TestClonesServeParallelTests(t *testing.T) {
	for _, name := range []string{"first", "second"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, client := connect(t, database.Clone(t).Name)
			add(t, ctx, client)
		})
	}
}

func TestAnAbortedCommitIsRepeated(t *testing.T) {
	database.Isolate(t)
	ctx, client := connect(t, database.Name)
	aborted := database.Fault(t, "abort", map[string]any{"rpc": "Commit"})
	add(t, ctx, client)
	if fired := aborted().Fired; fired != 1 {
		t.Errorf("the fault struck %d requests", fired)
	}
}
