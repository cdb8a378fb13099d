import { describe, expect, it } from 'vitest';
import { type Delivery, judge, readError } from './attempts.ts';

const NOW = Temporal.Instant.from('2026-01-01T00:00:00Z');
const later: Delivery = { outcome: 'later', error: 'try later' };

describe('what follows from an attempt', () => {
  // 1 + 5 + 15 minutes, 1 + 3 + 6 + 12 hours: all within a day.
  it.each([
    { attempts: 1, next: '2026-01-01T00:01:00Z' },
    { attempts: 2, next: '2026-01-01T00:05:00Z' },
    { attempts: 3, next: '2026-01-01T00:15:00Z' },
    { attempts: 4, next: '2026-01-01T01:00:00Z' },
    { attempts: 5, next: '2026-01-01T03:00:00Z' },
    { attempts: 6, next: '2026-01-01T06:00:00Z' },
    { attempts: 7, next: '2026-01-01T12:00:00Z' },
  ])('the next one after attempt $attempts is at $next', ({ attempts, next }) => {
    for (const outcome of ['later', 'away'] as const)
      expect(judge({ outcome, error: 'no' }, attempts, NOW)).toEqual({
        nextAttemptAt: Temporal.Instant.from(next),
        error: 'no',
      });
  });

  it('the eighth that fails is the last', () =>
    expect(judge(later, 8, NOW)).toEqual({ trigger: 'giveUp', nextAttemptAt: null, error: 'try later' }));

  it('a refusal for good is the end at once', () =>
    expect(judge({ outcome: 'refused', error: '550' }, 1, NOW)).toMatchObject({ trigger: 'giveUp', error: '550' }));

  it('what the server took is sent, also where it refused some of the recipients, whom it names', () => {
    expect(judge({ outcome: 'taken', refused: [] }, 1, NOW)).toMatchObject({ trigger: 'deliver', error: null });
    const { trigger, error } = judge({ outcome: 'taken', refused: ['a@b', 'c@d'] }, 8, NOW);
    expect({ trigger, error }).toEqual({ trigger: 'deliver', error: 'The server refused a@b, c@d.' });
  });
});

it.each([
  { code: 'EENVELOPE', responseCode: 550, outcome: 'refused' }, // no such mailbox
  { code: 'EMESSAGE', responseCode: 554, outcome: 'refused' },
  { code: 'EENVELOPE', responseCode: undefined, outcome: 'refused' }, // an address that no command can carry
  { code: 'EENVELOPE', responseCode: 450, outcome: 'later' }, // greylisted
  { code: 'EMESSAGE', responseCode: 452, outcome: 'later' },
  { code: 'EAUTH', responseCode: 535, outcome: 'away' }, // the password is wrong, not the mail
  { code: 'ECONNECTION', responseCode: 421, outcome: 'away' },
  { code: 'ETIMEDOUT', responseCode: undefined, outcome: 'away' },
  { code: 'ETLS', responseCode: undefined, outcome: 'away' },
  { code: undefined, responseCode: undefined, outcome: 'away' },
])('$code $responseCode means: $outcome', ({ code, responseCode, outcome }) =>
  expect(readError({ message: 'why', code, responseCode })).toEqual({ outcome, error: 'why' }),
);
