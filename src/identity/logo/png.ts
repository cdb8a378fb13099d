import { promisify } from 'node:util';
import { crc32, inflate } from 'node:zlib';
import { type Logo, LogoError } from './logo.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_PIXELS = 2000; // of a side
const MOST_CHUNKS = 10_000;
const inflated = promisify(inflate);

/** How many samples a pixel has, by its colour type, and which bit depths each may have (PNG, 11.2.1). */
const COLOURS: Readonly<Record<number, { readonly samples: number; readonly depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** The chunks that are needed to draw it; all others (profiles, texts, times, animations) are left out. */
const KEPT: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
  readonly whole: Buffer;
}

/** Does the file begin as a PNG does? */
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/** Reads a PNG like a decoder, and keeps the parts that draw it. @throws LogoError with its fault */
export async function readPng(bytes: Buffer): Promise<Logo> {
  const chunks = chunksOf(bytes);
  const [header] = chunks;
  if (header?.type !== 'IHDR' || header.data.length !== 13) throw new LogoError('The PNG has no header.');
  const width = header.data.readUInt32BE(0);
  const height = header.data.readUInt32BE(4);
  if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS)
    throw new LogoError(`The PNG is ${width} × ${height} pixels; each side may have 1 to ${MOST_PIXELS}.`);
  const [depth, colour, compression, filter, interlace] = [...header.data.subarray(8)] as [
    number,
    number,
    number,
    number,
    number,
  ];
  const kind = COLOURS[colour];
  if (!kind?.depths.includes(depth) || compression !== 0 || filter !== 0)
    throw new LogoError('The PNG is of a kind that does not exist.');
  if (interlace !== 0) throw new LogoError('The PNG is interlaced. Save it without interlacing.');
  checkPalette(chunks, colour, depth);
  await checkPixels(chunks, 1 + Math.ceil((width * depth * kind.samples) / 8), height);
  const kept = chunks.filter(({ type }) => KEPT.has(type)).map(({ whole }) => whole);
  return { contentType: 'image/png', width, height, content: Buffer.concat([SIGNATURE, ...kept]) };
}

/** The chunks up to the end, each with the checksum that it names. */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  let at = SIGNATURE.length;
  while (chunks.length < MOST_CHUNKS) {
    if (at + 12 > bytes.length) throw new LogoError('The PNG breaks off.');
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) throw new LogoError('The PNG breaks off.');
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      throw new LogoError('The PNG is damaged: a checksum is wrong.');
    chunks.push({ type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) });
    if (type === 'IEND') return chunks;
    at = end;
  }
  throw new LogoError('The PNG has too many parts.');
}

function checkPalette(chunks: readonly Chunk[], colour: number, depth: number): void {
  const palettes = chunks.filter(({ type }) => type === 'PLTE');
  const size = palettes[0]?.data.length ?? 0;
  const isRight = size > 0 && size % 3 === 0 && size / 3 <= 2 ** Math.min(depth, 8);
  if (palettes.length > 1 || (colour === 3 && !isRight)) throw new LogoError('The PNG has no right palette.');
}

/** The pixels are as many as the header says; a bomb is stopped where they would be more. */
async function checkPixels(chunks: readonly Chunk[], rowBytes: number, height: number): Promise<void> {
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const expected = rowBytes * height;
  const pixels = await inflated(packed, { maxOutputLength: expected }).catch(() => null);
  if (pixels?.length !== expected) throw new LogoError('The PNG has not the pixels that its header promises.');
  for (let row = 0; row < height; row += 1)
    if ((pixels[row * rowBytes] as number) > 4) throw new LogoError('The PNG has an unreadable row.');
}
