import type { Tx } from '../../db/index.ts';
import type { RawBody } from '../../http/index.ts';
import { invalid, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { deleteLogo, type LogoRow, selectLogo, upsertLogo } from './logo.sql.ts';
import { type Logo, LogoError } from './logo.ts';
import { isPng, readPng } from './png.ts';
import { isSvg, readSvg } from './svg.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A checked logo, regardless of its content type. @returns 400 with its fault */
export async function checkLogo({ bytes, contentType }: RawBody): Promise<Result<Logo>> {
  try {
    return ok(contentType === 'image/png' ? await pngOf(bytes) : svgOf(bytes));
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    return invalid([{ field: 'body', message: error.message }]);
  }
}

function pngOf(bytes: Buffer): Promise<Logo> {
  if (!isPng(bytes)) throw new LogoError('The content type is PNG, but the file is not.');
  return readPng(bytes);
}

function svgOf(bytes: Buffer): Logo {
  const text = textOf(bytes);
  if (text === null || !isSvg(text)) throw new LogoError('The content type is SVG, but the file is no SVG in UTF-8.');
  return readSvg(text);
}

function textOf(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/** PUT: the logo of a merchant; the one before is replaced. @returns 404 for an organization that is no merchant. */
export async function storeLogo(
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
  body: RawBody,
  now: Instant,
): Promise<Result<LogoRow>> {
  if (id !== merchantId) return notFound('merchant');
  const checked = await checkLogo(body);
  return checked.ok ? ok(await upsertLogo(tx, checked.value, now)) : checked;
}

/** The logo of a merchant; undefined where it has none. */
export const findLogo = (tx: Tx): Promise<LogoRow | undefined> => selectLogo(tx);

/** DELETE: later documents have the name instead. @returns 404 if there is none */
export const removeLogo = async (
  tx: Tx,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<Result<undefined>> => (id === merchantId && (await deleteLogo(tx)) > 0 ? ok(undefined) : notFound('logo'));

/** A logo as the API answers it, without its bytes. */
export const publicLogo = (row: LogoRow) => ({
  object: 'organizationLogo' as const,
  organizationId: row.merchantId,
  contentType: row.contentType,
  width: row.width,
  height: row.height,
  bytes: row.content.length,
  updatedAt: formatInstant(row.updatedAt),
});
