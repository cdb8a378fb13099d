import type { Tx } from '../db/index.ts';
import { selectUnknownKeys } from './secrets.sql.ts';

/** For the auditor: every secret is sealed, under a key that the database records. */
export const sealedCheck = {
  name: 'secrets-have-their-key',
  meaning: 'every secret is encrypted with a master key that the database records',
  next: async (tx: Tx) => ({ broken: await selectUnknownKeys(tx), after: null }),
};
