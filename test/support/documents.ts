import { describeApi } from '../../src/http/reference/api-document.ts';
import { referenceParts, wireDomains } from '../../src/wiring.ts';
import type { OpenApiDocument } from '../clients/client.ts';
import { idle } from './routes.ts';

/** The OpenAPI documents of the sandbox, as a server at an address gives them, but without the probes. */
export async function describeSandbox(
  baseUrl = 'http://localhost',
): Promise<Record<'plain' | 'compact', OpenApiDocument>> {
  const domains = wireDomains('sandbox', baseUrl);
  const routes = domains.routes(idle);
  await domains.close();
  return describeApi({ routes, baseUrl, ...referenceParts }) as Record<'plain' | 'compact', OpenApiDocument>;
}
