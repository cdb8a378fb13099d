import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Database, sql } from '../../src/db/index.ts';

/** Found by the kills: a server that dies at the moment in which it takes a connection must not take us with it. */
let server: Server | undefined;
const open = new Set<Socket>();
afterEach(async () => {
  for (const socket of open) socket.destroy();
  await new Promise((resolve) => server?.close(resolve));
});

const message = (kind: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind, 'latin1'), length, body]);
};
const WELCOME = message('R', Buffer.alloc(4)); // AuthenticationOk
const READY = message('Z', Buffer.from('I'));
const FAREWELL = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0', 'latin1'),
);

/** A PostgreSQL that accepts each connection and ends it at once, or a little later. */
async function openDyingServer(last: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('data', () => last(socket));
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return `postgres://reckoner@127.0.0.1:${port}/any`;
}

const goodbye = Buffer.concat([WELCOME, READY, FAREWELL]);

it.each([
  { when: 'with the welcome', last: (socket: Socket) => socket.end(goodbye) },
  { when: 'with the welcome, and leaves the line open', last: (socket: Socket) => void socket.write(goodbye) },
  {
    when: 'a moment after the welcome',
    last: (socket: Socket) => {
      socket.write(Buffer.concat([WELCOME, READY]));
      setImmediate(() => socket.end(FAREWELL));
    },
  },
])('a connection that ends $when is a failure of what wanted it, and of nothing else', async ({ last }) => {
  const database = new Database({ url: await openDyingServer(last), onConnectionError: () => undefined });
  const attempts = [
    database.transaction('nobody', (tx) => tx.one(sql`select 1`)),
    database.ping(),
    database.transaction('nobody', (tx) => tx.one(sql`select 1`)),
  ];
  for (const attempt of await Promise.allSettled(attempts)) expect(attempt.status).toBe('rejected');
  await database.close();
});

const TIMELINE = Buffer.concat([
  message('T', Buffer.concat([Buffer.from('\0\x01timeline\0', 'latin1'), Buffer.alloc(18)])),
  message('D', Buffer.concat([Buffer.from([0, 1, 0, 0, 0, 8]), Buffer.from('00000001')])),
  message('C', Buffer.from('SELECT 1\0')),
  READY,
]);

it('a connection to one of several hosts that breaks before it says its timeline is such a failure too', async () => {
  let connections = 0;
  const url = await openDyingServer((socket) => {
    connections += 1;
    const isLook = connections <= 2; // each host is asked first whether it accepts writes
    socket.write(Buffer.concat([WELCOME, READY]));
    socket.once('data', () => (isLook ? socket.write(TIMELINE) : socket.resetAndDestroy()));
  });
  const { host } = new URL(url);
  const database = new Database({ url: `postgres://reckoner@${host},${host}/any`, onConnectionError: () => undefined });
  await expect(database.transaction('nobody', (tx) => tx.one(sql`select 1`))).rejects.toThrow();
  expect(connections).toBeGreaterThan(2);
  await database.close();
});
