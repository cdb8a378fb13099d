import { expect, it } from 'vitest';
import { inlineFile } from './file-name.ts';

it.each([
  { number: 'INV-000025', is: 'inline; filename="INV-000025.pdf"' },
  { number: 'ACME/2026-000025', is: 'inline; filename="ACME-2026-000025.pdf"' },
  { number: '../../etc/passwd', is: 'inline; filename="etc-passwd.pdf"' },
  { number: 'a"; filename="b', is: 'inline; filename="a-; filename=-b.pdf"' },
  { number: 'a\r\nSet-Cookie: b=1', is: 'inline; filename="a-Set-Cookie- b=1.pdf"' },
  { number: '-', is: 'inline; filename="document.pdf"' },
  { number: 'Müller-1', is: `inline; filename="M-ller-1.pdf"; filename*=UTF-8''M%C3%BCller-1.pdf` },
  { number: "é'(1)", is: `inline; filename="-'(1).pdf"; filename*=UTF-8''%C3%A9%27%281%29.pdf` },
  { number: 'a\ud800', is: `inline; filename="a-.pdf"; filename*=UTF-8''a%EF%BF%BD.pdf` },
])('a file of the number $number is $is', ({ number, is }) => expect(inlineFile(number, 'pdf')).toBe(is));
