import pino from 'pino';
import { clockBook } from '../../src/clocks/index.ts';
import { Database, Presence } from '../../src/db/index.ts';
import { createRunner, type DueKind } from '../../src/jobs/index.ts';
import { createSender, openPost } from '../../src/webhooks/index.ts';
import { keepCode } from './kept-code.ts';
import { note, schedule } from './toy-work.ts';

/** The time at which a claim of these workers would be over by itself. */
const NEVER = Temporal.Instant.from('2100-01-01T00:00:00Z');

/** A toy that is claimed by its step, as a charge or a mail is. @param follow the work after the commit */
export const claiming = (follow: () => Promise<void>): DueKind => ({
  kind: 'toy',
  step: async (tx, { id }) => {
    await note(tx, id);
    await schedule(tx, 'toy', id, NEVER);
    return follow;
  },
});

/**
 * A worker in a process of its own, which works until it is killed, at a time that stands still: `node
 * claiming-worker.ts <url> <now> toys|webhooks`. It says when it works after the commit of a step.
 */
async function main([url = '', now = '', work]: string[]): Promise<void> {
  keepCode();
  const onTrouble = (error: Error) => process.stderr.write(`${error.message}\n`);
  const presence = new Presence(url, onTrouble);
  await presence.start();
  const worker = () => presence.number;
  const database = new Database({ url });
  const at = () => Temporal.Instant.from(now);
  if (work === 'toys') {
    const kinds = [claiming(async () => void process.stdout.write('claimed\n'))];
    createRunner({ database, kinds, clocks: clockBook, now: at, logger: pino({ level: 'silent' }), worker }).start();
    return;
  }
  createSender({
    database,
    transport: {
      sealer: { seal: (text) => text, open: () => 'whsec_c2VjcmV0' },
      guard: { allowsLoopback: true },
      inbox: null,
      post: openPost().post,
    },
    now: at,
    chance: () => 0.5,
    stopwatch: () => performance.now(),
    onTrouble,
    worker,
  }).start();
}

if (import.meta.main) await main(process.argv.slice(2));
