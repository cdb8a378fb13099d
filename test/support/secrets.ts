import pg from 'pg';

/**
 * The content of a database, one text for each row of each table. Bytes are in hexadecimal digits.
 * @returns texts such as `api_key (org_…,key_…,…)`
 */
export async function dump(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from only ${name} t`);
      texts.push(...rows.map(({ text }) => `${name} ${text}`));
    }
    return texts;
  } finally {
    await client.end();
  }
}

/**
 * The forms of a secret in a text: plain, in hexadecimal digits, and in base64 at any offset of the encoded text. For a
 * secret of webhooks (`whsec_…`), its bytes are searched too.
 */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const own = [secret, bytes.toString('hex'), ...base64Forms(bytes)];
  if (!secret.startsWith('whsec_')) return own;
  const key = secret.slice('whsec_'.length);
  const keyBytes = Buffer.from(key, 'base64');
  return [...own, key, keyBytes.toString('hex'), ...base64Forms(keyBytes)];
}

/** The base64 forms of the bytes at each of the three offsets, without the characters that depend on neighbours. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString('base64');
    const inner = whole.slice(before === 0 ? 0 : 4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The texts with a secret in any form. Each is shortened. */
export function textsWith(texts: readonly string[], secret: string): string[] {
  const forms = formsOf(secret);
  return texts.filter((text) => forms.some((form) => text.includes(form))).map((text) => text.slice(0, 160));
}
