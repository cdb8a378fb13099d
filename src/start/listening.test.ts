import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isLoopbackHost, PortsInUse, type ReservedPort, reachableUrl, reservePorts } from './listening.ts';

const listensOn = async (port: number): Promise<boolean> => {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((closed) => server.close(closed));
  return listening;
};

const wanted = (port: number, setting = 'PORT', mayMove = false) => ({ host: '127.0.0.1', port, setting, mayMove });

/** A port that this test holds, and the one after it is free. */
async function heldPort(): Promise<ReservedPort> {
  for (;;) {
    const [held] = (await reservePorts([wanted(0)])) as [ReservedPort];
    if (held.port < 65_500 && (await listensOn(held.port + 1)) && (await listensOn(held.port + 2))) return held;
    await held.release();
  }
}

describe('the port of a server to be', () => {
  it('is held while the server is built when the system chose it, and free afterwards', async () => {
    const [{ port, release }] = (await reservePorts([wanted(0)])) as [ReservedPort];
    expect(await listensOn(port)).toBe(false);
    await release();
    expect(await listensOn(port)).toBe(true);
  });

  it('is refused when another program has it, with its setting and the next free port', async () => {
    const { port, release } = await heldPort();
    await expect(reservePorts([wanted(port, 'SANDBOX_PORT')])).rejects.toMatchObject({
      message: `Port ${port} is in use by another program.`,
      fix: `choose another port, which is free now: SANDBOX_PORT=${port + 1} npm start`,
    });
    await release();
  });

  it('is named with all others that are in use, and no two are offered the same one', async () => {
    const { port, release } = await heldPort();
    const both = [wanted(port), wanted(port, 'METRICS_PORT'), wanted(port + 1, 'SANDBOX_PORT')];
    await expect(reservePorts(both)).rejects.toMatchObject({
      message: `The ports ${port} and ${port} are in use by other programs.`,
      fix: expect.stringMatching(new RegExp(`PORT=${port + 2} METRICS_PORT=(?!${port + 2})\\d+ npm start$`)),
    });
    await release();
  });

  it('moves to the next free one if it may, and the others stay', async () => {
    const { port, release } = await heldPort();
    const reserved = await reservePorts([wanted(port, 'PORT', true), wanted(port + 1, 'SANDBOX_PORT', true)]);
    expect(reserved.map((each) => each.port)).toEqual([port + 2, port + 1]);
    await release();
  });

  it('does not move where another that is in use may not', async () => {
    const { port, release } = await heldPort();
    const both = [wanted(port, 'SANDBOX_PORT', true), wanted(port, 'PORT')];
    await expect(reservePorts(both)).rejects.toBeInstanceOf(PortsInUse);
    await release();
  });

  it('says so when this machine does not have the address', async () => {
    await expect(reservePorts([{ ...wanted(0), host: '192.0.2.1' }])).rejects.toMatchObject({
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
