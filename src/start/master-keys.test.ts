import { describe, expect, it } from 'vitest';
import { MasterKeyRefused, nameOfMasterKey } from '../kernel/sealing.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { StartFailure } from './failure.ts';
import { decideMasterKeys, decideRotation, explainRefusedKey } from './master-keys.ts';

const keyOf = (name: string): string => name.padEnd(32, '0');
const [given, old, kept, fresh] = ['given', 'old', 'kept', 'fresh'].map(keyOf) as [string, string, string, string];
const generate = () => fresh;

describe('the master keys of a start', () => {
  it.each([
    { settings: { masterKey: given }, file: { masterKey: kept }, decided: { key: given, origin: 'setting' } },
    {
      settings: { masterKey: given, previousMasterKey: old },
      file: undefined,
      decided: { key: given, previous: old, origin: 'setting' },
    },
    { settings: {}, file: { masterKey: kept }, decided: { key: kept, origin: 'kept' } },
    {
      settings: {},
      file: { masterKey: kept, previousMasterKey: old },
      decided: { key: kept, previous: old, origin: 'kept' },
    },
    { settings: {}, file: { platformKey: kept }, decided: { key: fresh, origin: 'generated' } },
  ])('with $settings and $file: $decided', ({ settings, file, decided }) =>
    expect(decideMasterKeys(settings, file, generate)).toEqual(decided),
  );
});

describe('a rotation', () => {
  const decided = (to: string, from: string[], isKept: boolean, isBegun: boolean) => ({
    ...{ kind: 'decided', to, from, isKept, isBegun },
  });

  it.each([
    {
      what: 'from a setting to a new key',
      settings: { masterKey: given, newMasterKey: fresh },
      file: undefined,
      rotation: decided(fresh, [given], false, false),
    },
    {
      what: 'with the settings of the servers',
      settings: { masterKey: given, previousMasterKey: old },
      file: undefined,
      rotation: decided(given, [old], false, true),
    },
    { what: 'of a kept key', settings: {}, file: { masterKey: kept }, rotation: decided(fresh, [kept], true, false) },
    {
      what: 'of a kept key to one that is given',
      settings: { newMasterKey: given },
      file: { masterKey: kept },
      rotation: decided(given, [kept], true, false),
    },
    {
      what: 'that was killed',
      settings: {},
      file: { masterKey: kept, previousMasterKey: old },
      rotation: decided(kept, [old], true, true),
    },
  ])('$what goes on between the right keys', ({ settings, file, rotation }) =>
    expect(decideRotation('production', settings, file, generate)).toEqual(rotation),
  );

  it.each([
    {
      what: 'without a new key',
      settings: { masterKey: given },
      file: undefined,
      fix: 'RECKONER_SANDBOX_NEW_MASTER_KEY',
    },
    { what: 'without any key', settings: {}, file: {}, fix: 'RECKONER_SANDBOX_MASTER_KEY' },
    {
      what: 'to a third key before the last one has ended',
      settings: { newMasterKey: fresh },
      file: { masterKey: kept, previousMasterKey: old },
      fix: 'without RECKONER_SANDBOX_NEW_MASTER_KEY',
    },
  ])('$what is refused', ({ settings, file, fix }) => {
    const refused = decideRotation('sandbox', settings, file, generate);
    expect(refused.kind === 'refused' && refused.fix).toContain(fix);
  });
});

describe('a refused master key', () => {
  const settingsOf = (variables: Record<string, string>): Settings => {
    const read = readSettings(variables);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    return read.settings;
  };
  const explained = (variables: Record<string, string>, masterKey?: string) => {
    const known = { sandbox: { baseUrl: '', platformKey: keyOf('p'), ...(masterKey !== undefined && { masterKey }) } };
    const error = new MasterKeyRefused(['abcdefgh'], 3);
    const failure = explainRefusedKey(error, settingsOf(variables), 'sandbox', known, '/data') as StartFailure;
    return `${failure.message} ${failure.fix}`;
  };

  it.each([
    { what: 'a file without a key', said: explained({}), names: ['has no master key', 'put the old'] },
    { what: 'a kept key', said: explained({}, kept), names: [nameOfMasterKey(kept), 'put the old'] },
    {
      what: 'a setting',
      said: explained({ RECKONER_SANDBOX_MASTER_KEY: given }),
      names: [nameOfMasterKey(given), 'RECKONER_SANDBOX_MASTER_KEY_PREVIOUS'],
    },
  ])('names the key, the way back and the way on, and shows no key: $what', ({ said, names }) => {
    for (const each of [...names, 'abcdefgh', '3 secrets', 'RECKONER_LOST_MASTER_KEYS=abcdefgh'])
      expect(said).toContain(each);
    for (const each of [given, kept]) expect(said).not.toContain(each);
  });

  it('leaves other errors as they are', () => {
    const error = new Error('something else');
    expect(explainRefusedKey(error, settingsOf({}), 'sandbox', {}, '/data')).toBe(error);
  });
});
