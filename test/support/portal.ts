import type { TestEnvironment } from './environment.ts';
import { type Page, type PageReader, readerOf } from './page-reader.ts';
import type { Resource, Shop } from './shop.ts';

/** A browser that has opened a link to the portal. */
export interface Visitor extends PageReader {
  /** The page to which the link led. */
  readonly first: Page;
}

/** Opens the portal of a customer, or at a subscription, in a browser of its own. */
export async function visit(
  env: TestEnvironment,
  shop: Shop,
  { id }: Resource,
  { expiresIn = 'PT1H', language, returnUrl }: { expiresIn?: string; language?: string; returnUrl?: string } = {},
): Promise<Visitor> {
  const kind = id.startsWith('sub_') ? 'subscriptions' : 'customers';
  const { url } = await shop.act(`/v0/${kind}/${id}/portal`, { expiresIn, ...(returnUrl && { returnUrl }) });
  const reader = readerOf(env.client(), language === undefined ? {} : { language });
  const first = await reader.press(await reader.open(url), /^(?:Open|Öffnen|Ouvrir|Abrir)$/);
  return {
    ...reader,
    first,
    get cookies() {
      return reader.cookies;
    },
  };
}
