/** A logo that is safe to draw and to show. */
export interface Logo {
  readonly contentType: 'image/png' | 'image/svg+xml';
  readonly width: number;
  readonly height: number;
  readonly content: Buffer;
}

/** The fault of a logo, as a sentence for its sender. */
export class LogoError extends Error {}

/** The types a logo may have. */
export const LOGO_TYPES = ['image/png', 'image/svg+xml'] as const;

/** Bytes that a logo may have. */
export const MOST_LOGO_BYTES = 256 * 1024;
