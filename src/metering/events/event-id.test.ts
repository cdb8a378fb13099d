import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isId } from '../../kernel/ids.ts';
import { isBefore } from '../../kernel/time.ts';
import { EventIds } from './event-id.ts';

const KEY = Buffer.alloc(32, 7);
const ids = new EventIds(KEY);

const instant = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2199-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => Temporal.Instant.fromEpochMilliseconds(date.getTime()));
const event = fc.record({ at: instant, seq: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) });

describe("an event's id", () => {
  it('names the month that holds the event, and its place in the order of acceptance', () =>
    fc.assert(
      fc.property(event, ({ at, seq }) => {
        const id = ids.idOf({ at, seq });
        const place = ids.placeOf(id);
        expect(isId('event', id)).toBe(true);
        expect(place?.seq).toBe(seq);
        expect(place && !isBefore(at, place.from) && isBefore(at, place.to)).toBe(true);
      }),
    ));

  it('is the same whether it is made alone or with others, of an instant or of its text', () =>
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const texts = events.map(({ at, seq }) => ({ at: at.toString(), seq: String(seq) }));
        expect(ids.idsOf(texts)).toEqual(events.map((each) => ids.idOf(each)));
      }),
    ));

  it('is the cipher of one block, in base 62 as long division writes it', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const written = (number: bigint, digits: number): string =>
      digits === 0 ? '' : written(number / 62n, digits - 1) + alphabet[Number(number % 62n)];
    fc.assert(
      fc.property(event, fc.uint8Array({ minLength: 32, maxLength: 32 }), ({ at, seq }, key) => {
        const month = at.toString().slice(0, 7).replace('-', '');
        const plain = Number(month).toString(16).padStart(8, '0') + seq.toString(16).padStart(24, '0');
        const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
        const [high = 0n, low = 0n] = new BigUint64Array(
          new Uint8Array(cipher.update(Buffer.from(plain, 'hex'))).slice().buffer,
        ).map((word) => BigInt(`0x${word.toString(16).padStart(16, '0').match(/../g)?.toReversed().join('')}`));
        expect(new EventIds(key).idOf({ at, seq })).toBe(`evt_${month}${written(high, 11)}${written(low, 11)}`);
      }),
    );
  });

  it('reveals nothing of the order: neighbours differ in almost all characters', () => {
    const bodies = Array.from({ length: 2_000 }, (_, seq) =>
      ids.idOf({ at: '2026-05-01T00:00:00Z', seq: BigInt(seq) }).slice(10),
    );
    expect(new Set(bodies).size).toBe(bodies.length);
    const risen = bodies.filter((body, place) => place > 0 && body > (bodies[place - 1] as string)).length;
    expect(risen).toBeGreaterThan(850);
    expect(risen).toBeLessThan(1_150);
    const same = bodies.map((body, place) => [...body].filter((each, at) => each === bodies[place - 1]?.[at]).length);
    expect(same.reduce((total, each) => total + each, 0) / bodies.length).toBeLessThan(2);
  });

  it('of another database, another month or another text is none', () =>
    fc.assert(
      fc.property(event, fc.nat({ max: 21 }), fc.constantFrom(...'0aZ'), ({ at, seq }, place, character) => {
        const id = ids.idOf({ at, seq });
        expect(new EventIds(randomBytes(32)).placeOf(id)).toBeNull();
        const otherMonth = id.slice(8, 10) === '12' ? '11' : '12';
        expect(ids.placeOf(id.slice(0, 8) + otherMonth + id.slice(10))).toBeNull();
        const changed = id.slice(0, 10 + place) + character + id.slice(11 + place);
        if (changed !== id) expect(ids.placeOf(changed)).toBeNull();
      }),
    ));

  it.each([
    'evt_',
    'evt_2026',
    'evt_202613abc',
    'evt_202600abc',
    'evt_202601',
    'inv_202601abc',
    'evt_202601a-b',
    `evt_202601${'0'.repeat(22)}`,
    `evt_202601${'z'.repeat(22)}`,
    `evt_202601${'0'.repeat(30)}`,
    `evt_202601${'a'.repeat(59)}`,
  ])('is none: %s', (text) => expect(ids.placeOf(text)).toBeNull());
});
