import { expect, it, onTestFinished } from 'vitest';
import { openMetricsServer } from './metrics-server.ts';

const open = async (port = 0, onTrouble: (error: unknown) => void = () => undefined) => {
  const server = await openMetricsServer(
    { host: '127.0.0.1', port },
    new Map([
      ['production', async () => 'of production'],
      ['sandbox', () => Promise.reject(new Error('It closes.'))],
    ]),
    onTrouble,
  );
  onTestFinished(() => server.close());
  return server;
};

it('serves the metrics of each environment, and nothing else', async () => {
  const troubles: unknown[] = [];
  const { port } = await open(0, (error) => troubles.push(error));
  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return [answer.status, await answer.text()];
  };
  expect(await ask('/metrics')).toEqual([200, 'of production']);
  expect(await ask('/metrics/production?now')).toEqual([200, 'of production']);
  expect(await ask('/metrics/sandbox')).toEqual([503, '']);
  expect(troubles).toEqual([new Error('It closes.')]);
  expect(await ask('/metrics/other')).toEqual([404, '']);
  expect(await ask('/v0/me')).toEqual([404, '']);
  expect(await ask('/metrics', 'POST')).toEqual([404, '']);
});

it('names the setting of a port that is taken', async () => {
  const { port } = await open();
  await expect(open(port)).rejects.toMatchObject({ fix: expect.stringContaining('METRICS_PORT=') });
});
