import { globSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { home } from '../../scripts/checks/project.ts';

const FOLDER = `${home}console/dist/`;
const MOST_BYTES = 1024 * 1024;

describe('the console', () => {
  it('is built, in one folder of at most 1 MiB', () => {
    const files = globSync('**/*.{html,js,css}', { cwd: FOLDER });
    expect(files).toContain('index.html');
    const bytes = files.reduce((sum, file) => sum + statSync(FOLDER + file).size, 0);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it('loads nothing from elsewhere, and no script that stands in the page', () => {
    const page = readFileSync(`${FOLDER}index.html`, 'utf8');
    expect([...page.matchAll(/(?:src|href)="(?!\/console\/|data:,")/g)]).toEqual([]);
    expect(page).not.toMatch(/<script(?![^>]* src=)/);
    expect(page).toContain('nonce="{{nonce}}"');
  });
});
