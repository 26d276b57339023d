import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Plugin } from '@waymark/contract/engine';
import { onTestFinished } from 'vitest';
import { type Embedded, type EmbedOptions, embed } from '../src/index.ts';

/** What an embedded table did with its log. */
export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

/** Embeds, and closes when the test ends; keeps what is logged. */
export async function embedded(
  options: EmbedOptions,
): Promise<Embedded & { readonly logged: readonly Logged[] }> {
  const logged: Logged[] = [];
  const waymark = await embed({
    log: (level, message, fields = {}) => void logged.push({ level, message, fields }),
    ...options,
  });
  onTestFinished(() => waymark.close());
  return { ...waymark, logged };
}

/** A server of `node:http` on a free port, until the test ends. */
export async function serve(server: Server | RequestListener): Promise<string> {
  const listening = typeof server === 'function' ? createServer(server) : server;
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

/** A plugin that writes down what happens to it. */
export function witness(name: string, told: string[], more: Partial<Plugin> = {}): Plugin {
  return {
    name,
    routes: [],
    start: () => void told.push(`${name} starts`),
    ready: () => void told.push(`${name} is ready`),
    stop: () => void told.push(`${name} stops`),
    ...more,
  };
}
