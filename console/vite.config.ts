import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { PALETTES, type Palette } from '../src/look/tokens.ts';

const PALETTE_CSS = 'virtual:palette.css';

const variablesOf = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${colour};`)
    .join('');

/** The colours of pages, mails and paper (src/look/tokens.ts) as the style sheet of the console. */
const palette: Plugin = {
  name: 'palette',
  resolveId: (id) => (id === PALETTE_CSS ? `\0${PALETTE_CSS}` : null),
  load: (id) =>
    id === `\0${PALETTE_CSS}`
      ? `:root{${variablesOf(PALETTES.light)}}:root[data-mantine-color-scheme="dark"]{${variablesOf(PALETTES.dark)}}`
      : null,
};

/** What the styles of the library are for, and no page of the console has: such variants, states, directions, sizes. */
const UNUSED =
  /\[dir="rtl"\]|\[data-(?:variant='(?:unstyled|pills|outline)'|size='(?:lg|xl)'|inverted|success|full-screen|drag-over|indeterminate)/;
const UNUSED_SIZES = /--[\w-]+-(?:compact-\w+|xl):[^;}]*;/g;

/** A rule goes where each of its selectors is unused. */
const withoutUnused = (css: string): string =>
  css
    .replaceAll(UNUSED_SIZES, '')
    .replaceAll(/([^{}]+)\{[^{}]*\}/g, (rule, selectors: string) =>
      selectors.split(/,(?![^(]*\))/).every((each) => UNUSED.test(each.replaceAll(/:not\([^)]*\)/g, ''))) ? '' : rule,
    );

/** The library multiplies each length by a scale, which is 1 here. */
const lean: Plugin = {
  name: 'lean',
  enforce: 'pre',
  transform: (code, id) =>
    id.includes('/@mantine/core/styles/')
      ? withoutUnused(code).replaceAll(/calc\((-?[\d.]+rem) \* var\(--mantine-scale\)\)/g, '$1')
      : null,
};

const NO_SCHEMAS = '\0no-schemas';

/**
 * The console prices by the rules of the server (src/invoicing/rating). Their schemas check requests, which only the
 * server does: the browser gets empty ones, and nothing of what checks them.
 */
const rating: Plugin = {
  name: 'rating',
  enforce: 'pre',
  resolveId: (id, importer = '') =>
    importer.includes('/src/invoicing/rating/') && /^typebox$|\/http\/schema\.ts$/.test(id) ? NO_SCHEMAS : null,
  load: (id) =>
    id === NO_SCHEMAS
      ? `const none = () => ({}); export { none as MapOf, none as Text, none as DecimalText, none as Nullable };
         export const Type = new Proxy({}, { get: () => none });`
      : null,
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react(), palette, lean, rating],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
  },
});
