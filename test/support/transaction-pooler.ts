import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A pooler between clients and PostgreSQL, that gives each transaction a connection of the server. */
export interface TransactionPooler {
  /** The database's URL through the pooler. */
  readonly url: string;
  /** The number of transactions, or statements by themselves, so far. */
  readonly transactions: number;
  /** The number of those that got another connection of the server than the one before on the same client. */
  readonly moves: number;
  close(): Promise<void>;
}

export interface PoolerOptions {
  /** Connections of the server for each user. */
  readonly size: number;
  /** Gives each transaction the connection that was used first, not the one that was used last. */
  readonly inTurn?: boolean;
  /** Makes statements that have a name known on each connection, as PgBouncer does from 1.21 on. */
  readonly keepsNames?: boolean;
  /** A client keeps its connection of the server: the pooler is one of sessions. */
  readonly bySession?: boolean;
  /** Connections after the first are free only when so many transactions have been. */
  readonly spareAfter?: number;
}

/** A connection of the server. */
interface Backend {
  readonly socket: net.Socket;
  readonly names: Set<string>;
  client: Client | null;
  /** Answers to messages that no client has sent are left out. */
  swallowed: number;
}

interface Client {
  readonly socket: net.Socket;
  readonly pool: Pool;
  readonly statements: Map<string, Buffer>;
  backend: Backend | null;
  last: Backend | null;
  readonly waiting: Buffer[];
  /** Messages that the server answers with ReadyForQuery, and has not yet. */
  open: number;
}

/** The connections of one user to one database. */
interface Pool {
  readonly startup: Buffer;
  readonly free: Backend[];
  /** Connections that nobody gets yet. */
  readonly spare: Backend[];
  readonly queue: Client[];
  readonly all: Set<Backend>;
  /** What the server says at the start of a connection. */
  greeting: Buffer;
}

const BEFORE_READY = [0x31, 0x32, 0x43]; // ParseComplete, BindComplete, CommandComplete
const PARSE_COMPLETE = Buffer.from([0x31, 0, 0, 0, 4]);

/** Cuts a stream into messages: a letter, and a length that counts itself. The first of a client has no letter. */
function messagesOf(socket: net.Socket, onMessage: (letter: string, message: Buffer) => void, hasStartup = false) {
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = hasStartup;
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const at = isFirst ? 0 : 1;
      if (rest.length < at + 4) return;
      const length = at + rest.readUInt32BE(at);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(isFirst ? 'startup' : String.fromCharCode(message[0] as number), message);
      isFirst = false;
    }
  });
}

const message = (letter: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** The name of a statement in Parse (first), in Bind (second, behind the portal) or in Describe of a statement. */
function nameIn(letter: string, { length }: Buffer, text: string): string {
  const words = text.slice(letter === 'D' ? 6 : 5, length).split('\0');
  return (letter === 'B' ? words[1] : words[0]) ?? '';
}

const KEY = () => message('K', Buffer.from(Uint8Array.from({ length: 8 }, () => randomInt(256))));
const READY = message('Z', Buffer.from('I'));
const refusal = (text: string) => message('E', Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`));

/** Opens a pooler before the database of this URL, which it reaches without a password. */
export async function openTransactionPooler(databaseUrl: string, options: PoolerOptions): Promise<TransactionPooler> {
  const url = new URL(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), 'pooler-'));
  const socketDirectory = url.searchParams.get('host');
  const far = socketDirectory
    ? { path: join(socketDirectory, `.s.PGSQL.${url.searchParams.get('port')}`) }
    : { host: url.hostname, port: Number(url.port) };
  url.searchParams.set('host', directory);
  url.searchParams.set('port', '5432');
  const pools = new Map<string, Pool>();
  const clients = new Set<net.Socket>();
  let [transactions, moves, isClosed] = [0, 0, false];

  const openBackend = (pool: Pool): void => {
    const socket = net.connect(far);
    const backend: Backend = { socket, names: new Set(), client: null, swallowed: 0 };
    pool.all.add(backend);
    const greeting: Buffer[] = [];
    let isReady = false;
    socket.on('connect', () => socket.write(pool.startup));
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      pool.all.delete(backend);
      if (pool.free.includes(backend)) pool.free.splice(pool.free.indexOf(backend), 1);
      backend.client?.socket.destroy();
      if (!isClosed) serve(pool);
    });
    messagesOf(socket, (letter, bytes) => {
      if (!isReady) {
        if (letter === 'S') greeting.push(bytes);
        if (letter !== 'Z') return;
        isReady = true;
        const isSpare = pool.greeting !== READY;
        pool.greeting = Buffer.concat(greeting);
        return release(pool, backend, isSpare);
      }
      const { client } = backend;
      if (backend.swallowed > 0 && BEFORE_READY[0] === bytes[0]) {
        backend.swallowed -= 1;
        return;
      }
      client?.socket.write(bytes);
      if (letter !== 'Z' || !client) return;
      client.open -= 1;
      if (client.open > 0 || String.fromCharCode(bytes[5] as number) !== 'I' || options.bySession) return;
      client.backend = null;
      backend.client = null;
      release(pool, backend);
    });
  };

  const release = (pool: Pool, backend: Backend, isSpare = false): void => {
    (isSpare ? pool.spare : pool.free).push(backend);
    if (transactions >= (options.spareAfter ?? 0)) pool.free.push(...pool.spare.splice(0));
    serve(pool);
  };

  /** Gives free connections to those who wait, and opens one where there is room. */
  const serve = (pool: Pool): void => {
    while (pool.queue.length > 0 && pool.free.length > 0) {
      const client = pool.queue.shift() as Client;
      const backend = (options.inTurn ? pool.free.shift() : pool.free.pop()) as Backend;
      backend.client = client;
      client.backend = backend;
      transactions += 1;
      if (client.last !== null && client.last !== backend) moves += 1;
      client.last = backend;
      for (const bytes of client.waiting.splice(0)) send(client, backend, bytes);
    }
    if (pool.queue.length > 0 && pool.all.size < options.size) openBackend(pool);
  };

  const send = (client: Client, backend: Backend, bytes: Buffer): void => {
    const letter = String.fromCharCode(bytes[0] as number);
    if (letter === 'Q' || letter === 'S') client.open += 1;
    const name = options.keepsNames && 'PBD'.includes(letter) ? nameIn(letter, bytes, bytes.toString('latin1')) : '';
    if (name !== '') {
      if (letter === 'P') client.statements.set(name, bytes);
      const isKnown = backend.names.has(name);
      backend.names.add(name);
      if (letter === 'P' && isKnown) return void client.socket.write(PARSE_COMPLETE);
      const parse = client.statements.get(name);
      if (letter !== 'P' && !isKnown && parse) {
        backend.swallowed += 1;
        backend.socket.write(parse);
      }
    }
    backend.socket.write(bytes);
  };

  const server = net.createServer((socket) => {
    let client: Client | undefined;
    clients.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clients.delete(socket);
      if (client?.pool.queue.includes(client)) client.pool.queue.splice(client.pool.queue.indexOf(client), 1);
      client?.backend?.socket.destroy(); // in a transaction, or of a session
    });
    messagesOf(
      socket,
      (letter, bytes) => {
        if (letter === 'startup') {
          const words = bytes.subarray(8).toString().split('\0');
          if (words.includes('options')) return void socket.end(refusal('unsupported startup parameter: options'));
          const key = words.join();
          const pool = pools.get(key) ?? {
            startup: bytes,
            free: [],
            spare: [],
            queue: [],
            all: new Set(),
            greeting: READY,
          };
          pools.set(key, pool);
          client = { socket, pool, statements: new Map(), backend: null, last: null, waiting: [], open: 0 };
          return void socket.write(Buffer.concat([message('R', Buffer.alloc(4)), KEY(), READY]));
        }
        if (!client || letter === 'X') return void socket.end();
        if (client.backend) return send(client, client.backend, bytes);
        client.waiting.push(bytes);
        if (client.waiting.length === 1) client.pool.queue.push(client);
        serve(client.pool);
      },
      true,
    );
  });
  await new Promise<void>((resolve) => server.listen(join(directory, '.s.PGSQL.5432'), resolve));
  return {
    url: url.href,
    get transactions() {
      return transactions;
    },
    get moves() {
      return moves;
    },
    close: async () => {
      isClosed = true;
      for (const { all } of pools.values()) for (const { socket } of all) socket.destroy();
      for (const socket of clients) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
