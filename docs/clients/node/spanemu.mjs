// A database of spanemu for tests in Node, with the same content before each test.
//
//   import { afterAll, afterEach, beforeAll } from 'vitest';   // or the globals of Jest
//   import { isolated } from './spanemu.mjs';
//   const database = isolated({ beforeAll, afterEach, afterAll }, { schema: ['CREATE TABLE ...'] });
//   test('...', async () => {
//     const spanner = new Spanner({ projectId: database.projectId });
//     const client = spanner.instance(database.instanceId).database(database.id);
//     ...
//   });
//
// The emulator at SPANNER_EMULATOR_HOST and SPANNER_EMULATOR_REST_HOST is used if these are set;
// otherwise the command in SPANEMU, by default "spanemu", is started. Copy this file into your
// project; it needs Node 20 and no package.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MILLISECONDS_MAX = 60_000;
const CALL_MILLISECONDS_MAX = 30_000;
const PROJECT = 'projects/test';
const INSTANCE = `${PROJECT}/instances/test`;

/** An emulator that was found or started. */
export class Emulator {
  #rest;
  #process;

  constructor(host, rest, child = null) {
    this.host = host; // HOST:PORT, the value of SPANNER_EMULATOR_HOST
    this.#rest = rest.includes('://') ? rest : `http://${rest}`;
    this.#process = child;
  }

  /** Finds or starts an emulator, and sets SPANNER_EMULATOR_HOST for the clients of this process. */
  static async open() {
    const host = process.env.SPANNER_EMULATOR_HOST;
    if (host) {
      if (!/:\d+$/.test(host)) throw new Error(`SPANNER_EMULATOR_HOST=${host} is not HOST:PORT`);
      const rest = process.env.SPANNER_EMULATOR_REST_HOST;
      return new Emulator(host, rest || host.replace(/:\d+$/, ':9020'));
    }
    const emulator = await start();
    process.env.SPANNER_EMULATOR_HOST = emulator.host;
    return emulator;
  }

  /** Ends the emulator if it was started here. */
  async close() {
    if (!this.#process || this.#process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    delete process.env.SPANNER_EMULATOR_HOST;
    this.#process.stdin.end();
    await Promise.race([ended, sleep(5_000, null, { ref: false })]);
    this.#process.kill();
  }

  /** Creates a database with the schema of some DDL statements. */
  async create(schema = []) {
    const config = `${PROJECT}/instanceConfigs/emulator-config`;
    const instance = { config, displayName: 'test', nodeCount: 1 };
    try {
      await this.call('POST', `/v1/${PROJECT}/instances`, { instanceId: 'test', instance });
    } catch (error) {
      if (error.status !== 'ALREADY_EXISTS') throw error;
    }
    const id = newId();
    let operation = await this.call('POST', `/v1/${INSTANCE}/databases`, {
      createStatement: `CREATE DATABASE \`${id}\``,
      extraStatements: schema,
    });
    while (!operation.done) operation = await this.call('GET', `/v1/${operation.name}`);
    if (operation.error) throw new Error(operation.error.message);
    return new Database(this, `${INSTANCE}/databases/${id}`);
  }

  /** Performs a control operation below /spanemu/v1/; docs/reference/control-operations.md lists them. */
  control(method, path, content) {
    return this.call(method, `/spanemu/v1/${path}`, content);
  }

  /** Sends a request; fails with the message, and the status such as "NOT_FOUND". */
  async call(method, path, content) {
    const response = await fetch(`${this.#rest}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: content === undefined ? undefined : JSON.stringify(content),
      signal: AbortSignal.timeout(CALL_MILLISECONDS_MAX),
    }).catch((cause) => {
      const advice = 'start the emulator with spanemu serve';
      throw new Error(`no answer from REST at ${this.#rest}; ${advice}`, { cause });
    });
    const reply = await response.json();
    if (response.ok) return reply;
    throw Object.assign(new Error(`${method} ${path}: ${reply.error.message}`), {
      status: reply.error.status,
    });
  }
}

/** A database of an emulator. */
export class Database {
  #snapshot;

  constructor(emulator, name) {
    this.emulator = emulator;
    this.name = name; // projects/P/instances/I/databases/D
    [, this.projectId, , this.instanceId, , this.id] = name.split('/');
  }

  /** Keeps the present rows, which `restore` brings back. */
  async keep() {
    const before = this.#snapshot;
    this.#snapshot = await this.emulator.control('POST', `${this.name}:snapshot`);
    if (before) await this.emulator.control('POST', `${this.name}:forget`, before);
  }

  /** Restores the rows, the schema and the clock of the last `keep`. */
  async restore() {
    await this.emulator.control('POST', `${this.name}:restore`, this.#snapshot);
  }

  /** Returns a copy of the database, for tests that run at the same time. */
  async clone() {
    const name = newId();
    const reply = await this.emulator.control('POST', `${this.name}:clone`, { name });
    return new Database(this.emulator, reply.database);
  }

  /** Drops the database. */
  async drop() {
    await this.emulator.call('DELETE', `/v1/${this.name}`);
  }

  /** Installs a fault in this database, such as "abort" with the argument "rpc". */
  async fault(verb, args = {}) {
    const fault = { verb, arguments: { database: this.name, ...args } };
    const path = `faults/${(await this.emulator.control('POST', 'faults', fault)).fault}`;
    return {
      /** Returns the number of requests that the fault has struck. */
      fired: async () => (await this.emulator.control('GET', path)).fired,
      remove: () => this.emulator.control('DELETE', path),
    };
  }
}

/**
 * Returns a database that the hooks of a test runner create, restore after each test, and drop.
 *
 * `fixtures` is a function that writes the rows which each test finds.
 */
export function isolated({ beforeAll, afterEach, afterAll }, { schema = [], fixtures } = {}) {
  const database = new Database(null, '');
  beforeAll(async () => {
    const emulator = await Emulator.open();
    const created = await emulator.create(schema);
    const { name, projectId, instanceId, id } = created;
    Object.assign(database, { emulator, name, projectId, instanceId, id });
    await fixtures?.(database);
    await database.keep();
  });
  afterEach(async () => {
    await database.emulator.control('POST', 'faults:clear');
    await database.restore();
  });
  afterAll(async () => {
    await database.drop();
    await database.emulator.close();
  });
  return database;
}

const newId = () => `test-${randomUUID().slice(0, 8)}`;

async function start() {
  const [command, ...before] = (process.env.SPANEMU || 'spanemu').split(' ');
  const directory = await mkdtemp(join(tmpdir(), 'spanemu-'));
  const file = join(directory, 'endpoint.json');
  const flags = ['serve', '--host-port', '127.0.0.1:0', '--endpoint-file', file];
  // The emulator ends with this process, even after a crash.
  const child = spawn(command, [...before, ...flags, '--stop-on-stdin-end'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  let failure = null;
  child.once('error', (cause) => {
    const advice = 'the variable SPANEMU names the command, such as .venv/bin/spanemu';
    failure = new Error(`cannot start ${command}: ${cause.message}; ${advice}`, { cause });
  });
  child.once('exit', (code) => (failure ??= new Error(`${command} ended with code ${code}`)));
  try {
    for (const deadline = Date.now() + START_MILLISECONDS_MAX; Date.now() < deadline; ) {
      if (failure) throw failure;
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text) {
        const endpoint = JSON.parse(text);
        return new Emulator(endpoint.uri, endpoint.rest_uri, child);
      }
      await sleep(20);
    }
    child.kill();
    throw new Error(`no answer from ${command}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
