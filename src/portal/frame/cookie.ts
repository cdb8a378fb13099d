import { COOKIE_SECONDS } from '../links/links.ts';

const NAME = 'reckoner_portal';

/** The path of the portal, as browsers see it, without a slash at the end. */
export const portalPath = (publicUrl: string): string => `${new URL(publicUrl).pathname.replace(/\/$/, '')}/portal`;

/** The address at which customers of a merchant ask for a link. */
export const portalDoor = (publicUrl: string, merchantId: string): string => `${publicUrl}/portal/${merchantId}`;

/** The token of the session in the cookies of a request. */
export function sessionTokenIn(header: string | undefined): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === NAME) return value;
  }
  return undefined;
}

const cookie = (publicUrl: string, value: string, seconds: number): string =>
  [
    `${NAME}=${value}`,
    `Path=${portalPath(publicUrl)}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(new URL(publicUrl).protocol === 'https:' ? ['Secure'] : []),
  ].join('; ');

/**
 * Gives a session to the browser: no script reads it, and no other site sends it with a form. The row of the session
 * decides when it ends; the browser keeps the cookie longer, so that the page after that can name the merchant.
 */
export const sessionCookie = (publicUrl: string, token: string): string => cookie(publicUrl, token, COOKIE_SECONDS);

/** Takes it back. */
export const noCookie = (publicUrl: string): string => cookie(publicUrl, '', 0);
