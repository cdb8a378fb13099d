import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A wire to PostgreSQL that a test can cut and mend: connections break, and new ones are refused, as in an outage. */
export interface CutWire {
  /** The database's URL through the wire. */
  url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Connections stay open, and no sent byte arrives, as with a hanging machine. */
  hold(): void;
  /** The held bytes arrive. */
  release(): void;
  close(): Promise<void>;
}

/** Lays a wire to the database of this URL, whether it listens on a socket file or on a port. */
export async function layWire(databaseUrl: string): Promise<CutWire> {
  const url = new URL(databaseUrl);
  const directory = await mkdtemp(join(tmpdir(), 'wire-'));
  const socketDirectory = url.searchParams.get('host');
  const far = socketDirectory
    ? { path: join(socketDirectory, `.s.PGSQL.${url.searchParams.get('port')}`) }
    : { host: url.hostname, port: Number(url.port) };
  const near = join(directory, '.s.PGSQL.5432');
  url.searchParams.set('host', directory);
  url.searchParams.set('port', '5432');

  const open = new Set<net.Socket>();
  const keep = (socket: net.Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => socket.destroy());
  };
  let isHeld = false;
  const pairs = new Map<net.Socket, net.Socket>();
  let server: net.Server | undefined;
  const mend = () =>
    new Promise<void>((resolve) => {
      server = net.createServer((client) => {
        const database = net.connect(far);
        keep(client);
        keep(database);
        database.pipe(client);
        if (!isHeld) client.pipe(database);
        pairs.set(client, database);
        client.on('close', () => {
          pairs.delete(client);
          database.destroy();
        });
        database.on('close', () => client.destroy());
      });
      server.listen(near, resolve);
    });
  const cut = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
    server = undefined;
  };
  await mend();
  return {
    url: url.href,
    cut,
    mend,
    hold: () => {
      isHeld = true;
      for (const [client, database] of pairs) client.unpipe(database);
    },
    release: () => {
      isHeld = false;
      for (const [client, database] of pairs) client.pipe(database);
    },
    close: async () => {
      await cut();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
