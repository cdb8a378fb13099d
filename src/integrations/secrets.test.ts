import { describe, expect, it } from 'vitest';
import { isSecretName, mergeSecrets, splitConfig } from './secrets.ts';

describe('a field of a config is a secret by its name', () => {
  it.each([
    ...['secretKey', 'webhookSecret', 'apiKey', 'api_key', 'API-KEY', 'token', 'refreshToken', 'password', 'key'],
    ...['credentials', 'privateKey', 'signingKey', 'encryption_key', 'Authorization', 'passphrase'],
  ])('%s', (name) => expect(isSecretName(name)).toBe(true));

  it.each(['publishableKey', 'publicKey', 'keyId', 'accountId', 'projectId', 'region', 'url', 'monkey', ''])(
    'not %s',
    (name) => expect(isSecretName(name)).toBe(false),
  );
});

describe('splitConfig', () => {
  it.each([
    { config: {}, open: {}, secrets: {} },
    { config: { url: 'u', token: 't' }, open: { url: 'u' }, secrets: { token: 't' } },
    { config: { token: null, url: null }, open: { url: null }, secrets: { token: null } },
    {
      config: { account: { id: 1, api_key: 'k', deep: { password: 'p' } } },
      open: { account: { id: 1, deep: {} } },
      secrets: { 'account.api_key': 'k', 'account.deep.password': 'p' },
    },
    {
      config: { accounts: [{ id: 1, token: 'a' }, 7, { token: 'b' }] },
      open: { accounts: [{ id: 1 }, 7, {}] },
      secrets: { 'accounts.0.token': 'a', 'accounts.2.token': 'b' },
    },
    { config: { credentials: { user: 'u', id: 2 } }, open: {}, secrets: { credentials: { user: 'u', id: 2 } } },
  ])('divides $config', ({ config, open, secrets }) => expect(splitConfig(config)).toEqual({ open, secrets }));

  it('keeps numbers with all their digits', () => {
    const exact = JSON.rawJSON('12345678901234567890');
    expect(JSON.stringify(splitConfig({ account: exact }).open)).toBe('{"account":12345678901234567890}');
  });
});

it('a secret that is not sent stays, null removes it', () => {
  const merged = mergeSecrets(
    { a: '1', b: '2', c: '3' },
    { b: null, c: 'new', d: 'more' },
    (value, path) => `${path}:${value}`,
  );
  expect(merged).toEqual({ a: '1', c: 'c:new', d: 'd:more' });
});
