import { join } from 'node:path';
import type { NextConfig } from 'next';

export default {
  serverExternalPackages: ['@reckoner/sdk'],
  turbopack: { root: join(import.meta.dirname, '../..') }, // the SDK is a folder of this repository
} satisfies NextConfig;
