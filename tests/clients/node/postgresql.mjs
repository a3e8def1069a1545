// The tour of docs/postgresql_tour.py with the official client for Node; prints the same lines.

import { protos, Spanner } from '@google-cloud/spanner';

const { POSTGRESQL } = protos.google.spanner.admin.database.v1.DatabaseDialect;

const SCHEMA = [
  `CREATE TABLE singers (
    singer_id bigint PRIMARY KEY, name character varying(100), paid numeric, info jsonb
  )`,
  `CREATE TABLE albums (
    singer_id bigint, album_id bigint, title text, PRIMARY KEY (singer_id, album_id)
  ) INTERLEAVE IN PARENT singers ON DELETE CASCADE`,
  'CREATE INDEX singers_by_name ON singers (name)',
];

const numeric = (text) => Spanner.pgNumeric(text);
const text = (value) => String(value?.value ?? value ?? 'NULL');
const cells = (row) => row.map((field) => text(field.value));
const print = (label, ...values) => console.log(`${label}:`, values.join(' '));

async function create(spanner, names) {
  const instances = spanner.getInstanceAdminClient();
  const [configs] = await instances.listInstanceConfigs({ parent: names.project });
  const [creation] = await instances.createInstance({
    parent: names.project,
    instanceId: 'node',
    instance: { config: configs[0].name, displayName: 'tour', nodeCount: 1 },
  });
  await creation.promise();
  const databases = spanner.getDatabaseAdminClient();
  const [making] = await databases.createDatabase({
    parent: names.instance,
    createStatement: 'CREATE DATABASE "music"',
    databaseDialect: POSTGRESQL,
  });
  await making.promise();
  const [changing] = await databases.updateDatabaseDdl({
    database: `${names.instance}/databases/music`,
    statements: SCHEMA,
  });
  await changing.promise();
}

async function write(database) {
  const info = Spanner.pgJsonb({ aa: 2, b: 1 });
  await database.table('singers').insert([
    { singer_id: 1, name: 'Marc', paid: numeric('10.50'), info },
    { singer_id: 2, name: null, paid: numeric('NaN'), info: null },
    { singer_id: 3, name: 'Alice', paid: numeric('0.1'), info: null },
  ]);
  await database.table('albums').insert([
    { singer_id: 1, album_id: 1, title: 'Total Junk' },
    { singer_id: 1, album_id: 2, title: 'Go, Go, Go' },
    { singer_id: 3, album_id: 1, title: 'Green' },
  ]);
}

async function read(database) {
  const singers = database.table('singers');
  const [byKey] = await singers.read({ columns: ['name', 'paid'], keys: [[1]] });
  print('read by key', ...cells(byKey[0]));
  const [byIndex] = await singers.read({
    columns: ['name'],
    index: 'singers_by_name',
    keySet: { all: true },
  });
  print('read by index', ...byIndex.flatMap(cells));
}

async function query(database) {
  const [items] = await database.run({
    sql: "SELECT info->>'aa', info::text FROM singers WHERE singer_id = $1",
    params: { p1: 1 },
  });
  print('jsonb', ...cells(items[0]));
  const [sums] = await database.run({
    sql: 'SELECT name, paid + $1 FROM singers WHERE paid < $2 ORDER BY name DESC',
    params: { p1: numeric('0.005'), p2: numeric('11') },
    types: { p1: 'pgNumeric', p2: 'pgNumeric' },
  });
  print('numeric', sums.map((row) => cells(row).join(' ')).join('; '));
}

async function update(database) {
  const titles = await database.runTransactionAsync(async (transaction) => {
    const [rows] = await transaction.run({
      sql: 'UPDATE albums SET title = upper(title) WHERE singer_id = $1 RETURNING title',
      params: { p1: 1 },
    });
    await transaction.commit();
    return rows.flatMap(cells);
  });
  print('returned', titles.sort().join('; '));
}

async function tour(spanner) {
  const project = spanner.getInstanceAdminClient().projectPath('tour');
  const names = { project, instance: `${project}/instances/node` };
  await create(spanner, names);
  const database = spanner.instance('node').database('music');
  await write(database);
  await read(database);
  await query(database);
  await update(database);
  await database.table('singers').deleteRows([[1]]);
  const [left] = await database.run('SELECT * FROM albums');
  print('albums after a cascade', ...left.flatMap(cells));
  await database.close();
  await spanner.getDatabaseAdminClient().dropDatabase({ database: `${names.instance}/databases/music` });
  await spanner.getInstanceAdminClient().deleteInstance({ name: names.instance });
}

const spanner = new Spanner({ projectId: 'tour' });
try {
  await tour(spanner);
} finally {
  spanner.close();
}
