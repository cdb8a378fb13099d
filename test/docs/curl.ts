import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** The part of curl that the pages use, for machines without it: -X, -H, -d, -o, -L and -sS. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    location: { type: 'boolean', short: 'L' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
    output: { type: 'string', short: 'o' },
  },
});
const headers = new Headers(
  (values.header ?? []).map((line) => line.split(/:\s*(.*)/s).slice(0, 2) as [string, string]),
);
if (values.data !== undefined && !headers.has('content-type'))
  headers.set('content-type', 'application/x-www-form-urlencoded');
const answer = await fetch(positionals[0] as string, {
  method: values.request ?? (values.data === undefined ? 'GET' : 'POST'),
  headers,
  redirect: values.location ? 'follow' : 'manual',
  ...(values.data !== undefined && { body: values.data }),
});
const bytes = Buffer.from(await answer.arrayBuffer());
if (values.output === undefined) process.stdout.write(bytes);
else writeFileSync(values.output, bytes);
