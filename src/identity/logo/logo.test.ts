import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLogo } from './operations.ts';
import { chunk, png, svg } from './testing.ts';

const checked = async (contentType: string, bytes: Buffer | string) =>
  checkLogo({ contentType, bytes: Buffer.from(bytes as string) });
const problemOf = async (contentType: string, bytes: Buffer | string): Promise<string> => {
  const result = await checked(contentType, bytes);
  if (result.ok) return 'none';
  return result.refusal.kind === 'validation' ? (result.refusal.errors[0]?.message ?? '') : result.refusal.kind;
};

describe('a PNG', () => {
  it('is kept with what draws it, and without the rest', async () => {
    const text = chunk('tEXt', Buffer.from('Author\0<script>'));
    const kept = await checked('image/png', png({ extra: [text] }));
    expect(kept).toMatchObject({
      ok: true,
      value: { contentType: 'image/png', width: 60, height: 20, content: png() },
    });
  });

  const broken = png();
  broken[45] = (broken[45] as number) ^ 1;
  it.each<{ what: string; bytes: Buffer | string; why: string }>([
    { what: 'something else', bytes: 'GIF89a', why: 'content type is PNG' },
    { what: 'an SVG', bytes: svg(), why: 'content type is PNG' },
    { what: 'half of one', bytes: png().subarray(0, 60), why: 'breaks off' },
    { what: 'the signature alone', bytes: png().subarray(0, 8), why: 'breaks off' },
    { what: 'a damaged one', bytes: broken, why: 'a checksum is wrong' },
    { what: 'one too wide', bytes: png({ width: 2001, height: 1 }), why: 'each side may have 1 to 2000' },
    { what: 'one without height', bytes: png({ height: 0 }), why: 'each side may have 1 to 2000' },
    { what: 'an interlaced one', bytes: png({ interlace: 1 }), why: 'Save it without interlacing' },
    { what: 'a kind that does not exist', bytes: png({ colour: 5 }), why: 'does not exist' },
    { what: 'a depth that does not exist', bytes: png({ depth: 3 }), why: 'does not exist' },
    { what: 'one without its palette', bytes: png({ colour: 3 }), why: 'palette' },
    { what: 'a bomb', bytes: png({ pixels: Buffer.alloc(50_000_000) }), why: 'not the pixels' },
    { what: 'too few pixels', bytes: png({ pixels: Buffer.alloc(10) }), why: 'not the pixels' },
    { what: 'rows of no filter', bytes: png({ pixels: Buffer.alloc(20 * 241, 9) }), why: 'unreadable row' },
  ])('is refused: $what', async ({ bytes, why }) => expect(await problemOf('image/png', bytes)).toContain(why));

  it('that is anything at all is no fault', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(400), async (bytes, at) => {
        const file = png();
        file.set(bytes.subarray(0, Math.max(0, file.length - at)), Math.min(at, file.length));
        await problemOf('image/png', file);
      }),
    ));
});

describe('an SVG', () => {
  it('is rewritten with its shapes and without descriptions', async () => {
    const inside =
      '<!-- made by hand --><metadata><a:b xmlns:a="x">words</a:b></metadata><title>Logo</title><path d="M0 0L5 5" data-x="1"/>';
    const kept = await checked('image/svg+xml', `<?xml version="1.0"?>\n${svg(inside)}`);
    if (!kept.ok) throw new Error(JSON.stringify(kept.refusal));
    expect(kept.value).toMatchObject({ contentType: 'image/svg+xml', width: 120, height: 40 });
    const text = kept.value.content.toString();
    expect(text).toContain('<path d="M0 0L5 5"></path>');
    expect(text).toContain('fill="url(#g)"');
    expect(text).not.toMatch(/hand|words|Logo|data-x|metadata/);
    expect(await problemOf('image/svg+xml', text)).toBe('none');
  });

  it.each<{ what: string; text: string; why: string }>([
    { what: 'something else', text: 'hello', why: 'is no SVG' },
    { what: 'a PNG', text: png().toString('latin1'), why: 'is no SVG' },
    { what: 'HTML', text: '<html></html>', why: 'is no SVG' },
    { what: 'a script', text: svg('<script>alert(1)</script>'), why: 'a script element, which is refused' },
    { what: 'a script with a prefix', text: svg('<svg:script>alert(1)</svg:script>'), why: 'script' },
    { what: 'a handler', text: svg('', 'onload="alert(1)"'), why: 'event handler' },
    { what: 'a handler in capitals', text: svg('<rect ONCLICK="alert(1)"/>'), why: 'event handler' },
    { what: 'a foreign object', text: svg('<foreignObject><p>x</p></foreignObject>'), why: 'foreignObject' },
    { what: 'a link', text: svg('<a href="https://x.example"><rect/></a>'), why: 'a element' },
    { what: 'an image from outside', text: svg('<image href="https://x.example/a.png"/>'), why: 'image element' },
    { what: 'a shape used again', text: svg('<use href="#g"/>'), why: 'Draw the shape again' },
    { what: 'a text', text: svg('<text>Logo</text>'), why: 'Convert texts to paths' },
    { what: 'an animation', text: svg('<animate attributeName="x"/>'), why: 'animate' },
    {
      what: 'a style sheet',
      text: svg('<style>@import "https://x.example";</style>'),
      why: 'attributes of the shapes',
    },
    { what: 'a filter', text: svg('<filter id="f"/>'), why: 'filter' },
    {
      what: 'a gradient from outside',
      text: svg('<linearGradient xlink:href="https://x.example#g"/>'),
      why: 'outside',
    },
    { what: 'a paint from outside', text: svg('<rect fill="url(https://x.example/#a)"/>'), why: 'outside' },
    { what: 'a paint spelt in entities', text: svg('<rect fill="u&#114;l(https://x.example)"/>'), why: 'outside' },
    { what: 'a style from outside', text: svg('<rect style="fill:url(//x.example)"/>'), why: 'outside' },
    { what: 'an escape', text: svg('<rect style="fill:u\\72l(//x.example)"/>'), why: 'outside' },
    { what: 'a DOCTYPE', text: `<!DOCTYPE svg>${svg()}`, why: 'DOCTYPE' },
    { what: 'entities', text: `<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;')}`, why: 'DOCTYPE' },
    { what: 'an unknown entity', text: svg('<title>&nbsp;</title>'), why: 'entity' },
    { what: 'an instruction', text: svg('<?php echo 1 ?>'), why: 'processing instruction' },
    { what: 'one that breaks off', text: svg().slice(0, -4), why: 'well-formed' },
    { what: 'tags that do not fit', text: svg('<g></rect>'), why: 'well-formed' },
    { what: 'an attribute twice', text: svg('<rect x="1" x="2"/>'), why: 'well-formed' },
    { what: 'two roots', text: `${svg()}${svg()}`, why: 'must be one svg element' },
    {
      what: 'no size',
      text: '<svg xmlns="http://www.w3.org/2000/svg"><rect/></svg>',
      why: 'needs a width and a height',
    },
    { what: 'a size of nothing', text: '<svg viewBox="0 0 0 40"></svg>', why: 'needs a width and a height' },
    { what: 'a strip', text: '<svg viewBox="0 0 1000 10"></svg>', why: 'at most 20 times' },
    { what: 'too many elements', text: svg('<g/>'.repeat(5001)), why: 'more than 5000' },
    { what: 'too deep', text: svg('<g>'.repeat(40) + '</g>'.repeat(40)), why: 'more than 32' },
  ])('is refused: $what', async ({ text, why }) => expect(await problemOf('image/svg+xml', text)).toContain(why));

  it('that is anything at all is no fault, and what is kept can be kept again', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            '<g>',
            '</g>',
            '<path d="M0"/>',
            '<script>',
            'onx="1"',
            '&#x41;',
            '&lt;',
            '"',
            "'",
            '<',
            '>',
            ' ',
            '<!--',
            '-->',
          ),
          { maxLength: 12 },
        ),
        async (parts) => {
          const result = await checked('image/svg+xml', svg(parts.join('')));
          if (!result.ok) return;
          const text = result.value.content.toString();
          expect(text).not.toMatch(/<script| on\w+=|<!|<\?/);
          expect(await problemOf('image/svg+xml', text)).toBe('none');
        },
      ),
    ));
});
