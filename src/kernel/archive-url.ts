/** Where archived events lie: a folder of this machine, or a bucket that speaks the S3 protocol. */
export type ArchivePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'bucket';
      /** The start of the address of each object, without a slash at the end. */
      readonly baseUrl: string;
      readonly region: string;
    };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FOLDERS = /^(?:\/[\w.=-]+)*\/?$/;

/**
 * Reads `s3://bucket/folder?region=eu-central-1&endpoint=https://…` or `file:///folder`. Without an endpoint it is
 * Amazon's of the region.
 * @throws a sentence for the problem
 */
export function readArchiveUrl(text: string): ArchivePlace {
  const url = URL.parse(text);
  if (url?.protocol === 'file:' && url.hostname === '' && url.search === '')
    return { kind: 'folder', path: decodeURIComponent(url.pathname) };
  if (url?.protocol !== 's3:')
    throw new Error('is not of the form s3://bucket/folder?region=eu-central-1, or file:///folder');
  if (url.username !== '' || url.password !== '')
    throw new Error('has a user or a password: put them into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
  if (!BUCKET.test(url.hostname)) throw new Error('names no bucket: lower-case letters, digits, dots and dashes');
  if (!FOLDERS.test(url.pathname))
    throw new Error('names a folder that is not letters, digits, dots, dashes and underscores');
  const {
    region = 'us-east-1',
    endpoint = `https://s3.${region}.amazonaws.com`,
    ...others
  } = Object.fromEntries(url.searchParams);
  const [other] = Object.keys(others);
  if (other !== undefined) throw new Error(`has the parameter "${other}", which is neither region nor endpoint`);
  const server = URL.parse(endpoint);
  if (!server || !/^https?:$/.test(server.protocol) || server.search !== '')
    throw new Error('has an endpoint that does not begin with https:// or http://');
  const baseUrl = `${server.href.replace(/\/$/, '')}/${url.hostname}${url.pathname.replace(/\/$/, '')}`;
  return { kind: 'bucket', baseUrl, region };
}
