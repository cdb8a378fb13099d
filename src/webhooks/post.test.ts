import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { SELF_SIGNED } from '../../test/support/certificate.ts';
import { openReceiver } from '../../test/support/receiver.ts';
import { readTarget, type Target } from './guard.ts';
import { openPost, type PostOptions } from './post.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const SOON = { totalMilliseconds: 300, connectMilliseconds: 200 };

const send = async (url: string, options: PostOptions = {}) => {
  const { post, close } = openPost(options);
  closing.push(close);
  return post(readTarget(url, { allowsLoopback: true }) as Target, '{"a":1}', {}, new AbortController().signal);
};

/** A server that treats each connection as the test says. */
async function openSocket(behave: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    behave(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const ENDLESS = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = 'x'.repeat(1024);

/** Writes pieces for ever. */
const pour = (socket: Socket, start: string, piece: string, milliseconds: number) => {
  socket.write(start);
  const timer = setInterval(() => socket.write(piece), milliseconds);
  socket.on('close', () => clearInterval(timer));
};

describe('a receiver that', () => {
  it.each([
    { what: 'answers 200', status: 200 },
    { what: 'answers 500', status: 500 },
    { what: 'answers 410', status: 410 },
    { what: 'redirects, which nobody follows,', status: 302 },
  ])('$what is answered as it is', async ({ status }) => {
    const other = await openReceiver();
    const receiver = await openReceiver((response) =>
      response.writeHead(status, { location: other.url, 'retry-after': '7' }).end('said'),
    );
    closing.push(receiver.close, other.close);
    expect(await send(receiver.url)).toEqual({ kind: 'answered', status, retryAfter: '7', reply: 'said' });
    expect(receiver.received).toMatchObject([{ body: '{"a":1}' }]);
    expect(other.received).toEqual([]);
  });

  it.each<{ what: string; behave: (socket: Socket) => void; error: string }>([
    { what: 'hangs', behave: () => undefined, error: 'There was no answer in time.' },
    {
      what: 'drips its headers',
      behave: (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n', 20),
      error: 'There was no answer in time.',
    },
    {
      what: 'resets the connection',
      behave: (socket) => void socket.once('data', () => socket.resetAndDestroy()),
      error: 'The connection was closed before an answer.',
    },
    {
      what: 'closes the connection',
      behave: (socket) => void socket.once('data', () => socket.end()),
      error: 'The connection was closed before an answer.',
    },
    { what: 'speaks no HTTP', behave: (socket) => socket.write('SSH-2.0\r\n\r\n'), error: 'The answer is no HTTP.' },
    {
      what: 'has endless headers',
      behave: (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', `x: ${chunk}\r\n`.repeat(32), 5),
      error: 'The headers of the answer are too long.',
    },
  ])('$what has not answered', async ({ behave, error }) => {
    expect(await send(await openSocket(behave), SOON)).toEqual({ kind: 'failed', error });
  });

  it.each<{ what: string; behave: (socket: Socket) => void }>([
    { what: 'has an endless answer', behave: (socket) => pour(socket, ENDLESS, `400\r\n${chunk}\r\n`.repeat(20), 1) },
    { what: 'drips its answer', behave: (socket) => pour(socket, ENDLESS, '1\r\nx\r\n', 20) },
    { what: 'stops in its answer', behave: (socket) => void socket.write(`${ENDLESS}1\r\nx\r\n`) },
  ])('$what has answered with its status', async ({ behave }) => {
    const answered = await send(await openSocket(behave), SOON);
    expect(answered).toMatchObject({ kind: 'answered', status: 200 });
    expect(answered.kind === 'answered' && answered.reply.length <= 2048).toBe(true);
  });

  it('is not there has not answered', async () => {
    const receiver = await openReceiver();
    await receiver.close();
    expect(await send(receiver.url)).toEqual({ kind: 'failed', error: 'The connection was refused.' });
  });

  it('says nothing to the beginning of TLS has no connection', async () => {
    const url = (await openSocket(() => undefined)).replace('http:', 'https:');
    expect(await send(url, SOON)).toEqual({ kind: 'failed', error: 'There was no connection in time.' });
  });

  it('has a certificate of its own making has no secure connection', async () => {
    const receiver = await openReceiver(undefined, SELF_SIGNED);
    closing.push(receiver.close);
    expect(await send(receiver.url)).toMatchObject({ kind: 'failed', error: expect.stringContaining('not secure') });
    expect(receiver.received).toEqual([]);
  });
});
