// Reads and writes a PostgreSQL database through PGAdapter with pgx, PostgreSQL's driver for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type sample struct {
	ID    int64
	Name  *string
	Score float64
	Paid  string
	Seen  time.Time
	Data  []byte
	Tags  []*string
	Info  map[string]any
	Done  bool
}

func main() {
	ctx := context.Background()
	connection, err := pgx.Connect(ctx, os.Args[1])
	check(err)
	defer connection.Close(ctx)
	insert(ctx, connection)
	transact(ctx, connection)
	batch(ctx, connection)
	copyRows(ctx, connection)
	fail(ctx, connection)
}

func insert(ctx context.Context, connection *pgx.Conn) {
	name, tag := "Zoë", "a"
	seen := time.Date(2024, 1, 2, 3, 4, 5, 678901000, time.UTC)
	_, err := connection.Exec(ctx,
		`INSERT INTO samples (id, name, score, paid, seen, data, tags, info, done)
		 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		1, name, 0.1, "10.50", seen, []byte{0, 255}, []*string{&tag, nil}, map[string]any{"k": 1}, true)
	check(err)
	rows, err := connection.Query(ctx,
		"SELECT id, name, score, paid::text, seen, data, tags, info, done FROM samples WHERE id = $1", 1)
	check(err)
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[sample])
	check(err)
	fmt.Println(row.ID, *row.Name, row.Score, row.Paid, row.Seen.Equal(seen), row.Data,
		*row.Tags[0], row.Tags[1] == nil, row.Info, row.Done)
}

func transact(ctx context.Context, connection *pgx.Conn) {
	transaction, err := connection.Begin(ctx)
	check(err)
	var paid string
	update := "UPDATE samples SET paid = paid * 2 WHERE id = 1 RETURNING paid::text"
	check(transaction.QueryRow(ctx, update).Scan(&paid))
	check(transaction.Rollback(ctx))
	var after string
	check(connection.QueryRow(ctx, "SELECT paid::text FROM samples").Scan(&after))
	fmt.Println("rolled back:", paid, after)
}

func batch(ctx context.Context, connection *pgx.Conn) {
	queue := &pgx.Batch{}
	for id := 2; id < 5; id++ {
		queue.Queue("INSERT INTO samples (id, name) VALUES ($1, $2)", id, fmt.Sprint("n", id))
	}
	check(connection.SendBatch(ctx, queue).Close())
	fmt.Println("after a batch:", count(ctx, connection))
}

func copyRows(ctx context.Context, connection *pgx.Conn) {
	rows := [][]any{{int64(10), "c10"}, {int64(11), nil}}
	copied, err := connection.CopyFrom(ctx, pgx.Identifier{"samples"}, []string{"id", "name"}, pgx.CopyFromRows(rows))
	check(err)
	fmt.Println("copied:", copied, count(ctx, connection))
}

func fail(ctx context.Context, connection *pgx.Conn) {
	_, err := connection.Exec(ctx, "INSERT INTO samples (id) VALUES (1)")
	var failure *pgconn.PgError
	fmt.Println("a key again:", errors.As(err, &failure))
	var found int64
	err = connection.QueryRow(ctx, "SELECT id FROM samples WHERE id = $1", 99).Scan(&found)
	fmt.Println("no row:", errors.Is(err, pgx.ErrNoRows))
}

func count(ctx context.Context, connection *pgx.Conn) (rows int64) {
	check(connection.QueryRow(ctx, "SELECT count(*) FROM samples").Scan(&rows))
	return rows
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
