import type { Answer, TestEnvironment } from './environment.ts';

/** A browser at the console: it keeps its cookie, and says where its requests come from. */
export interface Browser {
  cookie: string;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Headers,
  ): Promise<Answer>;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** What the console itself sends along. */
export const OWN: Headers = { host: 'localhost:4401', 'sec-fetch-site': 'same-origin', 'x-reckoner-console': '1' };

/** Opens a browser at the console of an environment. @param always headers of all its requests */
export function openBrowser(env: Pick<TestEnvironment, 'client'>, always: Headers = OWN): Browser {
  const browser: Browser = {
    cookie: '',
    call: async (method, path, body, headers = {}) => {
      const given = Object.entries({ ...always, ...(browser.cookie && { cookie: browser.cookie }), ...headers });
      const sent = Object.fromEntries(given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
      const client = env.client();
      const answer =
        method === 'GET'
          ? await client.get(path, sent)
          : await client[method.toLowerCase() as 'post'](path, body, sent);
      const set = answer.headers['set-cookie'];
      if (typeof set === 'string') browser.cookie = /^[^=]+=;/.test(set) ? '' : (set.split(';', 1)[0] as string);
      return answer;
    },
  };
  return browser;
}

/** The token of a link. */
export const tokenOf = (url: string): string => url.split('#')[1] ?? '';

/** The address of a user, and a password that all tests type. */
export const PASSWORD = 'copper lantern 42';

/** Signs a user in by a link that somebody made, and sets the password. */
export async function withPassword(env: TestEnvironment, link: string, password: string = PASSWORD): Promise<Browser> {
  const browser = openBrowser(env);
  const signedIn = await browser.call('POST', '/console/api/session/link', { token: tokenOf(link) });
  const set = await browser.call('PUT', '/console/api/session/password', { password });
  if (signedIn.status !== 200 || set.status !== 204)
    throw new Error(`No password was set: ${signedIn.text}${set.text}`);
  return browser;
}
