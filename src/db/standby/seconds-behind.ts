import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { connectTo } from '../connection/index.ts';

const LOOKS = 50;
const PAUSE_MILLISECONDS = 100;

/** In how many seconds a standby has what was committed on its primary; null: not within 5 s. */
export async function secondsBehind(primaryUrl: string, standbyUrl: string): Promise<number | null> {
  await using primary = await opened(primaryUrl, 'writes');
  await using standby = await opened(standbyUrl, 'reads');
  const [made] = await primary.ask('select beat_primary()::text as beat');
  const begun = performance.now();
  for (let look = 0; look < LOOKS; look += 1) {
    const [seen] = await standby.ask('select last_beat() >= $1::timestamptz as beat', [made?.beat]);
    if (seen?.beat === true) return (performance.now() - begun) / 1_000;
    await sleep(PAUSE_MILLISECONDS);
  }
  return null;
}

async function opened(url: string, purpose: 'writes' | 'reads') {
  const client: pg.Client = await connectTo(url, { connectionTimeoutMillis: 5_000, query_timeout: 5_000 }, purpose);
  return {
    ask: async (text: string, values: unknown[] = []) => (await client.query<{ beat: unknown }>(text, values)).rows,
    [Symbol.asyncDispose]: async () => {
      await client.end().catch(() => undefined);
    },
  };
}
