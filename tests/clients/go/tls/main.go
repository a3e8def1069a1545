// Writes and reads a row over TLS, with the settings of docs/how-to/tls.md.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"cloud.google.com/go/spanner"
	"google.golang.org/api/option"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, endpoint, certificate, database string) error {
	trusted, err := credentials.NewClientTLSFromFile(certificate, "")
	if err != nil {
		return err
	}
	client, err := spanner.NewClient(ctx, database,
		option.WithEndpoint(endpoint),
		option.WithoutAuthentication(),
		option.WithGRPCDialOption(grpc.WithTransportCredentials(trusted)),
	)
	if err != nil {
		return err
	}
	defer client.Close()
	row := spanner.Insert("Words", []string{"Word"}, []any{"go"})
	if _, err := client.Apply(ctx, []*spanner.Mutation{row}); err != nil {
		return err
	}
	rows := client.Single().Query(ctx, spanner.NewStatement("SELECT Word FROM Words"))
	return rows.Do(func(row *spanner.Row) error {
		var word string
		if err := row.Columns(&word); err != nil {
			return err
		}
		_, err := fmt.Println(word)
		return err
	})
}
