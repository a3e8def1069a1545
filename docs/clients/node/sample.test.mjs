import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';

import { Spanner } from '@google-cloud/spanner';

import { isolated } from './spanemu.mjs';

const database = isolated(
  { beforeAll: before, afterEach, afterAll: after },
  {
    schema: ['CREATE TABLE Stock (Sku STRING(10) NOT NULL, Quantity INT64) PRIMARY KEY (Sku)'],
    fixtures: (made) => using(made, (stock) => stock.insert({ Sku: 'A', Quantity: 10 })),
  },
);

/** Calls `work` with the table of a database, and closes the client. */
async function using({ projectId, instanceId, id }, work) {
  const spanner = new Spanner({ projectId });
  const client = spanner.instance(instanceId).database(id);
  try {
    return await work(client.table('Stock'), client);
  } finally {
    await client.close();
    spanner.close();
  }
}

const quantities = async (client) => {
  const [rows] = await client.run('SELECT Quantity FROM Stock');
  return rows.map((row) => row.toJSON().Quantity);
};

for (const name of ['first', 'second']) {
  test(`each test begins with the same rows: ${name}`, () =>
    using(database, async (stock, client) => {
      assert.deepEqual(await quantities(client), [10]);
      await stock.update({ Sku: 'A', Quantity: 9 });
      assert.deepEqual(await quantities(client), [9]);
    }));
}

test('a clone is a database of its own', async () => {
  const copy = await database.clone();
  await using(copy, (stock) => stock.deleteRows(['A']));
  await using(database, async (_, client) => assert.deepEqual(await quantities(client), [10]));
  await copy.drop();
});

test('an aborted commit is repeated', () =>
  using(database, async (_, client) => {
    const aborted = await database.fault('abort', { rpc: 'Commit' });
    await client.runTransactionAsync(async (transaction) => {
      await transaction.runUpdate('UPDATE Stock SET Quantity = 9 WHERE TRUE');
      await transaction.commit();
    });
    assert.equal(await aborted.fired(), 1);
    assert.deepEqual(await quantities(client), [9]);
  }));
