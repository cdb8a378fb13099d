import { crc32, deflateSync } from 'node:zlib';

/** Pieces of PNGs for tests: a right one, and ways in which one is wrong. */
export function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface PngParts {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colour?: number;
  readonly interlace?: number;
  /** In place of the pixels, unpacked. */
  readonly pixels?: Buffer;
  readonly extra?: readonly Buffer[];
}

/** A PNG of one colour, with an alpha channel. */
export function png({
  width = 60,
  height = 20,
  depth = 8,
  colour = 6,
  interlace = 0,
  pixels,
  extra = [],
}: PngParts = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlace], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 4, Buffer.from([0x0b, 0x6e, 0x4f, 0xff]))]);
  const raw = pixels ?? Buffer.concat(Array.from({ length: Math.min(height, 4000) }, () => row));
  const parts = [chunk('IHDR', header), ...extra, chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

/** An SVG of a shape with a gradient. */
export const svg = (inside = '', attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 40" ${attributes}>` +
  `<defs><linearGradient id="g"><stop offset="0" stop-color="#0b6e4f"/><stop offset="1" stop-color="#123"/></linearGradient></defs>` +
  `<rect width="120" height="40" rx="6" fill="url(#g)"/>${inside}</svg>`;
