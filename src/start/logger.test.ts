import { describe, expect, it } from 'vitest';
import { readSettings, type Settings } from '../settings.ts';
import { createLogger } from './start.ts';

const settings = (readSettings({}) as { settings: Settings }).settings;

/** The log, as text. */
function logged(...values: readonly object[]): string {
  const lines: string[] = [];
  const logger = createLogger(settings, false, { write: (line: string) => lines.push(line) });
  for (const value of values) logger.child({ environment: 'sandbox' }).warn(value, 'it happened');
  return lines.join('');
}

describe('the log', () => {
  it.each([
    { authorization: 'Bearer canary' },
    { headers: { authorization: 'Bearer canary', cookie: 'canary' } },
    { req: { headers: { authorization: 'Bearer canary', 'set-cookie': 'canary' } } },
    { reply: { body: { apiKey: { secret: 'canary' } } } },
    { platformKey: 'canary' },
    { credentials: { sandbox: { platformKey: 'canary', merchantKey: 'canary' } } },
    { connection: { password: 'canary' } },
  ])('shows no key and no secret of %j', (value) => {
    const text = logged(value);
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('canary');
  });

  it('shows of an error what it is, and not the values of rows', () => {
    const cause = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'consumer_email',
      detail: 'Key (email)=(canary@example.com) already exists.',
      client: { connectionParameters: { password: 'canary' } },
    });
    const text = logged({ err: new Error('a request failed', { cause }) });
    expect(JSON.parse(text)).toMatchObject({
      msg: 'it happened',
      err: { message: 'a request failed', cause: { code: '23505', constraint: 'consumer_email' } },
    });
    expect(text).not.toContain('canary');
  });
});
