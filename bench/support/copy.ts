import pg from 'pg';

/** COPY of rows like events into a table with a unique key: what the disk and the index alone let through. */
export async function copyRowsPerSecond(url: string, rows: number, perCopy = 1_000): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create table if not exists copied (
      namespace text not null, key text not null, id text not null, at timestamptz not null, type text not null,
      source text not null, subject bigint not null, data jsonb not null, unique (namespace, key))`);
    await client.query('truncate copied');
    const chunks: string[] = [];
    for (let first = 0; first < rows; first += perCopy) {
      const lines = Array.from({ length: perCopy }, (_, n) => lineOf(first + n));
      chunks.push(lines.join(''));
    }
    const began = performance.now();
    for (const chunk of chunks) await copy(client, 'copy copied from stdin', chunk);
    return (chunks.length * perCopy) / ((performance.now() - began) / 1000);
  } finally {
    await client.end();
  }
}

function lineOf(number: number): string {
  const mixed = Math.imul(number, 2654435761) >>> 0;
  return `org_0123456789abcdefghijklm\trequest-${mixed.toString(36)}-${number}\tevt_202603${mixed}${number}\t2026-03-01T00:00:00Z\tcall\thttps://api.example.com/v1\t${mixed % 1000}\t{"tokens":${(mixed % 10_000) / 100},"model":"large","region":"eu-central"}\n`;
}

/** Runs a `copy … from stdin` with these lines. The driver knows the messages of COPY but has no call for it. */
export function copy(client: pg.Client, text: string, lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(text, [], (error?: Error | null) => (error ? reject(error) : resolve()));
    Object.assign(query, {
      handleCopyInResponse: (connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }) => {
        connection.sendCopyFromChunk(Buffer.from(lines));
        connection.endCopyFrom();
      },
    });
    client.query(query);
  });
}
