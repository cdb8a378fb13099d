import { Copy } from './copy.tsx';

/** A call of the API that does what the page offers. */
export interface Example {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** The call as a person types it in a shell; `$KEY` is the key of the merchant. */
export function curlOf({ method, path, body }: Example): string {
  const lines = [
    `curl -X ${method} ${window.location.origin}${path} \\`,
    `  -H "Authorization: Bearer $KEY"${body === undefined ? '' : " \\\n  -H 'Content-Type: application/json' \\"}`,
  ];
  if (body !== undefined) lines.push(`  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  return lines.join('\n');
}

/** A call to copy. */
export function Curl(example: Example) {
  const text = curlOf(example);
  return (
    <>
      <pre className="curl code">{text}</pre>
      <Copy text={text} />
    </>
  );
}
