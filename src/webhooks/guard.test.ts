import { describe, expect, it } from 'vitest';
import { addressesOf, BlockedAddress, readTarget, type Target } from './guard.ts';
import { openPost } from './post.ts';

const production = { allowsLoopback: false };
const sandbox = { allowsLoopback: true };

/** Refused when they are saved, in production and in the sandbox. */
const HOSTILE = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://example.com/',
  'http://example.com/',
  'http://93.184.216.34/',
  '//example.com/hooks',
  'example.com/hooks',
  'https://',
  'https:///hooks',
  'https://user@example.com/',
  'https://user:secret@example.com/',
  'https://example.com@10.0.0.1/',
  'https://example.com:22/',
  'https://example.com:80/',
  'https://example.com:5432/',
  'https://example.com:65536/',
  'https://10.0.0.1/',
  'https://10.255.255.255:8443/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.0.0.1/',
  'https://192.0.2.1/',
  'https://192.88.99.1/',
  'https://192.168.0.1/',
  'https://198.18.0.1/',
  'https://198.51.100.1/',
  'https://203.0.113.1/',
  'https://224.0.0.1/',
  'https://240.0.0.1/',
  'https://255.255.255.255/',
  'https://0.0.0.0/',
  'https://0/',
  'https://0x0a000001/',
  'https://0xa9fea9fe/',
  'https://167772161/',
  'https://2852039166/',
  'https://012.0.0.1/',
  'https://0251.0376.0251.0376/',
  'https://10.1/',
  'https://192.168.1/',
  'https://１０.０.０.１/',
  'https://①⑥⑨.254.169.254/',
  'https://169。254。169。254/',
  'https://[::]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[::10.0.0.1]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[64:ff9b:1::1]/',
  'https://[100::1]/',
  'https://[2001::1]/',
  'https://[2001:db8::1]/',
  'https://[2002:a00:1::]/',
  'https://[3fff::1]/',
  'https://[5f00::1]/',
  'https://[fc00::1]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[ff02::1]/',
  'https://[fe80::1%25eth0]/',
  'https://metadata/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://router.home.arpa/',
  'https://postgres/',
  'https://server.lan/',
  'https://intranet.corp./',
  `https://example.com/${'x'.repeat(2048)}`,
];

/** This machine: allowed only in the sandbox. */
const OF_THIS_MACHINE = [
  'http://localhost/',
  'http://localhost:3000/hooks',
  'http://app.localhost:3000/',
  'http://localhost./',
  'https://localhost:4400/',
  'http://127.0.0.1:9/',
  'http://127.255.255.254/',
  'http://127.1/',
  'http://0x7f.1/',
  'http://2130706433/',
  'http://[::1]:3000/',
  'https://１２７.０.０.１/',
];

describe('a URL', () => {
  it('has many hostile forms', () => expect(HOSTILE.length + OF_THIS_MACHINE.length).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE)('is refused: %s', (url) => {
    expect(readTarget(url, production)).toBeTypeOf('string');
    expect(readTarget(url, sandbox)).toBeTypeOf('string');
  });

  it.each(OF_THIS_MACHINE)('is taken in the sandbox alone: %s', (url) => {
    expect(readTarget(url, production)).toBeTypeOf('string');
    expect(readTarget(url, sandbox)).toMatchObject({ isLoopback: true });
  });

  it.each([
    'https://example.com/hooks?tenant=1',
    'https://example.com:443/',
    'https://example.com:8443/',
    'https://93.184.216.34/',
    'https://[2606:4700::1111]/',
    'https://bücher.example/',
  ])('is taken: %s', (url) => expect(readTarget(url, production)).toMatchObject({ isLoopback: false }));
});

describe('a name', () => {
  const target = readTarget('https://hooks.example.com/', production) as Target;
  it.each([
    { addresses: ['10.0.0.1'] },
    { addresses: ['93.184.216.34', '127.0.0.1'] },
    { addresses: ['2606:4700::1111', '::ffff:169.254.169.254'] },
    { addresses: ['fd00::1'] },
    { addresses: ['not an address'] },
  ])('is dialled at none of $addresses', async ({ addresses }) => {
    await expect(addressesOf(target, async () => addresses)).rejects.toThrow(BlockedAddress);
  });

  it('is dialled at the addresses that were checked, and is looked up once for a connection', async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return lookups === 1 ? ['93.184.216.34'] : ['127.0.0.1']; // a name with another address after the check
    };
    expect(await addressesOf(target, resolve)).toEqual(['93.184.216.34']);
    const { post, close } = openPost({ resolve });
    expect(await post(target, '{}', {}, AbortSignal.timeout(5000))).toEqual({
      kind: 'failed',
      error: 'hooks.example.com does not lead to a public address.',
    });
    expect(lookups).toBe(2);
    close();
  });

  it('that is an address is not dialled either, should it have been stored before', async () => {
    const stored = { url: new URL('https://169.254.169.254/latest/meta-data/'), isLoopback: false };
    const { post, close } = openPost({ resolve: async () => [] });
    const answered = await post(stored, '{}', {}, AbortSignal.timeout(5000));
    expect(answered).toEqual({ kind: 'failed', error: '169.254.169.254 does not lead to a public address.' });
    close();
  });
});
