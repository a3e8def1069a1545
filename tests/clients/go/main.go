// The tour of docs/tour.py with the official client for Go; prints the same lines.
package main

import (
	"context"
	"fmt"
	"log"
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
	`CREATE TABLE Singers (
	  SingerId INT64 NOT NULL, FirstName STRING(1024), LastName STRING(1024)
	) PRIMARY KEY (SingerId)`,
	`CREATE TABLE Albums (
	  SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, AlbumTitle STRING(MAX)
	) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE`,
	"CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle)",
}

var join = spanner.Statement{
	SQL: `SELECT s.LastName, COUNT(*) AS Albums
	      FROM Singers AS s JOIN Albums AS a USING (SingerId)
	      WHERE s.SingerId >= @first
	      GROUP BY s.LastName ORDER BY s.LastName`,
	Params: map[string]any{"first": 1},
}

var title = spanner.NewStatement(
	"SELECT AlbumTitle FROM Albums WHERE SingerId = 1 AND AlbumId = 1")

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
		write, read, update, cascade,
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
		CreateStatement: "CREATE DATABASE `music`",
		ExtraStatements: schema,
	})
	if err != nil {
		return err
	}
	_, err = making.Wait(ctx)
	return err
}

func write(ctx context.Context, client *spanner.Client) error {
	singers := []string{"SingerId", "FirstName", "LastName"}
	albums := []string{"SingerId", "AlbumId", "AlbumTitle"}
	_, err := client.Apply(ctx, []*spanner.Mutation{
		spanner.Insert("Singers", singers, []any{1, "Marc", "Richards"}),
		spanner.Insert("Singers", singers, []any{2, "Catalina", "Smith"}),
		spanner.Insert("Singers", singers, []any{3, "Alice", "Trentor"}),
		spanner.Insert("Albums", albums, []any{1, 1, "Total Junk"}),
		spanner.Insert("Albums", albums, []any{1, 2, "Go, Go, Go"}),
		spanner.Insert("Albums", albums, []any{2, 1, "Green"}),
	})
	return err
}

func read(ctx context.Context, client *spanner.Client) error {
	row, err := client.Single().ReadRow(
		ctx, "Singers", spanner.Key{2}, []string{"FirstName", "LastName"})
	if err != nil {
		return err
	}
	var first, last string
	if err := row.Columns(&first, &last); err != nil {
		return err
	}
	fmt.Printf("read by key: ['%s', '%s']\n", first, last)

	titles, err := texts(client.Single().ReadUsingIndex(
		ctx, "Albums", "AlbumsByTitle", spanner.AllKeys(), []string{"AlbumTitle"}))
	if err != nil {
		return err
	}
	fmt.Printf("read by index: ['%s']\n", strings.Join(titles, "', '"))

	var joined []string
	err = client.Single().Query(ctx, join).Do(func(row *spanner.Row) error {
		var albums int64
		if err := row.Columns(&last, &albums); err != nil {
			return err
		}
		joined = append(joined, fmt.Sprintf("['%s', %d]", last, albums))
		return nil
	})
	fmt.Printf("join: [%s]\n", strings.Join(joined, ", "))
	return err
}

func update(ctx context.Context, client *spanner.Client) error {
	var before time.Time
	_, err := client.ReadWriteTransaction(
		ctx, func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			now := spanner.NewStatement("SELECT CURRENT_TIMESTAMP()")
			return transaction.Query(ctx, now).Do(func(row *spanner.Row) error {
				return row.Column(0, &before)
			})
		})
	if err != nil {
		return err
	}
	var updated int64
	_, err = client.ReadWriteTransaction(
		ctx, func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			var err error
			updated, err = transaction.Update(ctx, spanner.Statement{
				SQL:    "UPDATE Albums SET AlbumTitle = UPPER(AlbumTitle) WHERE SingerId = @id",
				Params: map[string]any{"id": 1},
			})
			return err
		})
	if err != nil {
		return err
	}
	fmt.Println("rows updated:", updated)
	then, err := texts(client.Single().
		WithTimestampBound(spanner.ReadTimestamp(before)).Query(ctx, title))
	if err != nil {
		return err
	}
	fmt.Printf("title then: ['%s']\n", strings.Join(then, "', '"))
	now, err := texts(client.Single().Query(ctx, title))
	fmt.Printf("title now: ['%s']\n", strings.Join(now, "', '"))
	return err
}

func cascade(ctx context.Context, client *spanner.Client) error {
	_, err := client.Apply(
		ctx, []*spanner.Mutation{spanner.Delete("Singers", spanner.Key{1})})
	if err != nil {
		return err
	}
	var left []string
	all := spanner.NewStatement("SELECT * FROM Albums")
	err = client.Single().Query(ctx, all).Do(func(row *spanner.Row) error {
		var singer, album int64
		var name string
		if err := row.Columns(&singer, &album, &name); err != nil {
			return err
		}
		left = append(left, fmt.Sprintf("[%d, %d, '%s']", singer, album, name))
		return nil
	})
	fmt.Printf("albums after a cascade: [%s]\n", strings.Join(left, ", "))
	return err
}

// texts returns the only column of each row.
func texts(rows *spanner.RowIterator) ([]string, error) {
	var found []string
	err := rows.Do(func(row *spanner.Row) error {
		var text string
		if err := row.Column(0, &text); err != nil {
			return err
		}
		found = append(found, text)
		return nil
	})
	return found, err
}
