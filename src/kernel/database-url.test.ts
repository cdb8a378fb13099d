import { expect, it } from 'vitest';
import { hostUrlsOf } from './database-url.ts';

it.each([
  { url: 'postgres://a:secret@db.example/one?sslmode=require', hosts: ['db.example/one?sslmode=require'] },
  { url: 'postgres://a:secret@/one?host=/run/pg', hosts: ['/one?host=/run/pg'] },
  { url: 'postgres://a:secret@a:5432,b:5433/one?x=y', hosts: ['a:5432/one?x=y', 'b:5433/one?x=y'] },
  { url: 'postgres://a:secret@[::1]:1,[::2]:2,c', hosts: ['[::1]:1', '[::2]:2', 'c'] },
  { url: 'postgres://a:secret@a/one?options=x,y', hosts: ['a/one?options=x,y'] },
])('$url has the hosts $hosts, each with the same login', ({ url, hosts }) => {
  expect(hostUrlsOf(url)).toEqual(hosts.map((host) => `postgres://a:secret@${host}`));
});

it('leaves a text that is no connection string as it is', () => {
  expect(hostUrlsOf('http://a,b/c')).toEqual(['http://a,b/c']);
});
