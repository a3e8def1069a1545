package spanemutest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"testing"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// An Actor is a function under test. It passes its context to each call of the Spanner client, and
// returns a result that JSON can hold. It starts no goroutines of its own.
type Actor func(ctx context.Context) (any, error)

// Explored says what an exploration has found.
type Explored struct {
	Failure  string   // the report of a failure, "" for none
	Kind     string   // the name of the failure, such as "lost update"
	Schedule string   // the order of requests that repeats the failure
	Text     string   // how much was explored, such as "explored 36, complete"
	Complete bool     // no schedule was left by the budget
	Warnings []string // what the result does not mean
}

type nextRun struct {
	Run                           int
	Actors                        []string
	Verdict, Text, Kind, Schedule string
	Complete                      bool
	Warnings                      []string
}

// Explore runs functions in every order of their requests that matters, with aborted commits and
// lost responses, and fails the test at the first outcome that no serial order of the functions
// has. The options are those of the control operation StartExploration, such as
// {"preemptions": 1}; {"schedule": "ABBA"} repeats one order, in which A is the first function by
// name.
//
// This file needs google.golang.org/grpc, which the Spanner client brings.
func (d *Database) Explore(tb testing.TB, actors map[string]Actor, options map[string]any) Explored {
	tb.Helper()
	explored, err := d.Search(actors, options)
	if err != nil {
		tb.Fatal(err)
	}
	if explored.Failure != "" {
		tb.Fatal("\n" + explored.Failure)
	}
	return explored
}

// Search explores like Explore, and returns what it has found.
func (d *Database) Search(actors map[string]Actor, options map[string]any) (Explored, error) {
	request := map[string]any{"actors": slices.Sorted(maps.Keys(actors))}
	maps.Copy(request, options)
	var started struct{ Exploration string }
	if err := d.emulator.Control("POST", d.Name+"/explorations", request, &started); err != nil {
		return Explored{}, err
	}
	path := "explorations/" + started.Exploration
	defer d.emulator.Control("POST", path+":stop", nil, nil)
	for {
		var next nextRun
		if err := d.emulator.Control("POST", path+":next", nil, &next); err != nil {
			return Explored{}, err
		}
		explored := Explored{"", next.Kind, next.Schedule, next.Text, next.Complete, next.Warnings}
		switch next.Verdict {
		case "passed":
			return explored, nil
		case "failed":
			explored.Failure, explored.Text = next.Text, ""
			return explored, nil
		}
		if err := d.run(path, next.Actors, actors); err != nil {
			return Explored{}, err
		}
	}
}

// run runs the functions of one run to their ends, each on a goroutine.
func (d *Database) run(path string, names []string, actors map[string]Actor) error {
	var group sync.WaitGroup
	failures := make(chan error, len(names))
	for _, name := range names {
		group.Go(func() {
			end := map[string]any{"error": "Unended", "message": "the function has not returned"}
			defer func() {
				call := path + "/actors/" + url.PathEscape(name) + ":done"
				failures <- d.emulator.Control("POST", call, end, nil)
			}()
			ctx, cancel := context.WithTimeout(context.Background(), callMax)
			defer cancel()
			ctx = metadata.AppendToOutgoingContext(ctx, "x-spanemu-actor", name)
			result, err := actors[name](ctx)
			if err != nil {
				code := status.Code(err).String()
				end = map[string]any{"error": code, "message": err.Error()}
				return
			}
			end = map[string]any{"result": result}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			return fmt.Errorf("a run of an exploration: %w", err)
		}
	}
	return nil
}
