import chromium from '@sparticuz/chromium';

/** Unpacks the browser of the package into the folder for temporary files (TMPDIR): `node unpack-browser.ts`. */
await chromium.executablePath();
