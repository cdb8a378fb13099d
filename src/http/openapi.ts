import { createHash } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { tagOf } from './answers/encoding.ts';
import { COMPACT_PATH } from './compact.ts';
import { type ApiDocuments, type ApiParts, describeApi } from './reference/api-document.ts';

const REFERENCE_PATH = '/docs';
const REFERENCE_PATHS = [REFERENCE_PATH, `${COMPACT_PATH}${REFERENCE_PATH}`] as const;
const REFERENCE_PARTS = ['', '/', '/js/scalar.js'] as const;
const INLINE_SCRIPT = /<script(?: type="text\/javascript")?>([\s\S]*?)<\/script>/g;

/**
 * Adds the headers of the reference. Its page gets a content security policy: people paste keys into it, so it runs
 * nothing but its own script, asks nobody but us, and nobody frames it. Its script is a part of this version: browsers
 * keep it for an hour, and then ask for a change.
 */
export function guardReference(app: FastifyInstance, baseUrl: string): void {
  let scriptTag: string | undefined;
  app.addHook('onSend', (request, reply, payload, done) => {
    const path = request.routeOptions.url ?? '';
    if (REFERENCE_PATHS.some((each) => path.startsWith(each))) guard(reply, path, payload);
    done(null, payload);
  });
  function guard(reply: FastifyReply, path: string, payload: unknown): void {
    reply.header('content-security-policy', policyOf(payload, baseUrl)).header('x-frame-options', 'DENY');
    if (path.endsWith('.js') && typeof payload === 'string') {
      scriptTag ??= tagOf(payload);
      reply.headers({ etag: scriptTag, 'cache-control': 'public, max-age=3600' });
    }
  }
}

/** The script in the page itself is allowed by its hash. */
function policyOf(page: unknown, baseUrl: string): string {
  const scripts = typeof page === 'string' ? [...page.matchAll(INLINE_SCRIPT)] : [];
  const hashes = scripts.map(([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return policy.join('; ');
}

/**
 * `GET /openapi.json` (OpenAPI 3.1) and the reference at `/docs`, made from the schemas that validate; `/` leads there.
 * Below `/compact` both are there a second time, for answers without null. Documents and pages are made when somebody
 * first asks for one: most processes are never asked, and no start waits for them.
 */
export function addOpenApi(app: FastifyInstance, parts: ApiParts): void {
  let documents: ApiDocuments | undefined;
  for (const [path, which] of [
    ['/openapi.json', 'plain'],
    [`${COMPACT_PATH}/openapi.json`, 'compact'],
  ] as const) {
    let file: { readonly text: string; readonly tag: string } | undefined;
    const make = () => {
      documents ??= describeApi(parts);
      const text = JSON.stringify(documents[which]);
      return { text, tag: tagOf(text) };
    };
    app.get(path, async (_, reply) => {
      file ??= make();
      return reply
        .type('application/json; charset=utf-8')
        .headers({ etag: file.tag, 'cache-control': 'no-cache' })
        .send(file.text);
    });
  }
  app.get('/', async (_, reply) => reply.redirect(REFERENCE_PATH));
  app.get(COMPACT_PATH, async (_, reply) => reply.redirect(`${COMPACT_PATH}${REFERENCE_PATH}`));
  let reference: Promise<ReadonlyMap<string, ReferencePart>> | undefined;
  for (const prefix of REFERENCE_PATHS)
    for (const rest of REFERENCE_PARTS)
      app.get(`${prefix}${rest}`, async (_, reply) => {
        reference ??= openReference();
        const { statusCode, headers, body } = (await reference).get(`${prefix}${rest}`) as ReferencePart;
        for (const name of ['content-type', 'location']) if (headers[name]) reply.header(name, headers[name]);
        return reply.code(statusCode).send(body);
      });
}

type ReferencePart = Awaited<ReturnType<FastifyInstance['inject']>>;

/**
 * The answers of the reference by their paths, from a server that is not listening. Its package would take each start
 * 0.1 s.
 */
async function openReference(): Promise<ReadonlyMap<string, ReferencePart>> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  for (const routePrefix of REFERENCE_PATHS)
    await app.register(scalar, {
      routePrefix,
      configuration: {
        withDefaultFonts: false,
        telemetry: false,
        agent: { disabled: true },
        hideClientButton: true,
        url: `${routePrefix.slice(0, -REFERENCE_PATH.length)}/openapi.json`,
        pageTitle: 'Reckoner API reference',
        showDeveloperTools: 'never',
        mcp: { disabled: true },
        documentDownloadType: 'json',
        defaultOpenFirstTag: false,
      } as never,
    });
  const paths = REFERENCE_PATHS.flatMap((prefix) => REFERENCE_PARTS.map((rest) => `${prefix}${rest}`));
  return new Map(await Promise.all(paths.map(async (path) => [path, await app.inject(path)] as const)));
}
