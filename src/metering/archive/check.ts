import type { Tx } from '../../db/index.ts';
import { selectPartsAway } from './archive.sql.ts';
import { readPart } from './bring-back.ts';
import type { ObjectStore } from './store.ts';

const PARTS_AT_ONCE = 20;

/** The auditor reads every file whose events are nowhere else: each has the events that were written. */
export const archiveCheck = (store: ObjectStore) => ({
  name: 'archived-events-are-readable',
  meaning: 'every file of the archive whose events were removed can be read, and has exactly these events',
  next: async (tx: Tx, after: string | null) => {
    const parts = await selectPartsAway(tx, after ?? '', PARTS_AT_ONCE);
    const broken: { merchantId: string; id: string; detail: string }[] = [];
    for (const part of parts) {
      const fault = await readPart(store, part).then(
        () => null,
        (error: unknown) => String(error),
      );
      if (fault !== null) broken.push({ merchantId: part.merchantId, id: part.objectKey, detail: fault });
    }
    return { broken, after: parts.length < PARTS_AT_ONCE ? null : (parts.at(-1)?.objectKey ?? null) };
  },
});
