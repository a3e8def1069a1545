// Calls of the official client for Go, timed: `benchmark create`, or
// `benchmark [-server PID] [-work NAME] CLIENTS SECONDS`. Prints a JSON object: for each work the
// median microseconds of a call, calls a second, and the microseconds of processor time that a call
// took this process and the server.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
	"google.golang.org/grpc/codes"
)

const (
	projectName  = "projects/bench"
	instanceName = projectName + "/instances/golang"
	databaseName = instanceName + "/databases/users"
	rows         = 1000
	warmUpCalls  = 30
	batchSize    = 10

	table          = `CREATE TABLE Users (
	  Id INT64 NOT NULL, Name STRING(100), Age INT64
	) PRIMARY KEY (Id)`
)

var (
	columns = []string{"Id", "Name", "Age"}
	nextID  atomic.Int64
)

type work struct {
	name string
	call func(context.Context, *spanner.Client) error
}

var works = []work{
	{"insert", insert},
	{"SELECT by key", selectByKey},
	{"read by key", readByKey},
	{"Begin + Commit", beginAndCommit},
	{"read-modify-write", readModifyWrite},
	{"one DML", oneDML},
	{"batch DML", batchDML},
	{"100 MB", stream},
}

// What is measured only if it is named.
var onRequest = []string{"100 MB"}

var (
	server = flag.Int("server", 0, "the process whose processor time is measured")
	only   = flag.String("work", "", "the only work to measure")
)

func main() {
	flag.Parse()
	ctx := context.Background()
	var err error
	if flag.Arg(0) == "create" {
		err = create(ctx)
	} else {
		err = measure(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func connect(ctx context.Context) (*spanner.Client, error) {
	config := spanner.ClientConfig{DisableNativeMetrics: true}
	return spanner.NewClientWithConfig(ctx, databaseName, config)
}

func measure(ctx context.Context) error {
	clients, err := strconv.Atoi(flag.Arg(0))
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseFloat(flag.Arg(1), 64)
	if err != nil {
		return err
	}
	nextID.Store(time.Now().UnixNano())
	client, err := connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	found := map[string]map[string]float64{}
	for _, each := range works {
		isAlone, calls := slices.Contains(onRequest, each.name), warmUpCalls
		if each.name != *only && (*only != "" || isAlone) {
			continue
		}
		if isAlone {
			calls = 0
		}
		for range calls {
			if err := each.call(ctx, client); err != nil {
				return err
			}
		}
		found[each.name] = turn(ctx, client, each, clients, seconds)
	}
	return json.NewEncoder(os.Stdout).Encode(found)
}

func turn(
	ctx context.Context, client *spanner.Client, each work, clients int, seconds float64,
) map[string]float64 {
	var (
		mutex sync.Mutex
		group sync.WaitGroup
		all   []time.Duration
	)
	ownBefore, serverBefore := processorSeconds(os.Getpid()), processorSeconds(*server)
	began := time.Now()
	until := began.Add(time.Duration(seconds * float64(time.Second)))
	for range clients {
		group.Go(func() {
			var taken []time.Duration
			for time.Now().Before(until) {
				before := time.Now()
				err := each.call(ctx, client)
				switch spanner.ErrCode(err) {
				case codes.FailedPrecondition, codes.NotFound:
					continue // Google's emulator, in the multiplexed session of several clients
				}
				if err != nil {
					log.Fatal(err)
				}
				taken = append(taken, time.Since(before))
			}
			mutex.Lock()
			defer mutex.Unlock()
			all = append(all, taken...)
		})
	}
	group.Wait()
	calls := float64(len(all))
	taken := time.Since(began).Seconds()
	own := processorSeconds(os.Getpid()) - ownBefore
	served := processorSeconds(*server) - serverBefore
	slices.Sort(all)
	return map[string]float64{
		"microseconds": float64(all[len(all)/2].Nanoseconds()) / 1e3,
		"calls":        calls / taken,
		"client":       own / calls * 1e6,
		"server":       served / calls * 1e6,
	}
}

func insert(ctx context.Context, client *spanner.Client) error {
	row := spanner.Insert("Users", columns, []any{nextID.Add(1), "new", 1})
	_, err := client.Apply(ctx, []*spanner.Mutation{row}, spanner.ApplyAtLeastOnce())
	return err
}

func selectByKey(ctx context.Context, client *spanner.Client) error {
	rowsOf := client.Single().Query(ctx, spanner.Statement{
		SQL:    "SELECT Id, Name FROM Users WHERE Id = @id",
		Params: map[string]any{"id": nextID.Add(1) % rows},
	})
	return rowsOf.Do(func(*spanner.Row) error { return nil })
}

func readByKey(ctx context.Context, client *spanner.Client) error {
	key := spanner.Key{nextID.Add(1) % rows}
	_, err := client.Single().ReadRow(ctx, "Users", key, []string{"Id", "Name"})
	return err
}

func beginAndCommit(ctx context.Context, client *spanner.Client) error {
	row := spanner.Insert("Users", columns, []any{nextID.Add(1), "new", 1})
	_, err := client.Apply(ctx, []*spanner.Mutation{row})
	return err
}

func readModifyWrite(ctx context.Context, client *spanner.Client) error {
	id := nextID.Add(1) % rows
	_, err := client.ReadWriteTransaction(ctx,
		func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			row, err := transaction.ReadRow(ctx, "Users", spanner.Key{id}, []string{"Age"})
			if err != nil {
				return err
			}
			var age spanner.NullInt64
			if err := row.Column(0, &age); err != nil {
				return err
			}
			change := spanner.Update("Users", []string{"Id", "Age"}, []any{id, age.Int64 + 1})
			return transaction.BufferWrite([]*spanner.Mutation{change})
		})
	return err
}

func birthday() spanner.Statement {
	return spanner.Statement{
		SQL:    "UPDATE Users SET Age = Age + 1 WHERE Id = @id",
		Params: map[string]any{"id": nextID.Add(1) % rows},
	}
}

func oneDML(ctx context.Context, client *spanner.Client) error {
	_, err := client.ReadWriteTransaction(ctx,
		func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			_, err := transaction.Update(ctx, birthday())
			return err
		})
	return err
}

func batchDML(ctx context.Context, client *spanner.Client) error {
	_, err := client.ReadWriteTransaction(ctx,
		func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			statements := make([]spanner.Statement, batchSize)
			for each := range statements {
				statements[each] = birthday()
			}
			_, err := transaction.BatchUpdate(ctx, statements)
			return err
		})
	return err
}

func stream(ctx context.Context, client *spanner.Client) error {
	rowsOf := client.Single().Query(ctx, spanner.NewStatement(
		"SELECT REPEAT('x', 500000) FROM UNNEST(GENERATE_ARRAY(1, 200))"))
	return rowsOf.Do(func(*spanner.Row) error { return nil })
}

func create(ctx context.Context) error {
	instances, err := instance.NewInstanceAdminClient(ctx)
	if err != nil {
		return err
	}
	defer instances.Close()
	databases, err := database.NewDatabaseAdminClient(ctx)
	if err != nil {
		return err
	}
	defer databases.Close()
	listing := &instancepb.ListInstanceConfigsRequest{Parent: projectName}
	config, err := instances.ListInstanceConfigs(ctx, listing).Next()
	if err != nil {
		return err
	}
	creation, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{
		Parent:     projectName,
		InstanceId: "golang",
		Instance:   &instancepb.Instance{Config: config.Name, DisplayName: "go", NodeCount: 1},
	})
	if err != nil {
		return err
	}
	if _, err := creation.Wait(ctx); err != nil {
		return err
	}
	making, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{
		Parent:          instanceName,
		CreateStatement: "CREATE DATABASE users",
		ExtraStatements: []string{table},
	})
	if err != nil {
		return err
	}
	if _, err := making.Wait(ctx); err != nil {
		return err
	}
	client, err := connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	var users []*spanner.Mutation
	for id := range rows {
		users = append(users, spanner.Insert("Users", columns, []any{id, fmt.Sprint("user ", id), 1}))
	}
	_, err = client.Apply(ctx, users)
	return err
}
