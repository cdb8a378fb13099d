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

const production = { baseUrl: 'http://127.0.0.1:4400', platformKey: 'rk_live_one' };
const sandbox = { baseUrl: 'http://127.0.0.1:4401', platformKey: 'rk_test_one' };

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
      production: { baseUrl: 'http://127.0.0.1:5000', platformKey: 'rk_live_one' },
      sandbox: { ...sandbox, merchantId: 'org_1', merchantKey: 'rk_test_two' },
    });
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

  it('merges an environment that never ran', () => {
    expect(mergeCredentials({ production }, { sandbox })).toEqual({ production, sandbox });
    expect(mergeCredentials({}, {})).toEqual({});
  });
});

describe('the platform key', () => {
  it.each([
    { given: 'rk_test_set', known: { sandbox }, key: 'rk_test_set', origin: 'setting' },
    { given: undefined, known: { sandbox }, key: 'rk_test_one', origin: 'kept' },
    { given: undefined, known: { production }, key: 'rk_test_new', origin: 'generated' },
  ])('is $key ($origin)', ({ given, known, key, origin }) => {
    expect(decidePlatformKey('sandbox', given, known, () => 'rk_test_new')).toEqual({ key, origin });
  });
});
