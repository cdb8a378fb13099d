import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A bucket on this machine that checks the signature of each request as Amazon documents it (Signature Version 4). */
export interface S3Server {
  /** `ARCHIVE_URL` of its bucket. */
  readonly url: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly objects: Map<string, Buffer>;
  /** `METHOD status` of each request. */
  readonly answers: string[];
  /** Answers with this status in place of its own, for a while. */
  failing: number | null;
  /** Waits before each answer. */
  slowMilliseconds: number;
  close(): Promise<void>;
}

const REGION = 'eu-central-1';
const BUCKET = 'usage';
const keys = { accessKeyId: 'AKIDTEST', secretAccessKey: 'a secret of forty characters, or nearly' };

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');

/** The signature that a request must have. */
function signatureOf(request: IncomingMessage, signedHeaders: string, scope: string): string {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '').trim();
  const canonical = [
    request.method,
    url.pathname,
    '',
    ...signedHeaders.split(';').map((name) => `${name}:${header(name)}`),
    '',
    signedHeaders,
    header('x-amz-content-sha256'),
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((each, part) => hmac(each, part), `AWS4${keys.secretAccessKey}`);
  return hmac(key, text).toString('hex');
}

function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const [, id, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  const isOurs = id === keys.accessKeyId && scope.endsWith(`/${REGION}/s3/aws4_request`);
  const covers = ['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.split(';').includes(name));
  const isWhole = request.headers['x-amz-content-sha256'] === sha256(body);
  return isOurs && covers && isWhole && signatureOf(request, signed, scope) === signature;
}

export async function openS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const answers: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const key = decodeURIComponent(request.url ?? '');
    if (s3.slowMilliseconds > 0) await sleep(s3.slowMilliseconds);
    const [status, said] = answerOf(request, key, body);
    answers.push(`${request.method} ${status}`);
    response.writeHead(status).end(said);
  };
  const server = createServer((request, response) => void answer(request, response));
  const answerOf = (request: IncomingMessage, key: string, body: Buffer): [status: number, body?: Buffer | string] => {
    if (s3.failing !== null) return [s3.failing, '<Error><Code>SlowDown</Code></Error>'];
    if (!isSigned(request, body)) return [403, '<Error><Code>SignatureDoesNotMatch</Code></Error>'];
    if (!key.startsWith(`/${BUCKET}/`)) return [404, '<Error><Code>NoSuchBucket</Code></Error>'];
    if (request.method === 'PUT') {
      objects.set(key, body);
      return [200];
    }
    const found = objects.get(key);
    return found === undefined ? [404, '<Error><Code>NoSuchKey</Code></Error>'] : [200, found];
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const s3: S3Server = {
    url: `s3://${BUCKET}/events/of-us?region=${REGION}&endpoint=http://127.0.0.1:${port}`,
    ...{ keys, objects, answers },
    failing: null,
    slowMilliseconds: 0,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return s3;
}
