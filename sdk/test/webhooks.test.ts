import { describe, expect, it } from 'vitest';
import { sign, unwrap, WebhookSignatureError } from '../src/index.ts';

/** The signature of Standard Webhooks, with a vector that was made by hand: HMAC-SHA256 of `id.timestamp.body`. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const BODY = '{"test": 2432232314}';
const NOW = 1_614_265_330_000;
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('a delivery', () => {
  it.each<[string, string | Uint8Array, unknown, string | string[]]>([
    ['as text', BODY, HEADERS, SECRET],
    ['as bytes', new TextEncoder().encode(BODY), HEADERS, SECRET],
    ['with the headers of a Request', BODY, new Headers(HEADERS), SECRET],
    ['by one of several secrets', BODY, HEADERS, ['whsec_b3RoZXI=', SECRET]],
    [
      'with several signatures',
      BODY,
      { ...HEADERS, 'webhook-signature': `v1a,x v1,AAAA ${HEADERS['webhook-signature']}` },
      SECRET,
    ],
  ])('is read %s', async (_, body, headers, secrets) => {
    const event = await unwrap(body, headers as never, secrets, { now: NOW });
    expect(event).toMatchObject({ test: 2432232314, eventId: HEADERS['webhook-id'] });
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['with another body', `${BODY} `, HEADERS, NOW],
    ['with another id', BODY, { ...HEADERS, 'webhook-id': 'msg_2' }, NOW],
    ['with another time', BODY, { ...HEADERS, 'webhook-timestamp': '1614265331' }, NOW],
    [
      'of another version',
      BODY,
      { ...HEADERS, 'webhook-signature': HEADERS['webhook-signature'].replace('v1', 'v2') },
      NOW,
    ],
    ['without a signature', BODY, { ...HEADERS, 'webhook-signature': '' }, NOW],
    ['with a signature that is no base64', BODY, { ...HEADERS, 'webhook-signature': 'v1,%%%' }, NOW],
    ['of a time that is none', BODY, { ...HEADERS, 'webhook-timestamp': 'NaN' }, NOW],
    ['from six minutes ago', BODY, HEADERS, NOW + 360_000],
    ['from the future', BODY, HEADERS, NOW - 360_000],
  ])('is refused %s', async (_, body, headers, now) => {
    await expect(unwrap(body, headers, SECRET, { now })).rejects.toBeInstanceOf(WebhookSignatureError);
  });

  it('of a secret that is none is a mistake of the program', async () => {
    await expect(unwrap(BODY, HEADERS, 'secret', { now: NOW })).rejects.toBeInstanceOf(TypeError);
  });

  it('that a test signs is read', async () => {
    const headers = await sign(BODY, { id: 'wev_1', secret: SECRET });
    expect(await unwrap(BODY, headers, SECRET)).toMatchObject({ eventId: 'wev_1' });
  });
});
