import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';

let env: TestEnvironment;
beforeAll(async () => {
  env = await openTestEnvironment();
});
afterAll(() => env.close());

describe('a path that does not exist', () => {
  it.each([
    { key: 'none', status: 401, code: 'API_KEY_MISSING' },
    { key: 'unknown', status: 401, code: 'API_KEY_INVALID' },
  ])(
    'answers $status $code with $key key, before it says that there is no such path',
    async ({ key, status, code }) => {
      const answer = await env.client(key === 'none' ? undefined : 'rk_test_nobody').get('/v0/nothing');
      expect(answer).toMatchObject({ status, body: { error: 'unauthorized', code } });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    },
  );

  it('answers 404 to a caller with a key', async () => {
    expect(await env.platform.get('/v0/nothing')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

it('serves an OpenAPI 3.1 document without a key', async () => {
  const { status, body } = await env.client().get('/openapi.json');
  expect(status).toBe(200);
  expect(body.openapi).toBe('3.1.1');
});
