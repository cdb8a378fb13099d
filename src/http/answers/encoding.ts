import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';

/** Shorter answers gain nothing: one packet carries them anyway. */
const LEAST_BYTES = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))|image\/svg\+xml)/;
const QUALITY = 4;

/** An encoding of this program: both run beside the event loop. */
export type Encoding = 'br' | 'gzip';
const brotli = promisify(brotliCompress);
const ENCODERS: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => brotli(bytes, { params: { [zlib.BROTLI_PARAM_QUALITY]: QUALITY } }),
  gzip: promisify<Buffer, Buffer>(gzip),
};

/** Some bytes in one of our encodings. */
export const compressed = (encoding: Encoding, bytes: Buffer): Promise<Buffer> => ENCODERS[encoding](bytes);

/** Compressed answers that never change, by their encoding and weak tag: the reference and its documents. */
const kept = new LRUCache<string, Promise<Buffer>>({ max: 16 });

/** The best of our encodings that a caller accepts (RFC 9110, 12.5.3); undefined: none. */
export function encodingFor(accept: string | undefined): Encoding | undefined {
  const accepted = new Map(
    (accept ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const weightOf = (name: Encoding): number => accepted.get(name) ?? accepted.get('*') ?? 0;
  const [best] = (['br', 'gzip'] as const).toSorted((one, other) => weightOf(other) - weightOf(one));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}

/** The validator of an answer that stays the same until its content changes; weak, since encodings share it. */
export const tagOf = (content: string | Uint8Array): string =>
  `W/"${createHash('sha256').update(content).digest('base64url')}"`;

/** Does the caller have this content already (RFC 9110, 13.1.2)? */
export const hasTag = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((each) => each.trim() === '*' || strong(each.trim()) === strong(tag));

const strong = (tag: string): string => tag.replace(/^W\//, '');

/**
 * An answer on its way out: nothing but its headers where the caller has it already, else compressed where that helps.
 * Answers to a request with a cookie are never compressed. Only cookies go along with a request that another site
 * makes, and the length of a page with a secret and words of that site would tell the secret (BREACH).
 * @returns what is sent, or a promise of it
 */
export function encode(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const tag = reply.getHeader('etag');
  if (isRead && typeof tag === 'string' && reply.statusCode === 200 && hasTag(request.headers['if-none-match'], tag)) {
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    return '';
  }
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return payload;
  if (payload.length < LEAST_BYTES || reply.hasHeader('content-encoding')) return payload;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return payload;
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  const encoding = request.headers.cookie === undefined ? encodingFor(request.headers['accept-encoding']) : undefined;
  if (encoding === undefined) return payload;
  const make = () => compressed(encoding, Buffer.from(payload as Uint8Array));
  const encoded = typeof tag === 'string' && tag.startsWith('W/') ? keptOr(`${encoding} ${tag}`, make) : make();
  return encoded.then((bytes) => {
    reply.header('content-encoding', encoding).removeHeader('content-length');
    return bytes;
  });
}

function keptOr(key: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  return made;
}
