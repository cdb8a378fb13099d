import swagger from '@fastify/swagger';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { NamedSchemas } from './named-schemas.ts';
import type { Route } from './route.ts';
import { ErrorBody, ValidationErrorBody } from './schema.ts';

const BadRequest = Type.Union([ErrorBody, ValidationErrorBody], { $id: 'BadRequest' });

/** `GET /openapi.json` (OpenAPI 3.1) and the reference at `/docs`, made from the schemas that validate. */
export async function addOpenApi(
  app: FastifyInstance,
  routes: readonly Route[],
  schemas: NamedSchemas,
  baseUrl: string,
): Promise<void> {
  schemas.refer(BadRequest);
  for (const { sentence } of routes) {
    for (const schema of [sentence.query, sentence.body, ...Object.values(sentence.replies)]) {
      if (schema && !('contentType' in schema)) schemas.refer(schema as never);
    }
  }
  for (const schema of schemas.all) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: { title: 'Reckoner', version: '0.1.0', description: 'Billing, metering and entitlements.' },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          BearerAuth: { type: 'http', scheme: 'bearer', description: 'An API key: rk_live_… or rk_test_…' },
        },
      },
      security: [{ BearerAuth: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _baseUri, _fragment, index) =>
        typeof json.$id === 'string' ? json.$id : `def-${index}`,
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      withDefaultFonts: false,
      telemetry: false,
      agent: { disabled: true },
      hideClientButton: true,
      url: '/openapi.json',
      pageTitle: 'Reckoner API reference',
    } as never,
  });
}
