import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isLoopbackHost, reachableUrl, reservePort } from './listening.ts';

const listensOn = async (port: number): Promise<boolean> => {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((closed) => server.close(closed));
  return listening;
};

describe('the port of a server to be', () => {
  it('is held while the server is built when the system chose it, and free afterwards', async () => {
    const { port, release } = await reservePort('127.0.0.1', 0, 'PORT');
    expect(await listensOn(port)).toBe(false);
    await release();
    expect(await listensOn(port)).toBe(true);
  });

  it('is refused with the setting that chooses it when another program has it', async () => {
    const { port, release } = await reservePort('127.0.0.1', 0, 'PORT');
    await expect(reservePort('127.0.0.1', port, 'SANDBOX_PORT')).rejects.toMatchObject({
      message: `Port ${port} is in use by another program.`,
      fix: expect.stringContaining('SANDBOX_PORT='),
    });
    await release();
  });

  it('says so when this machine does not have the address', async () => {
    await expect(reservePort('192.0.2.1', 0, 'PORT')).rejects.toMatchObject({
      message: 'This machine has no address 192.0.2.1.',
    });
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:80'],
    ['billing.local', 'http://billing.local:80'],
    ['0.0.0.0', 'http://127.0.0.1:80'],
    ['::', 'http://[::1]:80'],
    ['fd00::1', 'http://[fd00::1]:80'],
  ])('listening on %s is called at %s', (host, url) => {
    expect(reachableUrl(host, 80)).toBe(url);
  });
});

it.each([
  { host: '127.0.0.1', isLocal: true },
  { host: '127.8.0.1', isLocal: true },
  { host: '::1', isLocal: true },
  { host: 'localhost', isLocal: true },
  { host: '0.0.0.0', isLocal: false },
  { host: '::', isLocal: false },
  { host: '192.0.2.1', isLocal: false },
  { host: 'localhost.example', isLocal: false },
])('who listens on $host is reached by this machine alone: $isLocal', ({ host, isLocal }) =>
  expect(isLoopbackHost(host)).toBe(isLocal),
);
