package spanemutest_test

import (
	"context"
	"strings"
	"testing"

	"cloud.google.com/go/spanner"

	"spanemu.test/spanemutest"
)

func quantity(ctx context.Context, reader interface {
	ReadRow(context.Context, string, spanner.Key, []string) (*spanner.Row, error)
}) (int64, error) {
	row, err := reader.ReadRow(ctx, "Stock", spanner.Key{"A"}, []string{"Quantity"})
	if err != nil {
		return 0, err
	}
	var found int64
	return found, row.Columns(&found)
}

// takeAfterALook reads in one transaction and writes in another.
func takeAfterALook(client *spanner.Client, taken int64) spanemutest.Actor {
	return func(ctx context.Context) (any, error) {
		before, err := quantity(ctx, client.Single())
		if err != nil {
			return nil, err
		}
		row := spanner.Update("Stock", []string{"Sku", "Quantity"}, []any{"A", before - taken})
		_, err = client.Apply(ctx, []*spanner.Mutation{row})
		return nil, err
	}
}

// take reads and writes in one transaction.
func take(client *spanner.Client, taken int64) spanemutest.Actor {
	return func(ctx context.Context) (any, error) {
		_, err := client.ReadWriteTransaction(ctx, func(ctx context.Context, transaction *spanner.ReadWriteTransaction) error {
			before, err := quantity(ctx, transaction)
			if err != nil {
				return err
			}
			row := spanner.Update("Stock", []string{"Sku", "Quantity"}, []any{"A", before - taken})
			return transaction.BufferWrite([]*spanner.Mutation{row})
		})
		return nil, err
	}
}

func TestOneTransactionHasNoRace(t *testing.T) {
	database.Isolate(t)
	ctx, client := connect(t, database.Name)
	add(t, ctx, client)
	explored := database.Explore(t, map[string]spanemutest.Actor{
		"ann": take(client, 1), "bob": take(client, 2),
	}, nil)
	if !explored.Complete {
		t.Errorf("%s", explored.Text)
	}
}

func TestALostUpdateIsFound(t *testing.T) {
	database.Isolate(t)
	ctx, client := connect(t, database.Name)
	add(t, ctx, client)
	found, err := database.Search(map[string]spanemutest.Actor{
		"ann": takeAfterALook(client, 1), "bob": takeAfterALook(client, 2),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Kind != "lost update" || !strings.Contains(found.Failure, `lost update of Stock("A")`) {
		t.Errorf("found %q: %s", found.Kind, found.Failure)
	}
}
