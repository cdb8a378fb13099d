import { fileStore } from '../src/file.ts';
import { Reckoner } from '../src/index.ts';

/** Tracks 1,000 events into a folder, for a server, and has nothing else to do. */
const [folder = '', baseUrl = ''] = process.argv.slice(2);
const api = new Reckoner({ baseUrl, apiKey: 'k', buffer: { store: fileStore(folder), batchSize: 100 } });
for (let count = 0; count < 1000; count += 1)
  void api.track({ type: 'tokens.used', source: 'test', subject: 'cus_1', data: {}, idempotencyKey: `k${count}` });
process.stdout.write('tracked\n');
