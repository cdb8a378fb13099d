import {
  type Credentials,
  credentialsFile,
  type ProductionCredentials,
  readCredentials,
  updateCredentials,
} from '../credentials.ts';
import { generateMasterKey, MasterKeyRefused, nameOfMasterKey } from '../kernel/sealing.ts';
import type { EnvironmentName, Settings } from '../settings.ts';
import { shownPath } from './databases.ts';
import type { MasterKeysOfStart } from './environment.ts';
import { StartFailure } from './failure.ts';
import type { Output } from './output.ts';

/** The variable that gives an environment its master key. */
export const masterKeySetting = (environment: EnvironmentName): string =>
  environment === 'production' ? 'RECKONER_MASTER_KEY' : 'RECKONER_SANDBOX_MASTER_KEY';

/** The variable that names the key of a rotation. */
export const newMasterKeySetting = (environment: EnvironmentName): string =>
  environment === 'production' ? 'RECKONER_NEW_MASTER_KEY' : 'RECKONER_SANDBOX_NEW_MASTER_KEY';

type KeySettings = Partial<Pick<Settings[EnvironmentName], 'masterKey' | 'previousMasterKey' | 'newMasterKey'>>;

/** The master keys of a start, and where the first came from. */
export interface DecidedMasterKeys {
  readonly key: string;
  readonly previous?: string | undefined;
  readonly origin: 'setting' | 'kept' | 'generated';
}

/** The keys from the settings, else those that are kept, else a new key. Pure but for `generate`. */
export function decideMasterKeys(
  { masterKey, previousMasterKey }: KeySettings,
  kept: Partial<ProductionCredentials> = {},
  generate: () => string = generateMasterKey,
): DecidedMasterKeys {
  if (masterKey !== undefined) return { key: masterKey, previous: previousMasterKey, origin: 'setting' };
  if (kept.masterKey !== undefined) return { key: kept.masterKey, previous: kept.previousMasterKey, origin: 'kept' };
  return { key: generate(), origin: 'generated' };
}

/** The master keys that an environment is opened with. A new one is kept as soon as the database admits it. */
export function masterKeysOf(settings: Settings, name: EnvironmentName, dataDirectory: string): MasterKeysOfStart {
  const { key, previous, origin } = decideMasterKeys(settings[name], readCredentials(dataDirectory)[name]);
  const keep = () => void updateCredentials(dataDirectory, { [name]: { masterKey: key } });
  return {
    key,
    previous,
    lost: settings.lostMasterKeys,
    isAlone: settings[name].databaseUrl === undefined,
    keep: origin === 'generated' ? keep : undefined,
  };
}

/** The warning for other processes, if the key is stored beside one of them. */
export function warnOfSharing(settings: Settings, name: EnvironmentName, dataDirectory: string, output: Output): void {
  if (settings[name].databaseUrl === undefined || settings[name].masterKey !== undefined) return;
  output.notice(
    `the master key of ${name} is stored in ${shownPath(credentialsFile(dataDirectory))}: ` +
      `every other process on this database needs the same key (${masterKeySetting(name)})`,
  );
}

/** The reason why a start with these master keys stops, for a person; any other error unchanged. */
export function explainRefusedKey(
  error: unknown,
  settings: Settings,
  name: EnvironmentName,
  known: Credentials,
  dataDirectory: string,
): unknown {
  if (!(error instanceof MasterKeyRefused)) return error;
  const names = error.keyNames.join(', ');
  const file = shownPath(credentialsFile(dataDirectory));
  const setting = masterKeySetting(name);
  const { masterKey } = settings[name];
  const inFile =
    known[name]?.masterKey === undefined
      ? `${file} has no master key of ${name}`
      : `the key in ${file} is ${nameOfMasterKey(known[name].masterKey)}`;
  const given = masterKey === undefined ? inFile : `${setting} is the key ${nameOfMasterKey(masterKey)}`;
  const sealed = error.secretCount === 1 ? '1 secret' : `${error.secretCount} secrets`;
  const back =
    masterKey === undefined
      ? `put the old ${file} back, or give the key: ${setting}=…`
      : `give that key: ${setting}=…, or during a rotation ${setting}_PREVIOUS=…`;
  return new StartFailure(
    `The database of ${name} is encrypted with the master key ${names} (${sealed}), but ${given}.`,
    `${back}. If the key is lost: RECKONER_LOST_MASTER_KEYS=${error.keyNames.join()} npm start, ` +
      'then set those secrets again',
    { cause: error },
  );
}

/** A rotation before its first step. */
export type DecidedRotation =
  | { readonly kind: 'refused'; readonly problem: string; readonly fix: string }
  | {
      readonly kind: 'decided';
      readonly to: string;
      /** The keys of the existing secrets. */
      readonly from: readonly string[];
      readonly isKept: boolean;
      /** A program that runs with these settings has the new key already. */
      readonly isBegun: boolean;
    };

/** Between which keys a rotation goes. Pure but for `generate`. */
export function decideRotation(
  name: EnvironmentName,
  { masterKey, previousMasterKey, newMasterKey }: KeySettings,
  kept: Partial<ProductionCredentials> = {},
  generate: () => string = generateMasterKey,
): DecidedRotation {
  const setting = newMasterKeySetting(name);
  if (masterKey !== undefined) {
    const to = newMasterKey ?? (previousMasterKey === undefined ? undefined : masterKey);
    if (to === undefined)
      return {
        kind: 'refused',
        problem: `The master key of ${name} is a setting, and no new key is given.`,
        fix: `${setting}=$(openssl rand -hex 32) npm run rotate-master-key, and store that key first`,
      };
    const from = [masterKey, ...(previousMasterKey === undefined ? [] : [previousMasterKey])];
    return { kind: 'decided', to, from: from.filter((key) => key !== to), isKept: false, isBegun: to === masterKey };
  }
  if (kept.masterKey === undefined)
    return {
      kind: 'refused',
      problem: `No master key of ${name} is known here.`,
      fix: `give it: ${masterKeySetting(name)}=…, or start ${name} once: npm start`,
    };
  if (kept.previousMasterKey === undefined) {
    const to = newMasterKey ?? generate();
    return { kind: 'decided', to, from: [kept.masterKey], isKept: true, isBegun: to === kept.masterKey };
  }
  if (newMasterKey !== undefined && newMasterKey !== kept.masterKey)
    return {
      kind: 'refused',
      problem: `A rotation of the master key of ${name} to ${nameOfMasterKey(kept.masterKey)} is not finished.`,
      fix: `end it first, without ${setting}: npm run rotate-master-key`,
    };
  return { kind: 'decided', to: kept.masterKey, from: [kept.previousMasterKey], isKept: true, isBegun: true };
}
