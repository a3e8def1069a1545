// The tour of docs/postgresql_tour.py with the official client for Go; prints the same lines.
package main

import (
	"context"
	"fmt"
	"log"
	"sort"
	"strings"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
)

const (
	projectName  = "projects/tour"
	instanceName = projectName + "/instances/golang"
	databaseName = instanceName + "/databases/music"
)

var schema = []string{
	`CREATE TABLE singers (
	  singer_id bigint PRIMARY KEY, name character varying(100), paid numeric, info jsonb
	)`,
	`CREATE TABLE albums (
	  singer_id bigint, album_id bigint, title text, PRIMARY KEY (singer_id, album_id)
	) INTERLEAVE IN PARENT singers ON DELETE CASCADE`,
	"CREATE INDEX singers_by_name ON singers (name)",
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	// All of these find SPANNER_EMULATOR_HOST by themselves.
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
	if err := create(ctx, instances, databases); err != nil {
		return err
	}
	client, err := spanner.NewClient(ctx, databaseName)
	if err != nil {
		return err
	}
	defer client.Close()
	for _, step := range []func(context.Context, *spanner.Client) error{
		write, read, query, update, cascade,
	} {
		if err := step(ctx, client); err != nil {
			return err
		}
	}
	dropping := &databasepb.DropDatabaseRequest{Database: databaseName}
	if err := databases.DropDatabase(ctx, dropping); err != nil {
		return err
	}
	return instances.DeleteInstance(ctx, &instancepb.DeleteInstanceRequest{Name: instanceName})
}

func create(
	ctx context.Context,
	instances *instance.InstanceAdminClient,
	databases *database.DatabaseAdminClient,
) error {
	listing := &instancepb.ListInstanceConfigsRequest{Parent: projectName}
	config, err := instances.ListInstanceConfigs(ctx, listing).Next()
	if err != nil {
		return err
	}
	creation, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{
		Parent:     projectName,
		InstanceId: "golang",
		Instance:   &instancepb.Instance{Config: config.Name, DisplayName: "tour", NodeCount: 1},
	})
	if err != nil {
		return err
	}
	if _, err := creation.Wait(ctx); err != nil {
		return err
	}
	making, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{
		Parent:          instanceName,
		CreateStatement: `CREATE DATABASE "music"`,
		DatabaseDialect: databasepb.DatabaseDialect_POSTGRESQL,
	})
	if err != nil {
		return err
	}
	if _, err = making.Wait(ctx); err != nil {
		return err
	}
	changing, err := databases.UpdateDatabaseDdl(ctx, &databasepb.UpdateDatabaseDdlRequest{
		Database:   databaseName,
		Statements: schema,
	})
	if err != nil {
		return err
	}
	return changing.Wait(ctx)
}

func write(ctx context.Context, client *spanner.Client) error {
	singers := []string{"singer_id", "name", "paid", "info"}
	albums := []string{"singer_id", "album_id", "title"}
	info := spanner.PGJsonB{Value: map[string]any{"aa": 2, "b": 1}, Valid: true}
	none := spanner.PGJsonB{}
	_, err := client.Apply(ctx, []*spanner.Mutation{
		spanner.Insert("singers", singers, []any{1, "Marc", numeric("10.50"), info}),
		spanner.Insert("singers", singers, []any{2, nil, numeric("NaN"), none}),
		spanner.Insert("singers", singers, []any{3, "Alice", numeric("0.1"), none}),
		spanner.Insert("albums", albums, []any{1, 1, "Total Junk"}),
		spanner.Insert("albums", albums, []any{1, 2, "Go, Go, Go"}),
		spanner.Insert("albums", albums, []any{3, 1, "Green"}),
	})
	return err
}

func read(ctx context.Context, client *spanner.Client) error {
	row, err := client.Single().ReadRow(
		ctx, "singers", spanner.Key{1}, []string{"name", "paid"})
	if err != nil {
		return err
	}
	var name string
	var paid spanner.PGNumeric
	if err := row.Columns(&name, &paid); err != nil {
		return err
	}
	fmt.Println("read by key:", name, paid.Numeric)

	var names []string
	err = client.Single().ReadUsingIndex(
		ctx, "singers", "singers_by_name", spanner.AllKeys(), []string{"name"},
	).Do(func(row *spanner.Row) error {
		var name spanner.NullString
		err := row.Columns(&name)
		if name.Valid {
			names = append(names, name.StringVal)
		} else {
			names = append(names, "NULL")
		}
		return err
	})
	fmt.Println("read by index:", strings.Join(names, " "))
	return err
}

func query(ctx context.Context, client *spanner.Client) error {
	jsonb := spanner.Statement{
		SQL:    "SELECT info->>'aa', info::text FROM singers WHERE singer_id = $1",
		Params: map[string]any{"p1": 1},
	}
	err := client.Single().Query(ctx, jsonb).Do(func(row *spanner.Row) error {
		var item, text string
		err := row.Columns(&item, &text)
		fmt.Println("jsonb:", item, text)
		return err
	})
	if err != nil {
		return err
	}
	sums := spanner.Statement{
		SQL:    "SELECT name, paid + $1 FROM singers WHERE paid < $2 ORDER BY name DESC",
		Params: map[string]any{"p1": numeric("0.005"), "p2": numeric("11")},
	}
	var found []string
	err = client.Single().Query(ctx, sums).Do(func(row *spanner.Row) error {
		var name string
		var sum spanner.PGNumeric
		err := row.Columns(&name, &sum)
		found = append(found, name+" "+sum.Numeric)
		return err
	})
	fmt.Println("numeric:", strings.Join(found, "; "))
	return err
}

func update(ctx context.Context, client *spanner.Client) error {
	statement := spanner.Statement{
		SQL:    "UPDATE albums SET title = upper(title) WHERE singer_id = $1 RETURNING title",
		Params: map[string]any{"p1": 1},
	}
	var titles []string
	_, err := client.ReadWriteTransaction(
		ctx, func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			titles = nil
			return transaction.Query(ctx, statement).Do(func(row *spanner.Row) error {
				var title string
				err := row.Columns(&title)
				titles = append(titles, title)
				return err
			})
		})
	sort.Strings(titles)
	fmt.Println("returned:", strings.Join(titles, "; "))
	return err
}

func cascade(ctx context.Context, client *spanner.Client) error {
	_, err := client.Apply(
		ctx, []*spanner.Mutation{spanner.Delete("singers", spanner.Key{1})})
	if err != nil {
		return err
	}
	all := spanner.NewStatement("SELECT * FROM albums")
	return client.Single().Query(ctx, all).Do(func(row *spanner.Row) error {
		var singer, album int64
		var title string
		err := row.Columns(&singer, &album, &title)
		fmt.Println("albums after a cascade:", singer, album, title)
		return err
	})
}

func numeric(text string) spanner.PGNumeric {
	return spanner.PGNumeric{Numeric: text, Valid: true}
}
