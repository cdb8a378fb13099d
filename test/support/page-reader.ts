import { expect } from 'vitest';
import type { Answer, Client } from './environment.ts';

/** Reads pages and fills in forms as a browser without JavaScript does. */
export interface PageReader {
  /** Opens an address like a person who types it or follows a link in a mail. */
  open(address: string): Promise<Page>;
  /** Follows a link of the page by its words. */
  follow(page: Page, link: string | RegExp): Promise<Page>;
  /**
   * Fills in the fields of the form with this button, and presses it.
   * @param fields by name; `null` unchecks a box. Other fields keep the values of the page
   * @throws for a field that the form does not have, a choice that it does not offer, and input that a browser would
   * refuse
   */
  press(page: Page, button: string | RegExp, fields?: Readonly<Record<string, string | null>>): Promise<Page>;
  /** The cookies that a browser would send now, by name. */
  readonly cookies: ReadonlyMap<string, string>;
}

export interface PageLink {
  readonly words: string;
  readonly href: string;
}

interface PageField {
  readonly name: string;
  readonly kind: string;
  readonly value: string;
  /** Checked boxes and radio buttons, chosen options; every other field. */
  readonly isSent: boolean;
  readonly isRequired: boolean;
}

export interface PageButton {
  readonly words: string;
  readonly name: string | null;
  readonly value: string;
  readonly action: string | null;
}

export interface PageForm {
  readonly action: string;
  readonly method: string;
  readonly isChecked: boolean;
  readonly fields: readonly PageField[];
  readonly buttons: readonly PageButton[];
}

/** The final result: a page of ours, or the external address to which the browser was sent (`elsewhere`). */
export interface Page {
  readonly status: number;
  /** Path and query of the page. */
  readonly address: string;
  /** The whole address outside to which a redirect led; null where it ended here. */
  readonly elsewhere: string | null;
  /** The markup as received. */
  readonly text: string;
  readonly headers: Answer['headers'];
  readonly language: string | null;
  readonly title: string;
  /** The visible text between `<main>` and its end, with even white space. */
  readonly words: string;
  readonly headings: readonly string[];
  readonly links: readonly PageLink[];
  readonly forms: readonly PageForm[];
}

const HERE = 'http://localhost:4401';
const MOST_REDIRECTS = 10;
const FORM = 'application/x-www-form-urlencoded';

/**
 * @param client calls without a key
 * @param options `language` is the browser's language
 */
export function readerOf(client: Pick<Client, 'get' | 'post'>, { language }: { language?: string } = {}): PageReader {
  const cookies = new Map<string, { value: string; path: string }>();
  const headersFor = (path: string, site: 'none' | 'same-origin') => {
    const sent = [...cookies].filter(([, cookie]) => path.startsWith(cookie.path));
    return {
      accept: 'text/html,application/xhtml+xml',
      'sec-fetch-site': site,
      ...(language !== undefined && { 'accept-language': language }),
      ...(sent.length > 0 && { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') }),
    };
  };
  const keep = (answer: Answer, path: string) => {
    const set = answer.headers['set-cookie'];
    for (const line of set === undefined ? [] : [set].flat()) keepCookie(cookies, String(line), path);
  };
  /** Follows our redirects; `policy` is that of the page with the sent form. */
  const arrive = async (first: Answer, from: URL, policy: string | null): Promise<Page> => {
    let answer = first;
    let url = from;
    for (let count = 0; ; count += 1) {
      keep(answer, url.pathname);
      const location = answer.headers.location;
      if (answer.status < 300 || answer.status >= 400 || location === undefined) return readPage(answer, url, null);
      if (count === MOST_REDIRECTS) throw new Error(`${from.href} leads to more than ${MOST_REDIRECTS} redirects.`);
      url = new URL(String(location), url);
      if (policy !== null && !allowsForm(policy, url)) throw new Error(`The policy of the form forbids ${url.href}.`);
      if (url.origin !== HERE) return readPage(answer, from, url.href);
      answer = await client.get(pathOf(url), headersFor(url.pathname, policy === null ? 'none' : 'same-origin'));
    }
  };
  const open = async (address: string, site: 'none' | 'same-origin') => {
    const url = new URL(address, HERE);
    if (url.origin !== HERE) throw new Error(`${address} is not one of our pages.`);
    return arrive(await client.get(pathOf(url), headersFor(url.pathname, site)), url, null);
  };
  return {
    get cookies() {
      return new Map([...cookies].map(([name, { value }]) => [name, value]));
    },
    open: (address) => open(address, 'none'),
    follow: (page, link) => {
      const found = page.links.filter(({ words }) => isNamed(words, link));
      if (found.length !== 1) throw new Error(`${found.length} links named ${link}: ${listed(page.links)}`);
      return open(new URL((found[0] as PageLink).href, new URL(page.address, HERE)).href, 'same-origin');
    },
    press: async (page, name, fields = {}) => {
      const choices = page.forms.flatMap((form) => form.buttons.map((button) => ({ form, button })));
      const found = choices.filter(({ button }) => isNamed(button.words, name));
      if (found.length !== 1)
        throw new Error(`${found.length} buttons named ${name}: ${listed(choices.map(({ button }) => button))}`);
      const { form, button } = found[0] as (typeof found)[number];
      const url = new URL(button.action ?? form.action, new URL(page.address, HERE));
      if (url.origin !== HERE) throw new Error(`The form leads to ${url.href}.`);
      const body = filledIn(form, button, fields).toString();
      if (form.method === 'get') return open(`${url.pathname}?${body}`, 'same-origin');
      expect(form.method, 'method of the form').toBe('post');
      const headers = { ...headersFor(url.pathname, 'same-origin'), 'content-type': FORM };
      const policy = String(page.headers['content-security-policy'] ?? '');
      return arrive(await client.post(pathOf(url), body, headers), url, policy);
    },
  };
}

const pathOf = ({ pathname, search }: URL): string => `${pathname}${search}`;
const isNamed = (words: string, name: string | RegExp): boolean =>
  typeof name === 'string' ? words === name : name.test(words);
const listed = (named: readonly { readonly words: string }[]): string =>
  named.map(({ words }) => `“${words}”`).join(', ');

function keepCookie(cookies: Map<string, { value: string; path: string }>, line: string, path: string): void {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
  const at = pair.indexOf('=');
  const get = (name: string) =>
    attributes.find((each) => each.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  const name = pair.slice(0, at);
  if (get('max-age') === '0') cookies.delete(name);
  else cookies.set(name, { value: pair.slice(at + 1), path: get('path') ?? path.replace(/\/[^/]*$/, '/') });
}

/** Would the policy allow a form to lead there? Browsers also check redirects after a form against it. */
function allowsForm(policy: string, url: URL): boolean {
  const sources = /form-action ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? ['*'];
  return sources.some(
    (source) => (source === "'self'" && url.origin === HERE) || source === url.origin || source === url.protocol,
  );
}

type GivenFields = Readonly<Record<string, string | null>>;

/** The data that a browser sends of a filled-in form and its pressed button. */
function filledIn(form: PageForm, button: PageButton, given: GivenFields): URLSearchParams {
  const names = new Set(form.fields.map(({ name }) => name));
  for (const name of Object.keys(given)) if (!names.has(name)) throw new Error(`The form has no field ${name}.`);
  const sent = new URLSearchParams();
  for (const field of form.fields) {
    const value = valueSent(field, given[field.name]);
    if (value !== null) sent.append(field.name, value);
  }
  for (const [name, value] of Object.entries(given))
    if (value !== null && !sent.has(name)) throw new Error(`The field ${name} does not offer ${value}.`);
  const missing = form.fields.find(({ name, isRequired }) => isRequired && (sent.get(name) ?? '') === '');
  if (form.isChecked && missing) throw new Error(`A browser asks for ${missing.name} first.`);
  if (button.name !== null) sent.append(button.name, button.value);
  return sent;
}

/** @returns null if the field sends no value */
function valueSent({ kind, value, isSent }: PageField, given: string | null | undefined): string | null {
  if (given === undefined) return isSent ? value : null;
  if (given === null) return null;
  if (kind === 'checkbox') return value;
  if (kind === 'radio' || kind === 'option') return value === given ? given : null;
  return given;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] as string);
const wordsOf = (markup: string): string =>
  decode(markup.replace(/<(?:style|script)>[\s\S]*?<\/(?:style|script)>/g, ' ').replace(/<[^>]+>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

const attributesOf = (markup: string): Map<string, string> =>
  new Map(
    [...markup.matchAll(/([^\s="]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name as string, decode(value ?? '')]),
  );

/**
 * The elements of a kind with their attributes and contents; for our own markup, where no element contains one of its
 * kind.
 */
const elements = (text: string, name: string): { attributes: Map<string, string>; inner: string }[] =>
  [...text.matchAll(new RegExp(`<${name}((?:\\s+[^\\s=>"]+(?:="[^"]*")?)*)\\s*>([\\s\\S]*?)</${name}>`, 'g'))].map(
    ([, attributes = '', inner = '']) => ({ attributes: attributesOf(attributes), inner }),
  );

/** A browser alone may know a button: that of the Enter key. */
const isForPeople = ({ attributes }: { attributes: Map<string, string> }): boolean =>
  attributes.get('aria-hidden') !== 'true';

function readPage({ status, headers, text }: Answer, url: URL, elsewhere: string | null): Page {
  const main = /<main[^>]*>([\s\S]*)<\/main>/.exec(text)?.[1] ?? '';
  const page = pathOf(url);
  return {
    status,
    address: page,
    elsewhere,
    text,
    headers,
    language: /<html lang="([^"]*)"/.exec(text)?.[1] ?? null,
    title: wordsOf(elements(text, 'title')[0]?.inner ?? ''),
    words: wordsOf(main),
    headings: [...main.matchAll(/<h[1-6][^>]*>([\s\S]*?)<\/h[1-6]>/g)].map(([, inner = '']) => wordsOf(inner)),
    links: elements(text, 'a').map(({ attributes, inner }) => ({
      words: wordsOf(inner),
      href: attributes.get('href') ?? '',
    })),
    forms: elements(text, 'form').map(({ attributes, inner }) => ({
      action: attributes.get('action') ?? page,
      method: attributes.get('method') ?? 'get',
      isChecked: !attributes.has('novalidate'),
      fields: fieldsOf(inner),
      buttons: elements(inner, 'button')
        .filter(isForPeople)
        .map((button) => ({
          words: wordsOf(button.inner),
          name: button.attributes.get('name') ?? null,
          value: button.attributes.get('value') ?? '',
          action: button.attributes.get('formaction') ?? null,
        })),
    })),
  };
}

function fieldsOf(form: string): PageField[] {
  const inputs = [...form.matchAll(/<input((?:\s+[^\s=>"]+(?:="[^"]*")?)*)\s*\/?>/g)].map(([, markup = '']) => {
    const attributes = attributesOf(markup);
    const kind = attributes.get('type') ?? 'text';
    const isBox = kind === 'radio' || kind === 'checkbox';
    return {
      name: attributes.get('name') ?? '',
      kind,
      value: attributes.get('value') ?? (isBox ? 'on' : ''),
      isSent: !isBox || attributes.has('checked'),
      isRequired: attributes.has('required'),
    };
  });
  const selects = elements(form, 'select').flatMap(({ attributes, inner }) => {
    const options = elements(inner, 'option');
    const chosen = Math.max(
      0,
      options.findIndex((option) => option.attributes.has('selected')),
    );
    return options.map((option, index) => ({
      name: attributes.get('name') ?? '',
      kind: 'option',
      value: option.attributes.get('value') ?? wordsOf(option.inner),
      isSent: index === chosen,
      isRequired: attributes.has('required'),
    }));
  });
  const areas = elements(form, 'textarea').map(({ attributes, inner }) => ({
    name: attributes.get('name') ?? '',
    kind: 'textarea',
    value: decode(inner),
    isSent: true,
    isRequired: attributes.has('required'),
  }));
  return [...inputs, ...selects, ...areas].filter(({ name }) => name !== '');
}
