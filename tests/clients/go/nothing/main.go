// A server that does nothing: `nothing HOST:PORT` answers what the benchmark asks with the same
// replies, whatever was asked. What its calls cost is what the client, gRPC and the machine cost.
package main

import (
	"context"
	"log"
	"net"
	"os"

	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type server struct {
	spannerpb.UnimplementedSpannerServer
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	answering := grpc.NewServer()
	spannerpb.RegisterSpannerServer(answering, server{})
	log.Fatal(answering.Serve(listener))
}

func (server) CreateSession(
	_ context.Context, request *spannerpb.CreateSessionRequest,
) (*spannerpb.Session, error) {
	name := request.Database + "/sessions/one"
	return &spannerpb.Session{Name: name, Multiplexed: true, CreateTime: timestamppb.Now()}, nil
}

func (server) BeginTransaction(
	context.Context, *spannerpb.BeginTransactionRequest,
) (*spannerpb.Transaction, error) {
	return &spannerpb.Transaction{Id: []byte("transaction")}, nil
}

func (server) Commit(
	context.Context, *spannerpb.CommitRequest,
) (*spannerpb.CommitResponse, error) {
	return &spannerpb.CommitResponse{CommitTimestamp: timestamppb.Now()}, nil
}

func (server) StreamingRead(
	request *spannerpb.ReadRequest, replies spannerpb.Spanner_StreamingReadServer,
) error {
	return replies.Send(row(request.Columns, request.Transaction))
}

func (server) ExecuteStreamingSql(
	request *spannerpb.ExecuteSqlRequest, replies spannerpb.Spanner_ExecuteStreamingSqlServer,
) error {
	return replies.Send(row([]string{"Id", "Name"}, request.Transaction))
}

// ExecuteSql runs DML: queries are streamed.
func (server) ExecuteSql(
	_ context.Context, request *spannerpb.ExecuteSqlRequest,
) (*spannerpb.ResultSet, error) {
	return changedRow(request.Transaction), nil
}

func (server) ExecuteBatchDml(
	_ context.Context, request *spannerpb.ExecuteBatchDmlRequest,
) (*spannerpb.ExecuteBatchDmlResponse, error) {
	results := make([]*spannerpb.ResultSet, len(request.Statements))
	for each := range results {
		results[each] = changedRow(request.Transaction)
	}
	return &spannerpb.ExecuteBatchDmlResponse{ResultSets: results}, nil
}

// row returns a result of one row: a name in the column Name, 1 in each other column.
func row(
	columns []string, transaction *spannerpb.TransactionSelector,
) *spannerpb.PartialResultSet {
	values := make([]*structpb.Value, len(columns))
	for each, name := range columns {
		text := "1"
		if name == "Name" {
			text = "new"
		}
		values[each] = structpb.NewStringValue(text)
	}
	return &spannerpb.PartialResultSet{
		Metadata: metadata(columns, transaction), Values: values, Last: true,
	}
}

func metadata(
	columns []string, transaction *spannerpb.TransactionSelector,
) *spannerpb.ResultSetMetadata {
	fields := make([]*spannerpb.StructType_Field, len(columns))
	for each, name := range columns {
		code := spannerpb.TypeCode_INT64
		if name == "Name" {
			code = spannerpb.TypeCode_STRING
		}
		fields[each] = &spannerpb.StructType_Field{Name: name, Type: &spannerpb.Type{Code: code}}
	}
	described := &spannerpb.ResultSetMetadata{RowType: &spannerpb.StructType{Fields: fields}}
	if transaction.GetBegin() != nil {
		described.Transaction = &spannerpb.Transaction{Id: []byte("transaction")}
	}
	return described
}

// changedRow returns the result of DML that has changed one row.
func changedRow(transaction *spannerpb.TransactionSelector) *spannerpb.ResultSet {
	one := &spannerpb.ResultSetStats_RowCountExact{RowCountExact: 1}
	stats := &spannerpb.ResultSetStats{RowCount: one}
	return &spannerpb.ResultSet{Metadata: metadata(nil, transaction), Stats: stats}
}
