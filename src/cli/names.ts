/** The commands that work through the API. The others are those of the program itself (`start/command-line.ts`). */
export const CLIENT_COMMANDS: readonly string[] = [
  'login',
  'logout',
  'whoami',
  'get',
  'list',
  'call',
  'open',
  'events',
  'logs',
  'listen',
  'trigger',
  'clock',
  'completion',
  'complete',
];
