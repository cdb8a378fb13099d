import { createHash } from 'node:crypto';
import type { Database } from '../db/index.ts';
import { randomBase62 } from '../kernel/ids.ts';
import type { Instant } from '../kernel/time.ts';
import { insertLogin, insertSession, type LoginOf, type SignInMethod } from './sessions.sql.ts';

/** A session lasts so long after the sign-in, however much it is used. */
const MOST_HOURS = 30 * 24;
const SECRET_CHARACTERS = 43;

/** Where a person signs in. */
export interface SignInPlace {
  readonly address: string;
  readonly userAgent: string;
}

/** What is stored of a token: it is random, so it needs no slow hash. */
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Passwords and new sessions by better-auth, which is loaded when somebody first signs in. It hashes passwords, draws
 * tokens and makes sessions; what it makes is stored here, with the hash of a token in place of the token, and with the
 * times of the program (docs/decisions/0236).
 */
export class Logins {
  readonly #open: () => ReturnType<typeof openBetterAuth>;
  #opened: ReturnType<typeof openBetterAuth> | undefined;
  #dummy: Promise<string> | undefined;

  constructor(database: Database, now: () => Instant, publicUrl: string) {
    this.#open = () => openBetterAuth(database, now, publicUrl);
  }

  #context(): ReturnType<typeof openBetterAuth> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** The hash of a password, with a salt: scrypt. */
  async hash(password: string): Promise<string> {
    return (await this.#context()).password.hash(password);
  }

  /** Which of some hashes are of this password? Without any it takes as long as with one. */
  async matches(password: string, hashes: readonly string[]): Promise<boolean[]> {
    const { verify } = (await this.#context()).password;
    this.#dummy ??= this.hash(randomBase62(SECRET_CHARACTERS));
    const dummy = await this.#dummy;
    const verified = (hashes.length > 0 ? hashes : [dummy]).map((hash) => verify({ hash, password }));
    return (await Promise.all(verified)).slice(0, hashes.length);
  }

  /** Begins a session. @returns its token */
  async begin(login: LoginOf, method: SignInMethod, { address, userAgent }: SignInPlace): Promise<string> {
    const { internalAdapter } = await this.#context();
    const more = { ...login, ipAddress: address, userAgent: userAgent.slice(0, 500), method };
    const { token } = await internalAdapter.createSession(login.userId, false, more);
    return token;
  }
}

/** As much of a new session of better-auth as is stored. */
interface MadeSession extends LoginOf {
  readonly id: string;
  readonly token: string;
  readonly method: SignInMethod;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** Its adapter stores new sessions and does nothing else: all else about them is asked here, by the program's clock. */
async function openBetterAuth(database: Database, now: () => Instant, publicUrl: string) {
  const [{ betterAuth }, { createAdapterFactory }] = await Promise.all([
    import('better-auth/minimal'),
    import('better-auth/adapters'),
  ]);
  const store = async ({ id, userId, merchantId, token, method, ipAddress, userAgent }: MadeSession) => {
    const at = now();
    await database.transaction('nobody', async (tx) => {
      await insertLogin(tx, { userId, merchantId }, at);
      await insertSession(tx, {
        ...{ id, userId, method, ipAddress, userAgent },
        token: hashOfToken(token),
        createdAt: at,
        usedAt: at,
        expiresAt: at.add({ hours: MOST_HOURS }),
      });
    });
  };
  const unused = () => Promise.reject(new Error('Sessions of the console are asked by sessions.sql.ts.'));
  const auth = betterAuth({
    secret: randomBase62(SECRET_CHARACTERS), // signs its own cookies and links, of which there are none
    baseURL: new URL(publicUrl).origin,
    basePath: '/console/api',
    telemetry: { enabled: false },
    logger: { disabled: true },
    session: {
      cookieCache: { enabled: false },
      additionalFields: { method: { type: 'string' }, merchantId: { type: 'string' } },
    },
    database: createAdapterFactory({
      config: { adapterId: 'reckoner', adapterName: 'Reckoner' },
      adapter: () => ({
        create: async ({ data }) => {
          await store(data as unknown as MadeSession);
          return data;
        },
        ...{ update: unused, updateMany: unused, findOne: unused, findMany: unused },
        ...{ delete: unused, deleteMany: unused, count: unused },
      }),
    }),
  });
  return auth.$context;
}
