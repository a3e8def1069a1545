// Writes and reads a row over TLS, with the settings of docs/how-to/tls.md.

import { readFileSync } from 'node:fs';
import { Spanner } from '@google-cloud/spanner';
import { grpc } from 'google-gax';

const [endpoint, certificate, name] = process.argv.slice(2);
const [host, port] = endpoint.split(':');
const [, project, , instance, , id] = name.split('/');

const spanner = new Spanner({
  projectId: project,
  apiEndpoint: host,
  port: Number(port),
  sslCreds: grpc.credentials.createSsl(readFileSync(certificate)),
});
const database = spanner.instance(instance).database(id);
await database.table('Words').insert([{ Word: 'node' }]);
const [rows] = await database.run('SELECT Word FROM Words');
for (const row of rows) console.log(row.toJSON().Word);
await database.close();
spanner.close();
