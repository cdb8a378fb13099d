import { setTimeout as sleep } from 'node:timers/promises';
import type { Reckoner, types } from '../../sdk/src/index.ts';
import { sign } from '../../sdk/src/index.ts';
import type { Screen } from './show.ts';
import { paint } from './show.ts';

const PAUSE_MILLISECONDS = 1_000;
const PAGE = 100;

interface Newest<Row> {
  readonly data: readonly Row[];
}

/**
 * Follows a list that has its newest record first: every record from now on, oldest first, none twice.
 * @param read the newest records, or those behind one
 */
export async function* follow<Row extends { readonly id: string }>(
  read: (query: { limit: number; after?: string }) => PromiseLike<Newest<Row>>,
  stop: AbortSignal,
  most: number | null = null,
): AsyncGenerator<Row> {
  let last = (await read({ limit: 1 })).data[0]?.id;
  let count = 0;
  while (!stop.aborted) {
    const found: Row[] = [];
    for (let after: string | undefined; ; ) {
      const { data } = await read({ limit: PAGE, ...(after !== undefined && { after }) });
      const known = data.findIndex(({ id }) => id === last);
      found.push(...(known === -1 ? data : data.slice(0, known)));
      after = data.at(-1)?.id;
      if (known !== -1 || data.length < PAGE) break;
    }
    for (const row of found.toReversed()) {
      yield row;
      last = row.id;
      count += 1;
      if (count === most) return;
    }
    await sleep(PAUSE_MILLISECONDS, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Hands each webhook event to a local server, signed with a secret that stays the same. */
export async function listen(
  api: Reckoner,
  screen: Screen,
  { forwardTo, secret, types: kinds }: { forwardTo: string; secret: string; types: readonly string[] },
  stop: AbortSignal,
  most: number | null,
): Promise<void> {
  let count = 0;
  for await (const event of follow((query) => api.webhookEvents.list(query), stop)) {
    if (kinds.length > 0 && !kinds.includes(event.type)) continue;
    const { status, reply } = await deliver(event, forwardTo, secret);
    const isTaken = status !== null && status >= 200 && status < 300;
    if (screen.isJson) screen.write(`${JSON.stringify({ id: event.id, type: event.type, status, reply })}\n`);
    else {
      const mark = isTaken ? paint(screen, 'green', '✔') : paint(screen, 'red', '✖');
      screen.write(`${mark} ${event.id}  ${event.type}  ${status ?? reply}\n`);
    }
    count += 1;
    if (count === most) return;
  }
}

/** One attempt, as the server itself would make it. */
async function deliver(
  event: types.WebhookEvent,
  url: string,
  secret: string,
): Promise<{ readonly status: number | null; readonly reply: string }> {
  const body = JSON.stringify({ type: event.type, timestamp: event.createdAt, data: event.data });
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...(await sign(body, { id: event.id, secret })) },
      signal: AbortSignal.timeout(15_000),
    });
    return { status: response.status, reply: (await response.text()).slice(0, 2048) };
  } catch (error) {
    const { message, cause } = error as Error;
    return { status: null, reply: cause instanceof Error ? cause.message : message };
  }
}
