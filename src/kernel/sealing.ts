import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts secrets of merchants: the content of the database is useless without a master key of the environment. */
export interface Sealer {
  /** @param place whose secret it is (`placeOf`): a sealed text opens in its own place only */
  seal(text: string, place: string): string;
  /** @returns null where the text was sealed under a key that is not known here, or for another place */
  open(sealed: string, place: string): string | null;
}

const INITIALIZATION_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
const NEW_KEY_BYTES = 32;

/** A new master key. */
export const generateMasterKey = (): string => randomBytes(NEW_KEY_BYTES).toString('hex');

/**
 * The place in which a secret can be decrypted: its own resource, and with several secrets in one resource, its own
 * path there.
 */
export const placeOf = (id: string, path: string | null = null): string => (path === null ? id : `${id} ${path}`);

/** The name of a master key: what sealed texts and the database call it by. Nothing about the key follows from it. */
export const nameOfMasterKey = (masterKey: string): string => derive(masterKey).name;

/** The database holds secrets that none of the given master keys opens. */
export class MasterKeyRefused extends Error {
  /** The names of the keys that are missing. */
  readonly keyNames: readonly string[];
  /** How many secrets they seal. */
  readonly secretCount: number;

  constructor(keyNames: readonly string[], secretCount: number) {
    super(`Secrets in the database are encrypted with a missing master key: ${keyNames.join(', ')}.`);
    this.name = 'MasterKeyRefused';
    this.keyNames = keyNames;
    this.secretCount = secretCount;
  }
}

interface DerivedKey {
  readonly name: string;
  readonly key: Buffer;
}

/** AES-256-GCM under keys derived from master keys. A sealed text names its key. */
export function sealerOf(masterKey: string, ...previous: readonly string[]): Sealer {
  const current = derive(masterKey);
  const known = new Map([current, ...previous.map(derive)].map((each) => [each.name, each.key]));
  return {
    seal: (text, place) => {
      const start = randomBytes(INITIALIZATION_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, start).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const body = Buffer.concat([start, cipher.getAuthTag(), sealed]).toString('base64url');
      return `${VERSION}.${current.name}.${body}`;
    },
    open: (sealed, place) => {
      const [version, name = '', body = ''] = sealed.split('.');
      const key = known.get(name);
      if (version !== VERSION || key === undefined) return null;
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

function derive(masterKey: string): DerivedKey {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'reckoner secrets of merchants', 32));
  return { key, name: createHash('sha256').update(key).digest('base64url').slice(0, 8) };
}
