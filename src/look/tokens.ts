/** Colours by their use. Text in them is readable on every ground (WCAG 2.2 AA: a contrast of 4.5). */
export interface Palette {
  readonly ground: string;
  readonly sheet: string;
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly tint: string;
  readonly accent: string;
  readonly accentInk: string;
  readonly accentTint: string;
  readonly good: string;
  readonly goodTint: string;
  readonly bad: string;
  readonly badTint: string;
  readonly test: string;
  readonly testTint: string;
}

const light: Palette = {
  ...{ ground: '#f3f4f7', sheet: '#ffffff', ink: '#15181e', soft: '#596273', line: '#dfe3ea', tint: '#f7f8fa' },
  ...{ accent: '#1f55c4', accentInk: '#ffffff', accentTint: '#eef3fd' },
  ...{ good: '#14703c', goodTint: '#e7f5ec', bad: '#a3211c', badTint: '#fdeeed', test: '#6b4500', testTint: '#fdf3dc' },
};

const dark: Palette = {
  ...{ ground: '#0e1014', sheet: '#171a20', ink: '#eceff4', soft: '#a4adbb', line: '#2d333d', tint: '#1c2027' },
  ...{ accent: '#8db4ff', accentInk: '#0c1730', accentTint: '#1b2740' },
  ...{ good: '#7fd8a2', goodTint: '#14291d', bad: '#ffa8a3', badTint: '#331917', test: '#f2cf84', testTint: '#2c2312' },
};

/** The colours of pages on light and on dark screens; paper and mails are light. */
export const PALETTES = { light, dark } as const;

/** The backgrounds that text stands on; the first is the sheet. */
export const groundsOf = ({ sheet, tint, ground }: Palette): readonly [string, ...string[]] => [sheet, tint, ground];

/** Sizes of type and the common gap and rounding, in rem (16 pixels; a mail and a document use them in their units). */
export const SIZES = {
  ...{ fine: 0.8125, small: 0.875, body: 0.9375, text: 1, head: 1.125, title: 1.5 },
  ...{ gap: 1, radius: 0.625 },
} as const;

/** System fonts: nothing is loaded from elsewhere. */
export const FONTS = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
