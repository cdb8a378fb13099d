import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Keeps secrets of merchants at rest: what the database holds is of no use without the key of the environment. */
export interface Sealer {
  /** @param place whose secret it is, such as a resource's id: a sealed text opens in its own place only */
  seal(text: string, place: string): string;
  /** @returns null where the text was sealed under another key, or for another place */
  open(sealed: string, place: string): string | null;
}

const INITIALIZATION_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';

/** AES-256-GCM under a key derived from the environment's; the sealed text names its key, so that another one is told. */
export function sealerOf(secret: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'reckoner secrets of merchants', 32));
  const name = createHash('sha256').update(key).digest('base64url').slice(0, 8);
  return {
    seal: (text, place) => {
      const start = randomBytes(INITIALIZATION_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, start).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return [VERSION, name, Buffer.concat([start, cipher.getAuthTag(), sealed]).toString('base64url')].join('.');
    },
    open: (sealed, place) => {
      const [version, sealedUnder, body = ''] = sealed.split('.');
      if (version !== VERSION || sealedUnder !== name) return null;
      const bytes = Buffer.from(body, 'base64url');
      const sealedFrom = INITIALIZATION_BYTES + TAG_BYTES;
      if (bytes.length < sealedFrom) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, INITIALIZATION_BYTES));
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(INITIALIZATION_BYTES, sealedFrom));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(sealedFrom)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}
