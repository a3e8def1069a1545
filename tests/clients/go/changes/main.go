// Prints the changes of a change stream, read by an open-source reader, one line each.
//
//	changes PROJECT INSTANCE DATABASE STREAM START END
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"sync"
	"time"

	"github.com/cloudspannerecosystem/spanner-change-streams-tail/changestreams"
)

// A line of the output.
type change struct {
	Table           string `json:"table"`
	ModType         string `json:"mod_type"`
	CommitTimestamp string `json:"commit_timestamp"`
	RecordSequence  string `json:"record_sequence"`
	Keys            any    `json:"keys"`
	NewValues       any    `json:"new_values"`
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, args []string) error {
	start, err := time.Parse(time.RFC3339Nano, args[4])
	if err != nil {
		return err
	}
	end, err := time.Parse(time.RFC3339Nano, args[5])
	if err != nil {
		return err
	}
	reader, err := changestreams.NewReaderWithConfig(ctx, args[0], args[1], args[2], args[3],
		changestreams.Config{
			StartTimestamp:    start,
			EndTimestamp:      end,
			HeartbeatInterval: time.Second,
		})
	if err != nil {
		return err
	}
	defer reader.Close()

	var mutex sync.Mutex // The reader calls the function from several goroutines.
	lines := json.NewEncoder(os.Stdout)
	return reader.Read(ctx, func(result *changestreams.ReadResult) error {
		mutex.Lock()
		defer mutex.Unlock()
		for _, each := range result.ChangeRecords {
			for _, record := range each.DataChangeRecords {
				for _, mod := range record.Mods {
					if err := lines.Encode(change{
						Table:           record.TableName,
						ModType:         record.ModType,
						CommitTimestamp: record.CommitTimestamp.UTC().Format(time.RFC3339Nano),
						RecordSequence:  record.RecordSequence,
						Keys:            mod.Keys.Value,
						NewValues:       mod.NewValues.Value,
					}); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}
