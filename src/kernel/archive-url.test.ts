import { describe, expect, it } from 'vitest';
import { readArchiveUrl } from './archive-url.ts';

describe('the address of an archive', () => {
  it.each([
    ['file:///var/lib/events', { kind: 'folder', path: '/var/lib/events' }],
    ['s3://usage', { kind: 'bucket', baseUrl: 'https://s3.us-east-1.amazonaws.com/usage', region: 'us-east-1' }],
    [
      's3://usage/a/b/?region=eu-central-1',
      { kind: 'bucket', baseUrl: 'https://s3.eu-central-1.amazonaws.com/usage/a/b', region: 'eu-central-1' },
    ],
    [
      's3://usage?region=auto&endpoint=https://store.example:9000/',
      { kind: 'bucket', baseUrl: 'https://store.example:9000/usage', region: 'auto' },
    ],
  ])('%s', (url, place) => expect(readArchiveUrl(url)).toEqual(place));

  it.each([
    ['https://bucket', 's3://bucket/folder'],
    ['file://machine/folder', 's3://bucket/folder'],
    ['s3://key:secret@usage', 'AWS_ACCESS_KEY_ID'],
    ['s3://Usage_1', 'names no bucket'],
    ['s3://usage/a b', 'folder'],
    ['s3://usage?zone=1', '"zone"'],
    ['s3://usage?endpoint=ftp://store', 'endpoint'],
  ])('%s is refused', (url, words) => expect(() => readArchiveUrl(url)).toThrow(words));
});
