import { describe, expect, it } from 'vitest';
import type { Client } from '../support/environment.ts';
import { callOperation, generateClient, type Operation, type Schema, withNulls } from './client.ts';

const THING: Schema = {
  type: 'object',
  required: ['id', 'note'],
  properties: {
    id: { type: 'string' },
    note: { type: ['string', 'null'] },
    count: { type: 'integer' },
    part: { $ref: '#/components/schemas/Part' },
  },
};
const PART: Schema = { type: 'object', properties: { a: { type: 'string' } } };
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });
const document = {
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'change',
        requestBody: json({ type: 'object', additionalProperties: false, properties: { count: { type: 'integer' } } }),
        responses: { 200: json({ $ref: '#/components/schemas/Thing' }) },
      },
    },
  },
  components: { schemas: { Thing: THING, Part: PART } },
  servers: [],
};
const operation = generateClient(document).get('change') as Operation;
const answering = (body: unknown, status = 200): Client =>
  ({ post: async () => ({ status, body, headers: {}, text: '', bytes: Buffer.from('') }) }) as never;
const calling = (answer: unknown, body?: unknown, status?: number) =>
  callOperation(operation, answering(answer, status), { params: { id: 'x' }, body });

describe('a generated client', () => {
  it('takes what the document declares', async () => {
    const answer = { id: 'a', note: null, part: { a: 'x' } };
    expect(await calling(answer, { count: 1 })).toMatchObject({ body: answer });
  });

  it.each([
    { answer: { id: 'a' }, words: 'without a required field' },
    { answer: { id: 'a', note: null, count: null }, words: 'with null for an optional field' },
    { answer: { id: 'a', note: null, count: '1' }, words: 'with another type' },
    { answer: { id: 'a', note: null, more: 1 }, words: 'with a field that is not declared' },
    { answer: { id: 'a', note: null, part: { b: 1 } }, words: 'with such a field further inside' },
    { answer: { id: 'a', note: null }, status: 201, words: 'of a status that is not declared' },
  ])('refuses an answer $words', async ({ answer, status }) => {
    await expect(calling(answer, undefined, status)).rejects.toThrow();
  });

  it('sends nothing that the document does not allow', async () => {
    await expect(calling({ id: 'a', note: null }, { count: null })).rejects.toThrow();
  });
});

it('writes null for all that is absent, in the branch that is meant', () => {
  const schema = {
    properties: {
      name: {},
      other: {},
      list: {
        items: {
          anyOf: [
            { properties: { kind: { const: 'a' }, x: {} }, required: ['kind'] },
            { properties: { kind: { const: 'b' }, y: {} }, required: ['kind'] },
          ],
        },
      },
    },
    required: ['name'],
  };
  expect(withNulls(schema, { list: [{ kind: 'b' }, { kind: 'a', x: 1 }] })).toEqual({
    other: null,
    list: [
      { kind: 'b', y: null },
      { kind: 'a', x: 1 },
    ],
  });
  expect(withNulls(schema, { name: 'n' }, (field) => field !== 'other')).toEqual({ name: 'n', list: null });
});
