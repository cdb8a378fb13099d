import { Database } from '../../src/db/index.ts';
import { createSender, openPost } from '../../src/webhooks/index.ts';
import { keepCode } from './kept-code.ts';

/**
 * A sender of webhooks in a process of its own, which works until it is killed: `node delivering-worker.ts <url>
 * <now>`. Its time begins at `now` and runs at normal speed. Its signatures have an unknown secret.
 */
async function main([url = '', now = '']: string[]): Promise<void> {
  keepCode();
  const began = performance.now();
  const sender = createSender({
    database: new Database({ url }),
    transport: {
      sealer: { seal: (text) => text, open: () => 'whsec_c2VjcmV0' },
      guard: { allowsLoopback: true },
      inbox: null,
      post: openPost().post,
    },
    now: () => Temporal.Instant.from(now).add({ milliseconds: Math.round(performance.now() - began) }),
    chance: Math.random,
    stopwatch: () => performance.now(),
    onTrouble: (error, what) => process.stderr.write(`${what}: ${error.message}\n`),
    pollMilliseconds: 20,
  });
  sender.start();
}

if (import.meta.main) await main(process.argv.slice(2));
