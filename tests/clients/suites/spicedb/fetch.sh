#!/bin/sh
# Fetch SpiceDB with its tests, and have these use an emulator that runs, in place of a container.
set -eu

package=internal/testserver/datastore
go mod download github.com/authzed/spicedb
cp -R "$(go list -m -f '{{.Dir}}' github.com/authzed/spicedb)" spicedb
chmod -R u+w spicedb
cp emulator.go "spicedb/$package"
sed 's/testcontainers\.Run(/runEmulator(/' "spicedb/$package/spanner.go" >spanner.go
mv spanner.go "spicedb/$package"
cd spicedb
go list -mod=readonly -tags datastore -deps -test ./internal/datastore/spanner >/dev/null
