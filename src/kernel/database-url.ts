const PARTS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<login>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<rest>.*)$/s;

/**
 * The connection strings of the hosts of one: `postgres://user@a:5432,b:5432/name` has two. A string with one host, or
 * with none, is returned unchanged.
 */
export function hostUrlsOf(url: string): readonly [string, ...string[]] {
  const { scheme = '', login = '', hosts = '', rest = '' } = PARTS.exec(url)?.groups ?? {};
  const [first, ...others] = hosts.split(',').map((host) => `${scheme}${login}${host}${rest}`);
  return first === undefined || others.length === 0 ? [url] : [first, ...others];
}
