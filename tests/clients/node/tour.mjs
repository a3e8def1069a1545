// The tour of docs/tour.py with the official client for Node; prints the same lines.

import { Spanner } from '@google-cloud/spanner';

const SCHEMA = [
  `CREATE TABLE Singers (
    SingerId INT64 NOT NULL, FirstName STRING(1024), LastName STRING(1024)
  ) PRIMARY KEY (SingerId)`,
  `CREATE TABLE Albums (
    SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, AlbumTitle STRING(MAX)
  ) PRIMARY KEY (SingerId, AlbumId), INTERLEAVE IN PARENT Singers ON DELETE CASCADE`,
  'CREATE INDEX AlbumsByTitle ON Albums (AlbumTitle)',
];

const JOIN = {
  sql: `SELECT s.LastName, COUNT(*) AS Albums
        FROM Singers AS s JOIN Albums AS a USING (SingerId)
        WHERE s.SingerId >= @first
        GROUP BY s.LastName ORDER BY s.LastName`,
  params: { first: 1 },
};

const TITLE = 'SELECT AlbumTitle FROM Albums WHERE SingerId = 1 AND AlbumId = 1';

// Values as the tour in Python prints them.
const text = (value) => {
  if (Array.isArray(value)) return `[${value.map(text).join(', ')}]`;
  return typeof value === 'string' ? `'${value}'` : String(value);
};
const cells = (row) => Object.values(row.toJSON());
const print = (label, ...values) => console.log(`${label}:`, values.map(text).join(' '));

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
    createStatement: 'CREATE DATABASE `music`',
    extraStatements: SCHEMA,
  });
  await making.promise();
}

async function write(database) {
  await database.table('Singers').insert([
    { SingerId: 1, FirstName: 'Marc', LastName: 'Richards' },
    { SingerId: 2, FirstName: 'Catalina', LastName: 'Smith' },
    { SingerId: 3, FirstName: 'Alice', LastName: 'Trentor' },
  ]);
  await database.table('Albums').insert([
    { SingerId: 1, AlbumId: 1, AlbumTitle: 'Total Junk' },
    { SingerId: 1, AlbumId: 2, AlbumTitle: 'Go, Go, Go' },
    { SingerId: 2, AlbumId: 1, AlbumTitle: 'Green' },
  ]);
}

async function read(database) {
  const columns = ['FirstName', 'LastName'];
  const [byKey] = await database.table('Singers').read({ columns, keys: [[2]] });
  print('read by key', ...byKey.map(cells));
  const [byIndex] = await database.table('Albums').read({
    columns: ['AlbumTitle'],
    index: 'AlbumsByTitle',
    keySet: { all: true },
  });
  print('read by index', byIndex.map((row) => cells(row)[0]));
  const [joined] = await database.run(JOIN);
  print('join', joined.map(cells));
}

async function update(database) {
  const before = await database.runTransactionAsync(async (transaction) => {
    const [rows] = await transaction.run('SELECT CURRENT_TIMESTAMP()');
    await transaction.commit();
    return rows[0][0].value;
  });
  const updated = await database.runTransactionAsync(async (transaction) => {
    const [count] = await transaction.runUpdate({
      sql: 'UPDATE Albums SET AlbumTitle = UPPER(AlbumTitle) WHERE SingerId = @id',
      params: { id: 1 },
    });
    await transaction.commit();
    return count;
  });
  print('rows updated', updated);
  const [then] = await database.run(TITLE, { readTimestamp: before });
  print('title then', ...then.map(cells));
  const [now] = await database.run(TITLE);
  print('title now', ...now.map(cells));
}

async function tour(spanner) {
  const project = spanner.getInstanceAdminClient().projectPath('tour');
  const names = { project, instance: `${project}/instances/node` };
  await create(spanner, names);
  const database = spanner.instance('node').database('music');
  await write(database);
  await read(database);
  await update(database);
  await database.table('Singers').deleteRows([[1]]);
  const [left] = await database.run('SELECT * FROM Albums');
  print('albums after a cascade', left.map(cells));
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
