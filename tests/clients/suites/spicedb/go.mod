module spanemu.test/clients/spicedb

go 1.26.6

require github.com/authzed/spicedb v1.56.2
