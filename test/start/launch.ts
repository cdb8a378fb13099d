import { startEmbeddedPostgres } from '../../src/db/embedded/index.ts';

/**
 * Started by tests as a process of its own, also from a copy of the project: runs the embedded server until its input
 * ends.
 */
const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);
try {
  const server = await startEmbeddedPostgres({
    dataDirectory: process.argv[2] as string,
    log: (message) => say({ log: message }),
  });
  await server.ensureDatabase('trial');
  say({
    url: server.urlFor('trial'),
    loginUrl: server.loginUrlFor('trial'),
    processId: server.processId,
    version: server.version,
  });
  for await (const _ of process.stdin);
  await server.stop();
  say({ stopped: true });
  process.exit(0);
} catch (error) {
  const { message, code, fix } = error as { message: string; code?: string; fix?: string };
  say({ failure: message, code, fix });
  process.exit(1);
}
