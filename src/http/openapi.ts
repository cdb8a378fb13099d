import { createHash } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { COMPACT_PATH } from './compact.ts';
import { type ApiDocuments, type ApiParts, describeApi } from './reference/api-document.ts';

const REFERENCE_PATH = '/docs';
const REFERENCE_PATHS = [REFERENCE_PATH, `${COMPACT_PATH}${REFERENCE_PATH}`] as const;
const INLINE_SCRIPT = /<script(?: type="text\/javascript")?>([\s\S]*?)<\/script>/g;

/** Gives the reference its content security policy; the script in the page itself is allowed by its hash. */
const guardReference = (baseUrl: string) => async (_: FastifyRequest, reply: FastifyReply, page: unknown) => {
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
  reply.header('content-security-policy', policy.join('; ')).header('x-frame-options', 'DENY');
  return page;
};

/**
 * `GET /openapi.json` (OpenAPI 3.1) and the reference at `/docs`, made from the schemas that validate; `/` leads there.
 * Below `/compact` both are there a second time, for answers without null. The documents are made when somebody first
 * asks for one: most processes are never asked, and no start waits for them.
 */
export async function addOpenApi(app: FastifyInstance, parts: ApiParts): Promise<void> {
  const { baseUrl } = parts;
  let documents: ApiDocuments | undefined;
  const made = () => {
    documents ??= describeApi(parts);
    return documents;
  };
  app.get('/openapi.json', async () => made().plain);
  app.get(`${COMPACT_PATH}/openapi.json`, async () => made().compact);
  // People paste keys into the reference: it runs nothing but its own script, asks nobody but us, and nobody frames it.
  app.addHook('onRoute', (each) => {
    if (REFERENCE_PATHS.some((path) => each.url.startsWith(path))) each.onSend = guardReference(baseUrl);
  });
  app.get('/', async (_, reply) => reply.redirect(REFERENCE_PATH));
  app.get(COMPACT_PATH, async (_, reply) => reply.redirect(`${COMPACT_PATH}${REFERENCE_PATH}`));
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
}
