import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { fail, invalidField, ok, type Result } from '../../kernel/result.ts';
import type { Route } from '../route.ts';

type Declaration = Route['declaration'];

/**
 * The tags of resources, and the changes that depend on them (RFC 9110, 13; decision 0243). A GET of a resource that
 * can be changed answers an ETag, and a change with If-Match is refused unless the resource still has it.
 */
export class Preconditions {
  readonly #readers = new Map<string, Route>();
  readonly #tagged: ReadonlySet<string>;

  constructor(routes: readonly Route[]) {
    for (const each of routes) if (each.declaration.method === 'GET') this.#readers.set(each.declaration.path, each);
    const changes = routes.filter((each) => this.takesIfMatch(each));
    this.#tagged = new Set(changes.map(({ declaration }) => this.readerOf(declaration)?.declaration.path as string));
  }

  /** The GET route of the resource that a path names or is below: of `/v0/plans/:id/archive` that of the plan. */
  readerOf({ path }: Declaration): Route | undefined {
    const resource = /^(.*\/:[A-Za-z]+)(?:\/[^:]*)?$/.exec(path)?.[1];
    const reader = resource === undefined ? undefined : this.#readers.get(resource);
    return reader?.handler && reader;
  }

  /** Can the change depend on the state of its resource? It must read and change it in one transaction. */
  takesIfMatch({ declaration, free }: Route): boolean {
    return mayTake(declaration) && declaration.audited !== false && !free && this.readerOf(declaration) !== undefined;
  }

  /** Does the answer have an ETag? */
  hasTag({ method, path }: Declaration): boolean {
    return method === 'GET' && this.#tagged.has(path);
  }

  /**
   * The tags that a request wants its resource to have; null if any will do. A weak one never matches, so it is left
   * out.
   */
  expectedOf(route: Route, ifMatch: string | undefined): Result<readonly string[] | null> {
    if (ifMatch === undefined || !mayTake(route.declaration)) return ok(null);
    if (!this.takesIfMatch(route))
      return invalidField('If-Match', 'is not for this operation: its resource has no ETag');
    if (ifMatch.trim() === '*') return ok(null); // it exists, or the operation answers 404
    if (!TAGS.test(ifMatch)) return invalidField('If-Match', 'must be * or the ETag of a response, such as "3f0a…"');
    return ok([...ifMatch.matchAll(TAG)].filter(([, weak]) => weak === undefined).map(([tag]) => tag));
  }
}

const mayTake = ({ method, access }: Declaration): boolean =>
  (method === 'PATCH' || method === 'PUT' || method === 'DELETE') && !('public' in access);

const TAG = /(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;
const TAGS = new RegExp(`^[ \\t,]*${TAG.source}(?:[ \\t]*,[ \\t,]*${TAG.source})*[ \\t,]*$`);

/** Characters of the hash of the whole content in a tag, and of the hash of each field behind it. */
const CONTENT_CHARACTERS = 22;
const FIELD_CHARACTERS = 4;
const FIELD_BYTES = 3;
const OUR_TAG = /^"[\w-]{22}(?:[\w-]{4})*"$/;

/**
 * A resource as JSON with its ETag: a hash of all content, which decides, and then a short hash of each field. So a
 * later answer can say which fields have changed, and no older version is stored.
 */
export function tagged(resource: object): { readonly text: string; readonly tag: string } {
  const texts = fieldsOf(resource).map(([field, value]) => `${JSON.stringify(field)}:${JSON.stringify(value)}`);
  const text = `{${texts.join(',')}}`;
  const marks = Buffer.allocUnsafe(texts.length * FIELD_BYTES);
  for (const [place, each] of texts.entries()) marks.writeUIntBE(crc32(each) >>> 8, place * FIELD_BYTES, FIELD_BYTES);
  const content = hash('sha256', text, 'base64url').slice(0, CONTENT_CHARACTERS);
  return { text, tag: `"${content}${marks.toString('base64url')}"` };
}

/** Compares a resource with the tags that a change expects. @returns a refusal with the fields that differ */
export function checkExpected(expected: readonly string[], resource: object): Result<null> {
  const { tag } = tagged(resource);
  if (expected.includes(tag)) return ok(null);
  const ours = expected.filter((each) => OUR_TAG.test(each));
  const known = new Set(ours.flatMap(marksOf));
  const marks = marksOf(tag);
  const changed = fieldsOf(resource)
    .filter((_, place) => !known.has(marks[place] as string))
    .map(([field, now]) => ({ field, now }));
  return fail('PRECONDITION_FAILED', { current: tag, changed: ours.length === 0 ? null : changed });
}

/** The fields that JSON shows. */
const fieldsOf = (resource: object): (readonly [string, unknown])[] =>
  Object.entries(resource).filter(([, value]) => value !== undefined);

/** The hashes of fields in a tag, in their order. */
const marksOf = (tag: string): string[] =>
  Array.from({ length: (tag.length - 2 - CONTENT_CHARACTERS) / FIELD_CHARACTERS }, (_, place) => {
    const start = 1 + CONTENT_CHARACTERS + place * FIELD_CHARACTERS;
    return tag.slice(start, start + FIELD_CHARACTERS);
  });
