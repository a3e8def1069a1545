// Package spanemutest gives tests in Go a database of spanemu, with the same content for each test.
//
//	func TestMain(m *testing.M) {
//		emulator, err := spanemutest.Open()
//		...
//		database, err = emulator.Create(schema...)
//		code := m.Run()
//		emulator.Close()
//		os.Exit(code)
//	}
//
//	func TestOrders(t *testing.T) {
//		database.Isolate(t)
//		...
//	}
//
// The emulator at SPANNER_EMULATOR_HOST and SPANNER_EMULATOR_REST_HOST is used if these are set;
// otherwise Open starts the command in SPANEMU, by default "spanemu". Copy this file into your
// module; it needs the standard library only. explore.go, beside it, finds races between functions.
package spanemutest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	project  = "projects/test"
	instance = project + "/instances/test"
	startMax = 60 * time.Second
	callMax  = 30 * time.Second
)

// An Emulator was found or started by Open.
type Emulator struct {
	Host    string // HOST:PORT, the value of SPANNER_EMULATOR_HOST
	rest    string
	process *exec.Cmd
	stdin   io.Closer
	count   atomic.Int64
}

// A Database of an emulator.
type Database struct {
	Name     string // projects/P/instances/I/databases/D
	emulator *Emulator
}

// A Fault strikes requests until the end of its test.
type Fault struct {
	Number int
	Fired  int // the number of requests that it had struck when the fault was read
}

// Open finds or starts an emulator, and sets SPANNER_EMULATOR_HOST for the clients of this process.
func Open() (*Emulator, error) {
	if host := os.Getenv("SPANNER_EMULATOR_HOST"); host != "" {
		colon := strings.LastIndex(host, ":")
		if colon < 0 {
			return nil, fmt.Errorf("SPANNER_EMULATOR_HOST=%s is not HOST:PORT", host)
		}
		rest := os.Getenv("SPANNER_EMULATOR_REST_HOST")
		if rest == "" {
			rest = host[:colon] + ":9020"
		}
		if !strings.Contains(rest, "://") {
			rest = "http://" + rest
		}
		return &Emulator{Host: host, rest: rest}, nil
	}
	emulator, err := start()
	if err == nil {
		err = os.Setenv("SPANNER_EMULATOR_HOST", emulator.Host)
	}
	return emulator, err
}

func start() (*Emulator, error) {
	command := "spanemu"
	if given := os.Getenv("SPANEMU"); given != "" {
		command = given
	}
	directory, err := os.MkdirTemp("", "spanemu")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(directory)
	file := filepath.Join(directory, "endpoint.json")
	arguments := append(strings.Fields(command), "serve", "--host-port", "127.0.0.1:0",
		"--endpoint-file", file, "--stop-on-stdin-end")
	process := exec.Command(arguments[0], arguments[1:]...)
	process.Stderr = os.Stderr
	stdin, err := process.StdinPipe() // The emulator ends with this process, even after a crash.
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w; the variable SPANEMU names the command, "+
			"such as .venv/bin/spanemu", arguments[0], err)
	}
	emulator := &Emulator{process: process, stdin: stdin}
	var endpoint struct {
		URI     string `json:"uri"`
		RestURI string `json:"rest_uri"`
	}
	for deadline := time.Now().Add(startMax); time.Now().Before(deadline); {
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &endpoint) == nil {
			emulator.Host, emulator.rest = endpoint.URI, endpoint.RestURI
			return emulator, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	emulator.Close()
	return nil, fmt.Errorf("no answer from %s", strings.Join(arguments, " "))
}

// Close ends the emulator if Open started it.
func (e *Emulator) Close() {
	if e.process != nil {
		e.stdin.Close()
		_ = e.process.Wait()
	}
}

// Create creates a database with the schema of some DDL statements.
func (e *Emulator) Create(schema ...string) (*Database, error) {
	config := project + "/instanceConfigs/emulator-config"
	created := map[string]any{"config": config, "displayName": "test", "nodeCount": 1}
	request := map[string]any{"instanceId": "test", "instance": created}
	if err := e.call("POST", "/v1/"+project+"/instances", request, nil); err != nil {
		if err := e.call("GET", "/v1/"+instance, nil, nil); err != nil {
			return nil, err
		}
	}
	id := e.newID()
	var operation struct {
		Name  string
		Done  bool
		Error *struct{ Message string }
	}
	request = map[string]any{"createStatement": "CREATE DATABASE `" + id + "`", "extraStatements": schema}
	err := e.call("POST", "/v1/"+instance+"/databases", request, &operation)
	for err == nil && !operation.Done {
		err = e.call("GET", "/v1/"+operation.Name, nil, &operation)
	}
	if err == nil && operation.Error != nil {
		err = fmt.Errorf("%s", operation.Error.Message)
	}
	return &Database{Name: instance + "/databases/" + id, emulator: e}, err
}

func (e *Emulator) newID() string {
	return fmt.Sprintf("test-%d-%d", os.Getpid(), e.count.Add(1))
}

// Control performs a control operation below /spanemu/v1/; docs/reference/control-operations.md lists them.
func (e *Emulator) Control(method, path string, arguments, reply any) error {
	return e.call(method, "/spanemu/v1/"+path, arguments, reply)
}

// Isolate restores the database at the end of a test. Tests with it must not run in parallel.
func (d *Database) Isolate(tb testing.TB) {
	tb.Helper()
	var kept struct {
		Snapshot string `json:"snapshot"`
	}
	d.must(tb, "POST", d.Name+":snapshot", nil, &kept)
	tb.Cleanup(func() {
		d.must(tb, "POST", d.Name+":restore", kept, nil)
		d.must(tb, "POST", d.Name+":forget", kept, nil)
	})
}

// Clone returns a copy of the database for one test, which may run in parallel with others.
func (d *Database) Clone(tb testing.TB) *Database {
	tb.Helper()
	var reply struct{ Database string }
	d.must(tb, "POST", d.Name+":clone", map[string]any{"name": d.emulator.newID()}, &reply)
	clone := &Database{Name: reply.Database, emulator: d.emulator}
	tb.Cleanup(func() {
		if err := d.emulator.call("DELETE", "/v1/"+clone.Name, nil, nil); err != nil {
			tb.Error(err)
		}
	})
	return clone
}

// Fault installs a fault in this database until the end of a test, such as "abort" with the
// argument "rpc", and returns a function that reads the fault.
func (d *Database) Fault(tb testing.TB, verb string, arguments map[string]any) func() Fault {
	tb.Helper()
	chosen := map[string]any{"database": d.Name}
	for name, value := range arguments {
		chosen[name] = value
	}
	var state struct{ Fault, Fired int }
	d.must(tb, "POST", "faults", map[string]any{"verb": verb, "arguments": chosen}, &state)
	path := fmt.Sprintf("faults/%d", state.Fault)
	tb.Cleanup(func() { d.must(tb, "DELETE", path, nil, nil) })
	return func() Fault {
		tb.Helper()
		d.must(tb, "GET", path, nil, &state)
		return Fault{Number: state.Fault, Fired: state.Fired}
	}
}

func (d *Database) must(tb testing.TB, method, path string, arguments, reply any) {
	tb.Helper()
	if err := d.emulator.Control(method, path, arguments, reply); err != nil {
		tb.Fatal(err)
	}
}

func (e *Emulator) call(method, path string, content, reply any) error {
	var body io.Reader
	if content != nil {
		data, err := json.Marshal(content)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, e.rest+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: callMax}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, data)
	}
	if reply == nil {
		return nil
	}
	return json.Unmarshal(data, reply)
}
