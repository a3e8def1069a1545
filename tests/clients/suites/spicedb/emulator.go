package datastore

import (
	"context"
	"net"
	"os"

	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
)

// emulator stands for a container of the emulator at SPANNER_EMULATOR_HOST.
type emulator struct {
	testcontainers.Container
	host, port string
}

// runEmulator takes the place of testcontainers.Run.
func runEmulator(
	context.Context, string, ...testcontainers.ContainerCustomizer,
) (testcontainers.Container, error) {
	host, port, err := net.SplitHostPort(os.Getenv("SPANNER_EMULATOR_HOST"))
	return &emulator{host: host, port: port}, err
}

func (e *emulator) Host(context.Context) (string, error) {
	return e.host, nil
}

func (e *emulator) MappedPort(context.Context, string) (network.Port, error) {
	return network.ParsePort(e.port)
}

func (e *emulator) Terminate(context.Context, ...testcontainers.TerminateOption) error {
	return nil
}
