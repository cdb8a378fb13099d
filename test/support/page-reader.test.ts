import { describe, expect, it } from 'vitest';
import type { Answer, Client } from './environment.ts';
import { readerOf } from './page-reader.ts';

const answer = (status: number, text: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  text,
  headers,
  body: null,
  bytes: Buffer.from(text),
});

const PAGE = `<!doctype html><html lang="de"><head><title>A &amp; B</title><style>p { color: red }</style></head><body>
<main><h1>Kauf</h1><p>Wer &lt;kauft&gt;</p><a href="./next?a=1&amp;b=2">Weiter</a>
<form method="post" action="buy" novalidate><input type="hidden" name="token" value="t&quot;1"><input name="name" value="">
<select name="country"><option value="">–</option><option value="DE" selected>Deutschland</option></select>
<label><input type="checkbox" name="terms" value="yes"> Ja</label><button name="go" value="1">Kaufen</button></form>
<form method="post" action="ask"><input name="question" required><button>Fragen</button></form></main></body></html>`;

const POLICY = "form-action 'self' https://shop.example";

/** Answers each address from a table, and records the requests. */
function siteOf(pages: Readonly<Record<string, Answer>>) {
  const sent: { path: string; body?: unknown; headers: Record<string, string> }[] = [];
  const reply = (path: string, headers: Record<string, string> = {}, body?: unknown) => {
    sent.push({ path, headers, ...(body !== undefined && { body }) });
    return Promise.resolve(pages[path] ?? answer(404, ''));
  };
  const client: Pick<Client, 'get' | 'post'> = {
    get: (path, headers) => reply(path, headers),
    post: (path, body, headers) => reply(path, headers, body),
  };
  return { client, sent };
}

const shop = (more: Readonly<Record<string, Answer>> = {}) =>
  siteOf({
    '/pay/1': answer(200, PAGE, { 'content-security-policy': POLICY, 'set-cookie': 'seen=1; Path=/pay; HttpOnly' }),
    '/pay/next?a=1&b=2': answer(200, '<main><p>Next</p></main>'),
    '/pay/buy': answer(303, '', { location: './done' }),
    '/pay/done': answer(200, '<main>Done</main>'),
    ...more,
  });

describe('a reader of pages', () => {
  it('reads what a person reads', async () => {
    const page = await readerOf(shop().client).open('/pay/1');
    expect(page).toMatchObject({ status: 200, language: 'de', title: 'A & B', headings: ['Kauf'] });
    expect(page.words).toMatch(/^Kauf Wer <kauft> Weiter/);
  });

  it('follows links relative to the page, sends cookies, and says that it comes from the site', async () => {
    const { client, sent } = shop();
    const reader = readerOf(client, { language: 'fr' });
    expect((await reader.follow(await reader.open('/pay/1'), 'Weiter')).words).toBe('Next');
    expect(sent.map(({ headers }) => [headers['sec-fetch-site'], headers.cookie, headers['accept-language']])).toEqual([
      ['none', undefined, 'fr'],
      ['same-origin', 'seen=1', 'fr'],
    ]);
  });

  it('sends a form as it is filled in, and follows what it answers', async () => {
    const { client, sent } = shop();
    const reader = readerOf(client);
    const done = await reader.press(await reader.open('/pay/1'), 'Kaufen', { name: 'Zoë', terms: 'yes' });
    expect([done.address, done.words]).toEqual(['/pay/done', 'Done']);
    expect([...new URLSearchParams(String(sent[1]?.body))]).toEqual([
      ['token', 't"1'],
      ['name', 'Zoë'],
      ['terms', 'yes'],
      ['country', 'DE'],
      ['go', '1'],
    ]);
  });

  it.each([
    { what: 'a field that is not there', button: 'Kaufen', fields: { age: '7' }, problem: 'no field age' },
    { what: 'a choice that is not offered', button: 'Kaufen', fields: { country: 'FR' }, problem: 'does not offer FR' },
    { what: 'an empty field that is required', button: 'Fragen', fields: {}, problem: 'asks for question' },
    { what: 'a button that is not there', button: 'Gehen', fields: {}, problem: '0 buttons' },
  ])('refuses $what', async ({ button, fields, problem }) => {
    const reader = readerOf(shop().client);
    await expect(reader.press(await reader.open('/pay/1'), button, fields)).rejects.toThrow(problem);
  });

  it.each([
    { location: 'https://shop.example/thanks', elsewhere: 'https://shop.example/thanks' },
    { location: 'https://evil.example/', elsewhere: null },
  ])('after a form goes to $location only where the policy allows it', async ({ location, elsewhere }) => {
    const reader = readerOf(shop({ '/pay/buy': answer(303, '', { location }) }).client);
    const pressed = reader.press(await reader.open('/pay/1'), 'Kaufen');
    if (elsewhere === null) await expect(pressed).rejects.toThrow('forbids');
    else expect((await pressed).elsewhere).toBe(elsewhere);
  });
});
