import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The register's answer to a number. */
export type ViesBehavior = 'valid' | 'invalid' | 'down' | 'garbage' | 'silent';

/** A register of VAT numbers with given answers, by number. */
export interface Vies {
  readonly url: string;
  /** The requested numbers, with their prefixes, in order. */
  readonly asked: string[];
  /** The register's answer to a number from now on; other numbers are `down`. */
  tell(number: string, behavior: ViesBehavior): void;
  close(): void;
}

/** Opens a register in place of VIES. */
export async function openVies(): Promise<Vies> {
  const behaviors = new Map<string, ViesBehavior>();
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { countryCode, vatNumber } = JSON.parse(Buffer.concat(parts).toString()) as Record<string, string>;
      const number = `${countryCode}${vatNumber}`;
      asked.push(number);
      respond(response, { countryCode, vatNumber }, behaviors.get(number) ?? 'down');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    tell: (number, behavior) => behaviors.set(number, behavior),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function respond(response: ServerResponse, number: object, behavior: ViesBehavior): void {
  if (behavior === 'silent') return void response.destroy();
  if (behavior === 'garbage') return void response.end('<html>The service is being maintained.</html>');
  if (behavior === 'down') {
    const fault = { actionSucceed: false, errorWrappers: [{ error: 'MS_UNAVAILABLE' }] };
    return void response.writeHead(500).end(JSON.stringify(fault));
  }
  response.end(JSON.stringify({ ...number, valid: behavior === 'valid', name: 'Known GmbH', address: '---' }));
}
