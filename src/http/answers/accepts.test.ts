import { expect, it } from 'vitest';
import { prefers } from './accepts.ts';

it.each([
  { accept: undefined, pdf: false },
  { accept: '', pdf: false },
  { accept: '*/*', pdf: false },
  { accept: 'application/*', pdf: false },
  { accept: 'application/pdf', pdf: true },
  { accept: 'Application/PDF ; q=0.3', pdf: true },
  { accept: 'application/pdf;q=0', pdf: false },
  { accept: 'application/pdf;q=high', pdf: false },
  { accept: 'application/pdf, */*;q=0.8', pdf: true },
  { accept: 'application/json, application/pdf', pdf: false },
  { accept: 'application/json;q=0.5, application/pdf', pdf: true },
])('a caller with Accept $accept gets a PDF: $pdf', ({ accept, pdf }) => {
  expect(prefers('application/pdf', accept)).toBe(pdf);
});
