// `node stream.mjs COUNT`: streams 100 MB so many times, and prints the microseconds of each.

import { Spanner } from '@google-cloud/spanner';

const QUERY = "SELECT REPEAT('x', 500000) FROM UNNEST(GENERATE_ARRAY(1, 200))";
const BYTES = 100_000_000;

async function stream(database) {
  let bytes = 0;
  for await (const row of database.runStream(QUERY)) {
    bytes += row[0].value.length;
  }
  if (bytes !== BYTES) throw new Error(`${bytes} bytes`);
}

const spanner = new Spanner({ projectId: 'bench' });
const database = spanner.instance('bench').database('bench');
for (let left = Number(process.argv[2]); left > 0; left--) {
  const began = process.hrtime.bigint();
  await stream(database);
  console.log(String((process.hrtime.bigint() - began) / 1000n));
}
await database.close();
spanner.close();
