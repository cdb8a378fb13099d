import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open as openFile, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AwsClient } from 'aws4fetch';
import { type ArchivePlace, readArchiveUrl } from '../../kernel/archive-url.ts';

/** Files by their keys. A file is there whole or not at all, and nothing here deletes one. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** @throws where it is not there */
  get(key: string): Promise<Uint8Array>;
}

/** The login of a bucket. */
export interface StoreKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a login for some hours. */
  readonly sessionToken?: string | undefined;
}

/** Opens `ARCHIVE_URL`. Nothing is asked of it yet. */
export function openStore(url: string, keys: StoreKeys | undefined): ObjectStore {
  const place = readArchiveUrl(url);
  if (place.kind === 'folder') return folderStore(place.path);
  if (keys === undefined) throw new Error('A bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.');
  return bucketStore(place, keys);
}

/** A file gets its name when all of it is on disk. */
const folderStore = (folder: string): ObjectStore => ({
  put: async (key, bytes) => {
    const path = join(folder, key);
    await mkdir(dirname(path), { recursive: true });
    const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
    const file = await openFile(unfinished, 'wx');
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  },
  get: (key) => readFile(join(folder, key)),
});

const REQUEST_MILLISECONDS = 60_000;
const RETRIES = 2;

/** A bucket by the S3 protocol. The server compares what it got with the hash that is signed. */
function bucketStore({ baseUrl, region }: ArchivePlace & { readonly kind: 'bucket' }, keys: StoreKeys): ObjectStore {
  const { accessKeyId, secretAccessKey, sessionToken } = keys;
  const login = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  let opened: Promise<AwsClient> | undefined;
  const open = async (): Promise<AwsClient> => {
    const library = await import('aws4fetch'); // with the first request, not with the program
    return new library.AwsClient({ ...login, region, service: 's3', retries: RETRIES });
  };
  const ask = async (method: 'GET' | 'PUT', key: string, bytes?: Uint8Array): Promise<Response> => {
    const hash = createHash('sha256')
      .update(bytes ?? '')
      .digest('hex');
    opened ??= open();
    const answer = await (await opened).fetch(`${baseUrl}/${key}`, {
      method,
      headers: { 'x-amz-content-sha256': hash, ...(bytes && { 'content-type': 'application/vnd.apache.parquet' }) },
      ...(bytes && { body: bytes as Uint8Array<ArrayBuffer> }),
      signal: AbortSignal.timeout(REQUEST_MILLISECONDS),
    });
    if (answer.ok) return answer;
    const [, code = ''] = /<Code>([\w.]+)<\/Code>/.exec(await answer.text()) ?? [];
    throw new Error(`The archive answers ${method} with ${answer.status} ${code}.`.replace(' .', '.'));
  };
  return {
    put: async (key, bytes) => {
      await (await ask('PUT', key, bytes)).arrayBuffer();
    },
    get: async (key) => new Uint8Array(await (await ask('GET', key)).arrayBuffer()),
  };
}
