import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateMasterKey, nameOfMasterKey, sealerOf } from './sealing.ts';

const KEY = 'a key of an environment, long enough';

describe('a sealed secret', () => {
  it('opens in its place to what it was, whatever it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        expect(sealerOf(KEY).open(sealerOf(KEY).seal(text, place), place)).toBe(text);
      }),
    );
  });

  it('shows nothing of the secret, and is another text each time', () => {
    const sealed = sealerOf(KEY).seal('whsec_plain', 'src_a');
    expect(sealed).not.toContain('plain');
    expect(sealerOf(KEY).seal('whsec_plain', 'src_a')).not.toBe(sealed);
  });

  const sealed = sealerOf(KEY).seal('whsec_plain', 'src_a');
  it.each([
    { what: 'under another key', open: () => sealerOf(`${KEY}!`).open(sealed, 'src_a') },
    { what: 'in another place', open: () => sealerOf(KEY).open(sealed, 'src_b') },
    { what: 'with another last character', open: () => sealerOf(KEY).open(flipped(sealed), 'src_a') },
    { what: 'cut short', open: () => sealerOf(KEY).open(sealed.slice(0, 20), 'src_a') },
    { what: 'that never was one', open: () => sealerOf(KEY).open('whsec_plain', 'src_a') },
  ])('does not open $what', ({ open }) => expect(open()).toBeNull());
});

describe('a sealer with a previous key', () => {
  const previous = generateMasterKey();
  const current = generateMasterKey();
  const both = sealerOf(current, previous);

  it('opens what either key sealed, and seals under the current key alone', () => {
    expect(both.open(sealerOf(previous).seal('secret', 'whe_a'), 'whe_a')).toBe('secret');
    expect(both.open(sealerOf(current).seal('secret', 'whe_a'), 'whe_a')).toBe('secret');
    expect(sealerOf(previous).open(both.seal('secret', 'whe_a'), 'whe_a')).toBeNull();
  });

  it('names the key in what it seals by eight characters that are no part of the key', () => {
    const [, name] = both.seal('secret', 'whe_a').split('.');
    expect(name).toBe(nameOfMasterKey(current));
    expect(name).toMatch(/^[\w-]{8}$/);
    expect(current).not.toContain(name);
  });
});

/** Another byte near the end; the last character alone may have unused bits. */
const flipped = (text: string): string => {
  const at = text.length - 4;
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
};
