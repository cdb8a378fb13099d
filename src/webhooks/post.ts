import { Resolver } from 'node:dns/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { Answered } from './attempts.ts';
import { addressesOf, BlockedAddress, type Resolve, type Target } from './guard.ts';

/** Sends a body to a target and says what came of it; it never throws. */
export type Post = (
  target: Target,
  body: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Answered>;

export interface PostOptions {
  readonly resolve?: Resolve;
  /** The longest that all of it may take; default 15,000. */
  readonly totalMilliseconds?: number;
  /** Until there is a connection, with TLS; default 5,000. */
  readonly connectMilliseconds?: number;
}

const TOTAL_MILLISECONDS = 15_000;
const CONNECT_MILLISECONDS = 5_000;
const IDLE_MILLISECONDS = 4_000;
const MOST_READ_BYTES = 16 * 1024;
const MOST_KEPT_BYTES = 2 * 1024;
const MOST_HEADER_BYTES = 16 * 1024;

const resolver = new Resolver({ timeout: 2_000, tries: 2 });

/** Asks name servers, and no file of this machine: the public addresses of a name. */
export const resolveName: Resolve = async (name) => {
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = asked.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  if (addresses.length > 0) return addresses;
  throw new UnknownName(name);
};

class UnknownName extends Error {}

/**
 * Opens connections to endpoints. They are kept for a moment and follow no redirects. Only addresses that the guard
 * has seen are dialled.
 */
export function openPost({
  resolve = resolveName,
  totalMilliseconds = TOTAL_MILLISECONDS,
  connectMilliseconds = CONNECT_MILLISECONDS,
}: PostOptions = {}): { post: Post; close(): void } {
  const kept = { keepAlive: true, timeout: IDLE_MILLISECONDS, maxFreeSockets: 16, scheduling: 'lifo' as const };
  const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) };

  const lookupFor =
    (target: Target): LookupFunction =>
    (_name, options, callback) => {
      callbackify(addressesOf)(target, resolve, (error, addresses) => {
        if (error) return callback(error, '', 0);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (options.all) return callback(null, found);
        return callback(null, first?.address ?? '', first?.family ?? 0);
      });
    };

  const post: Post = async (target, body, headers, signal) => {
    const { url } = target;
    const ending = AbortSignal.any([signal, AbortSignal.timeout(totalMilliseconds)]);
    try {
      // it is not looked up
      if (isIP(url.hostname.replace(/^\[(.*)\]$/, '$1')) !== 0) await addressesOf(target, resolve);
      const { promise, resolve: answer, reject } = Promise.withResolvers<IncomingMessage>();
      const secure = url.protocol === 'https:';
      const request = (secure ? https : http).request(
        url,
        {
          method: 'POST',
          agent: agents[secure ? 'https:' : 'http:'],
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          lookup: lookupFor(target),
          signal: ending,
          maxHeaderSize: MOST_HEADER_BYTES,
        },
        answer,
      );
      request.on('error', reject);
      limitConnecting(request, secure, connectMilliseconds);
      request.end(body);
      const message = await promise;
      const reply = await readStart(message);
      if (!message.complete) request.destroy();
      const retryAfter = message.headers['retry-after'] ?? null;
      return { kind: 'answered', status: message.statusCode ?? 0, retryAfter, reply };
    } catch (error) {
      return { kind: 'failed', error: wordsOf(error as NodeJS.ErrnoException, ending.aborted) };
    }
  };
  return {
    post,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

class SlowConnection extends Error {}

function limitConnecting(request: http.ClientRequest, secure: boolean, milliseconds: number): void {
  const timer = setTimeout(() => request.destroy(new SlowConnection()), milliseconds);
  const stop = () => clearTimeout(timer);
  request.once('close', stop);
  request.once('socket', (socket) => {
    if (!socket.connecting) stop();
    else socket.once(secure ? 'secureConnect' : 'connect', stop);
  });
}

/**
 * The beginning of an answer. Its status has arrived already and decides, so an endless or interrupted answer is cut.
 */
async function readStart(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MOST_READ_BYTES) break;
    }
  } catch {
    // what has come is kept
  }
  return Buffer.concat(chunks).subarray(0, MOST_KEPT_BYTES).toString('utf8').replaceAll('\0', '');
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before an answer.',
  EPIPE: 'The connection was closed before an answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'There was no connection in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too long.',
};

/** The fault in words for the merchant: without an internal address of the name. */
function wordsOf(error: NodeJS.ErrnoException, isOver: boolean): string {
  if (error instanceof BlockedAddress) return error.message;
  if (error instanceof UnknownName) return 'The host has no address.';
  if (error instanceof SlowConnection) return 'There was no connection in time.';
  if (isOver) return 'There was no answer in time.';
  if (error instanceof AggregateError) return wordsOf((error.errors[0] ?? {}) as NodeJS.ErrnoException, isOver);
  const { code = '' } = error;
  if (WORDS[code] !== undefined) return WORDS[code];
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) return `The connection is not secure: ${code}.`;
  return code.startsWith('HPE_') ? 'The answer is no HTTP.' : `There was no answer: ${code || 'unknown'}.`;
}
