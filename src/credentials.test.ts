import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CredentialsUnreadable,
  credentialsFile,
  decidePlatformKey,
  mergeCredentials,
  readCredentials,
  updateCredentials,
} from './credentials.ts';

const keyOf = (name: string) => name.padEnd(40, '0');
const production = { baseUrl: 'http://127.0.0.1:4400', platformKey: keyOf('rk_live_one') };
const sandbox = { baseUrl: 'http://127.0.0.1:4401', platformKey: keyOf('rk_test_one') };

describe('the credentials file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reckoner-credentials-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is empty before the first start', () => {
    expect(readCredentials(folder)).toEqual({});
  });

  it('keeps what is not changed', () => {
    updateCredentials(folder, { production, sandbox });
    updateCredentials(folder, { sandbox: { merchantId: 'org_1', merchantKey: 'rk_test_two' } });
    updateCredentials(folder, { production: { baseUrl: 'http://127.0.0.1:5000' } });
    expect(readCredentials(folder)).toEqual({
      production: { baseUrl: 'http://127.0.0.1:5000', platformKey: keyOf('rk_live_one') },
      sandbox: { ...sandbox, merchantId: 'org_1', merchantKey: 'rk_test_two' },
    });
  });

  it('keeps the master key beside the others, and forgets the previous one when told to', () => {
    updateCredentials(folder, { production });
    updateCredentials(folder, { production: { masterKey: keyOf('new'), previousMasterKey: keyOf('old') } });
    expect(readCredentials(folder).production).toEqual({
      ...production,
      masterKey: keyOf('new'),
      previousMasterKey: keyOf('old'),
    });
    updateCredentials(folder, { production: { previousMasterKey: undefined } });
    expect(readCredentials(folder).production).toEqual({ ...production, masterKey: keyOf('new') });
    expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
  });

  it('is its owner’s alone, also when it was open to others before, and leaves nothing beside it', () => {
    writeFileSync(credentialsFile(folder), '{}', { mode: 0o644 });
    updateCredentials(folder, { production });
    expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it.each(['', '{"production": ', '[]', 'null'])('is not overwritten when it holds %j', (text) => {
    writeFileSync(credentialsFile(folder), text);
    expect(() => updateCredentials(folder, { production })).toThrow(CredentialsUnreadable);
    expect(readFileSync(credentialsFile(folder), 'utf8')).toBe(text);
  });

  it.each([
    {
      held: { production: { platformKey: 5 } },
      problem: 'has a number at production.platformKey instead of a text',
    },
    { held: { sandbox: { platformKey: null } }, problem: 'has null at sandbox.platformKey instead of a text' },
    {
      held: { sandbox: { ...sandbox, merchantKey: ['a'] } },
      problem: 'has a list at sandbox.merchantKey instead of a text',
    },
    { held: { production: 'rk_live_x' }, problem: 'has a string at production instead of an object' },
    { held: { production: [] }, problem: 'has a list at production instead of an object' },
    {
      held: { sandbox: { platformKey: 'rk_test_short' } },
      problem: 'has a key of 13 characters at sandbox.platformKey; a key has at least 32',
    },
    {
      held: { sandbox: { ...sandbox, masterKey: 'too short' } },
      problem: 'has a key of 9 characters at sandbox.masterKey; a key has at least 32',
    },
    {
      held: { production: { ...production, masterKey: 7 } },
      problem: 'has a number at production.masterKey instead of a text',
    },
    {
      held: { production: { ...production, previousMasterKey: keyOf('old') } },
      problem: 'has a key at production.previousMasterKey and none at production.masterKey',
    },
    {
      held: { sandbox: { platformKey: keyOf('rk test') } },
      problem: 'has a key at sandbox.platformKey with a character that no HTTP header can carry',
    },
  ])('$problem: says so, and stays as it is', ({ held, problem }) => {
    writeFileSync(credentialsFile(folder), JSON.stringify(held));
    expect(() => updateCredentials(folder, { production })).toThrow(`${credentialsFile(folder)} ${problem}.`);
    expect(readFileSync(credentialsFile(folder), 'utf8')).toBe(JSON.stringify(held));
  });

  it('merges an environment that never ran', () => {
    expect(mergeCredentials({ production }, { sandbox })).toEqual({ production, sandbox });
    expect(mergeCredentials({}, {})).toEqual({});
  });
});

describe('the platform key', () => {
  it.each([
    { given: 'rk_test_set', known: { sandbox }, key: 'rk_test_set', origin: 'setting' },
    { given: undefined, known: { sandbox }, key: keyOf('rk_test_one'), origin: 'kept' },
    { given: undefined, known: { production }, key: 'rk_test_new', origin: 'generated' },
  ])('is $key ($origin)', ({ given, known, key, origin }) => {
    expect(decidePlatformKey('sandbox', given, known, () => 'rk_test_new')).toEqual({ key, origin });
  });
});
