import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compressed, type Encoding, encodingFor, Reply, type Route, routesOf, Type, tagOf } from '../http/index.ts';
import { notFound, ok, type Result } from '../kernel/result.ts';

const api = routesOf('Console');

/** The built files of the console. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../console/dist/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  woff2: 'font/woff2',
};
const COMPRESSED = /^(?:text\/|application\/|image\/svg)/;

/** The name of a file in the folder: in it or in `assets/`, without a dot at its beginning. */
const FILE = /^(?:assets\/)?[A-Za-z0-9_-][\w.-]*\.([a-z0-9]+)$/;
/** No browser asks for such an address: an encoded slash or backslash, a NUL, or a way up. */
const SUSPICIOUS = /%(?:2f|5c|00|25)|[\\\0]|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** Stands in the built page for a value that is new in each answer: `html.cspNonce` of Vite. */
const NONCE = '{{nonce}}';

/**
 * Scripts are of this program alone. Styles are files, or elements with the nonce of the page; libraries also write
 * attributes of style, which run nothing. Nobody frames the console; it frames pages of this program.
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

const MISSING = `<!doctype html><html lang="en"><meta charset="utf-8"><title>The console is not built</title>
<h1>The console is not built</h1><p>Its files are missing in <code>console/dist</code>. Build them in the folder of
Reckoner: <code>npm run console:build</code>. The API works without them.</p></html>`;

/** A file, and its encodings once they were asked for. */
interface Asset {
  readonly bytes: Buffer;
  readonly type: string;
  readonly tag: string;
  readonly encoded: Map<Encoding, Promise<Buffer>>;
}

/**
 * The pages and files of the console, at `/console` and below. Nothing is read at the start. An asset never changes, so
 * it is read and compressed once; the page is small, and read for each answer. Assets are compressed for requests with
 * a cookie too: they hold no secret, and are the same for everybody.
 */
export function consoleFiles(publicUrl: string, folder: string = CONSOLE_FOLDER): readonly Route[] {
  const assets = new Map<string, Asset>();
  const isHttps = publicUrl.startsWith('https:');
  const headersOf = (nonce: string) => ({
    'content-security-policy': policyOf(nonce),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000' }),
  });

  async function page(): Promise<Reply> {
    const nonce = randomBytes(16).toString('base64');
    const built = await readOrNull(`${folder}/index.html`);
    const headers = { ...headersOf(nonce), 'cache-control': 'no-cache', 'content-type': TYPES.html as string };
    if (built === null) return new Reply(503, MISSING, headers);
    return new Reply(200, built.toString('utf8').replaceAll(NONCE, nonce), headers);
  }

  async function assetOf(name: string): Promise<Asset | null> {
    const known = assets.get(name);
    const type = TYPES[FILE.exec(name)?.[1] ?? ''];
    if (known || type === undefined || name === 'index.html') return known ?? null;
    const bytes = await readOrNull(`${folder}/${name}`);
    if (bytes === null) return null;
    const asset = { bytes, type, tag: tagOf(bytes), encoded: new Map() };
    if (name.startsWith('assets/')) assets.set(name, asset);
    return asset;
  }

  async function answer(path: string, accept: string | undefined): Promise<Result<Reply>> {
    if (SUSPICIOUS.test(path)) return notFound('page');
    const name = path.replace(/^\/console\/?/, '');
    if (name === 'api' || name.startsWith('api/')) return notFound('page');
    const asset = await assetOf(name);
    if (asset === null) return name.startsWith('assets/') ? notFound('page') : ok(await page());
    const headers = {
      ...headersOf(''),
      'content-type': asset.type,
      etag: asset.tag,
      'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    };
    const encoding = COMPRESSED.test(asset.type) ? encodingFor(accept) : undefined;
    if (encoding === undefined) return ok(new Reply(200, asset.bytes, headers));
    const made = asset.encoded.get(encoding) ?? compressed(encoding, asset.bytes);
    asset.encoded.set(encoding, made);
    return ok(new Reply(200, await made, { ...headers, 'content-encoding': encoding, vary: 'Accept-Encoding' }));
  }

  const usual = {
    access: { public: true },
    hidden: true,
    query: Type.Object({}), // that of the page in the browser
    replies: {
      200: { contentType: 'text/html', description: 'The console.' },
      503: { contentType: 'text/html', description: 'The console is not built.' },
    },
  } as const;
  return [
    api.get('/console', 'showConsole', {
      ...usual,
      summary: 'The console',
      free: async () => ok(await page()),
    }),
    api.get('/console/*', 'showConsolePage', {
      ...usual,
      summary: 'A page or a file of the console',
      free: ({ request }) => {
        const path = request.url.split('?', 1)[0] as string;
        return answer(path, request.headers['accept-encoding']);
      },
    }),
  ];
}

/** A file; null where there is none. */
async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
